#include "session/conversation.h"

#include "base/limits.h"
#include "base/text.h"
#include "store/values.h"

namespace rouse {
namespace {

constexpr std::size_t kTitleBytes = 80;

#define CONVERSATION_COLUMNS                                                                 \
  "c.conversation_id, c.workspace_id, c.session_key, c.title, c.project_key, c.agent_name, " \
  "c.last_active_ms, c.created_ms, c.pinned_ms, c.model, c.seen_seq"

constexpr std::string_view kById = "SELECT " CONVERSATION_COLUMNS
                                   " FROM conversations c "
                                   "WHERE c.conversation_id = $1 AND c.workspace_id = $2";
constexpr std::string_view kByKey = "SELECT " CONVERSATION_COLUMNS
                                    " FROM conversations c "
                                    "WHERE c.workspace_id = $1 AND c.session_key = $2";
constexpr std::string_view kBySession =
    "SELECT " CONVERSATION_COLUMNS
    " FROM sessions s JOIN conversations c ON c.conversation_id = s.conversation_id "
    "WHERE s.session_id = $1 AND c.workspace_id = $2";
constexpr std::string_view kByAlias =
    "SELECT " CONVERSATION_COLUMNS
    " FROM aliases a JOIN conversations c ON c.conversation_id = a.conversation_id "
    "WHERE a.workspace_id = $1 AND a.external_id = $2";
constexpr std::string_view kInKeyOrder =
    "SELECT " CONVERSATION_COLUMNS
    " FROM conversations c WHERE c.workspace_id = $1 AND c.session_key > $2 "
    "ORDER BY c.session_key LIMIT $3";
constexpr std::string_view kAliases =
    "SELECT external_id FROM aliases WHERE conversation_id = $1 ORDER BY external_id LIMIT $2";
constexpr std::string_view kTombstone =
    "SELECT 1 FROM tombstones WHERE workspace_id = $1 AND session_key = $2 LIMIT 1";
// Not into a workspace that was deleted a moment ago.
constexpr std::string_view kInsert =
    "INSERT INTO conversations (conversation_id, workspace_id, session_key, title, project_key, "
    "agent_name, last_active_ms, created_ms) SELECT $1, $2, $3, $4, $5, $6, $7, $8 "
    "WHERE EXISTS (SELECT 1 FROM workspaces WHERE workspace_id = $2)";
constexpr std::string_view kSetActive =
    "UPDATE conversations SET last_active_ms = $2 WHERE conversation_id = $1";
constexpr std::string_view kSetDetails =
    "UPDATE conversations SET title = $2, project_key = $3, agent_name = $4, pinned_ms = $5, "
    "model = $6, seen_seq = $7 WHERE conversation_id = $1";
// A name is free again as soon as its conversation is deleted, however long its rows take to go.
constexpr std::string_view kAddAlias =
    "INSERT INTO aliases (workspace_id, external_id, conversation_id, created_ms) "
    "VALUES ($1, $2, $3, $4) ON CONFLICT (workspace_id, external_id) DO UPDATE SET "
    "conversation_id = excluded.conversation_id, created_ms = excluded.created_ms "
    "WHERE EXISTS (SELECT 1 FROM tombstones t WHERE t.conversation_id = aliases.conversation_id)";

Result<Conversation> from_row(const Row& row) {
  Conversation out;
  TRY(out.id, ConversationId::parse(row.text(0)));
  TRY(out.workspace, WorkspaceId::parse(row.text(1)));
  TRY(out.key, SessionKey::parse(row.text(2)));
  out.title = row.text(3);
  out.project = text_or_null(row, 4);
  out.agent = text_or_null(row, 5);
  out.last_active = {row.integer(6)};
  out.created = {row.integer(7)};
  out.pinned = time_or_null(row, 8);
  out.model = text_or_null(row, 9);
  out.seen_seq = row.integer(10);
  return out;
}

Result<std::vector<Conversation>> from_rows(const Rows& rows) {
  std::vector<Conversation> out;
  out.reserve(rows.size());
  for (const Row& row : rows) {
    TRY(auto one, from_row(row));
    out.push_back(std::move(one));
  }
  return out;
}

Error not_found(std::string_view name) {
  return Error(ConversationErrc::kNotFound,
               fmt::format("there is no conversation {}", utf8_prefix(name, 120)));
}

}  // namespace

ErrorInfo error_info(ConversationErrc code) {
  switch (code) {
    case ConversationErrc::kBusy:
      return {Kind::kConflict, "conversation_busy"};
    case ConversationErrc::kAliasTaken:
      return {Kind::kConflict, "alias_taken"};
    case ConversationErrc::kNotFound:
      break;
  }
  return {Kind::kNotFound, "conversation_not_found"};
}

Result<std::optional<Conversation>> ConversationTable::first(const Query& query) {
  TRY(const Rows rows, database_.read(query));
  if (rows.empty()) return std::optional<Conversation>();
  TRY(auto found, from_row(rows.front()));
  return std::optional(std::move(found));
}

Result<Conversation> ConversationTable::get(const WorkspaceId& workspace,
                                            const ConversationId& id) {
  TRY(auto found, first({kById, {id.str(), workspace.str()}}));
  if (!found) return fail(not_found(id.str()));
  return std::move(*found);
}

Result<std::optional<Conversation>> ConversationTable::find(const WorkspaceId& workspace,
                                                            const SessionKey& key) {
  return first({kByKey, {workspace.str(), key.str()}});
}

Result<Conversation> ConversationTable::find_by_name(const WorkspaceId& workspace,
                                                     std::string_view name) {
  if (const auto id = ConversationId::parse(name)) {
    TRY(auto found, first({kById, {id->str(), workspace.str()}}));
    if (found) return std::move(*found);
  }
  if (const auto id = SessionId::parse(name)) {
    TRY(auto found, first({kBySession, {id->str(), workspace.str()}}));
    if (found) return std::move(*found);
  }
  for (const std::string_view sql : {kByKey, kByAlias}) {
    TRY(auto found, first({sql, {workspace.str(), std::string(name)}}));
    if (found) return std::move(*found);
  }
  return fail(not_found(name));
}

Result<std::vector<std::string>> ConversationTable::aliases(const ConversationId& id) {
  TRY(const Rows rows,
      database_.read({kAliases, {id.str(), static_cast<std::int64_t>(limits::kAliases)}}));
  std::vector<std::string> out;
  for (const Row& row : rows) out.push_back(row.text(0));
  return out;
}

Result<bool> ConversationTable::was_deleted(const WorkspaceId& workspace, const SessionKey& key) {
  TRY(const Rows rows, database_.read({kTombstone, {workspace.str(), key.str()}}));
  return !rows.empty();
}

Task<Result<std::vector<Conversation>>> ConversationTable::list_by_key(WorkspaceId workspace,
                                                                       std::string after_key,
                                                                       std::size_t limit) {
  CO_TRY(const Rows rows, co_await database_.read_page({kInKeyOrder,
                                                        {workspace.str(), std::move(after_key),
                                                         static_cast<std::int64_t>(limit)},
                                                        limit}));
  co_return from_rows(rows);
}

Statement ConversationTable::insert(const Conversation& c) {
  return {kInsert,
          {c.id.str(), c.workspace.str(), c.key.str(), c.title, or_null(c.project),
           or_null(c.agent), c.last_active.unix_ms, c.created.unix_ms},
          1};
}

Statement ConversationTable::set_active(const ConversationId& id, WallTime now) {
  return {kSetActive, {id.str(), now.unix_ms}, 1};
}

Statement ConversationTable::set_details(const Conversation& c) {
  return {kSetDetails,
          {c.id.str(), c.title, or_null(c.project), or_null(c.agent), or_null(c.pinned),
           or_null(c.model), c.seen_seq},
          1};
}

Statement ConversationTable::add_alias(const Conversation& c, std::string external_id,
                                       WallTime now) {
  return {kAddAlias, {c.workspace.str(), std::move(external_id), c.id.str(), now.unix_ms}, 1};
}

std::string title_from(std::string_view text) {
  const std::string_view line = trim(trim(text).substr(0, trim(text).find('\n')));
  if (line.size() <= kTitleBytes) return std::string(line);
  return std::string(trim(utf8_prefix(line, kTitleBytes - 3))) + "…";
}

}  // namespace rouse
