#include "session/session_table.h"

#include "store/values.h"

namespace rouse {
namespace {

#define SESSION_COLUMNS                                                                  \
  "session_id, workspace_id, channel, remote_jid, status, turn_count, context_summary, " \
  "created_at, last_message_at, conversation_id, epoch, opened_reason, opened_by, "      \
  "close_reason, closed_ms, last_user_ms, last_inbound, close_summary"

// A delete takes the conversation first and its sessions after it.
#define NOT_BEING_DELETED \
  "EXISTS (SELECT 1 FROM conversations c WHERE c.conversation_id = sessions.conversation_id)"

constexpr std::string_view kById = "SELECT " SESSION_COLUMNS " FROM sessions WHERE session_id = $1";
// By the seed's index: the way of nearly every message.
constexpr std::string_view kActive =
    "SELECT " SESSION_COLUMNS
    " FROM sessions WHERE workspace_id = $1 AND channel = $2 AND remote_jid = $3 "
    "AND status = 'active'";
constexpr std::string_view kLatest =
    "SELECT " SESSION_COLUMNS
    " FROM sessions WHERE conversation_id = $1 ORDER BY epoch DESC LIMIT 1";
constexpr std::string_view kNewest =
    "SELECT " SESSION_COLUMNS " FROM sessions WHERE workspace_id = $1 AND " NOT_BEING_DELETED
    " ORDER BY opened_by DESC LIMIT $2";
constexpr std::string_view kNewestBefore =
    "SELECT " SESSION_COLUMNS
    " FROM sessions WHERE workspace_id = $1 AND opened_by < $3 "
    "AND " NOT_BEING_DELETED " ORDER BY opened_by DESC LIMIT $2";
constexpr std::string_view kOfConversation =
    "SELECT " SESSION_COLUMNS
    " FROM sessions WHERE conversation_id = $1 AND epoch >= $2 ORDER BY epoch LIMIT $3";
constexpr std::string_view kLastHard =
    "SELECT COALESCE(MAX(epoch), 0) FROM sessions WHERE conversation_id = $1 AND epoch >= $2 "
    "AND epoch < $3 AND close_reason IN ('explicit_reset', 'cleared')";
constexpr std::string_view kInsert =
    "INSERT INTO sessions (" SESSION_COLUMNS
    ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)";
constexpr std::string_view kClose =
    "UPDATE sessions SET status = 'closed', close_reason = $2, closed_ms = $3 "
    "WHERE session_id = $1 AND status = 'active'";
constexpr std::string_view kTouch =
    "UPDATE sessions SET last_message_at = $2, last_user_ms = $3, last_inbound = $4 "
    "WHERE opened_by = $1 AND status = 'active'";
constexpr std::string_view kRecordTurn =
    "UPDATE sessions SET turn_count = $2, context_summary = $3, last_message_at = $4 "
    "WHERE opened_by = $1";
constexpr std::string_view kSetCloseSummary =
    "UPDATE sessions SET close_summary = $2 WHERE session_id = $1";
constexpr std::string_view kSetSummary =
    "UPDATE sessions SET context_summary = $2 WHERE session_id = $1 AND turn_count = $3";

Result<Session> from_row(const Row& row) {
  Session session;
  TRY(session.id, SessionId::parse(row.text(0)));
  TRY(session.workspace, WorkspaceId::parse(row.text(1)));
  session.key = {row.text(2), row.text(3)};
  session.active = row.text(4) == "active";
  session.turn_count = row.integer(5);
  session.context_summary = row.text(6);
  TRY(session.created, from_iso(row.text(7)));
  TRY(session.last_message, from_iso(row.text(8)));
  TRY(session.conversation, ConversationId::parse(row.text(9)));
  session.epoch = row.integer(10);
  session.opened_reason = row.text(11);
  session.opened_by = row.integer(12);
  session.close_reason = text_or_null(row, 13);
  session.closed = time_or_null(row, 14);
  session.last_user = time_or_null(row, 15);
  session.last_inbound = integer_or_null(row, 16);
  session.close_summary = text_or_null(row, 17);
  return session;
}

Result<std::vector<Session>> from_rows(const Rows& rows) {
  std::vector<Session> out;
  out.reserve(rows.size());
  for (const Row& row : rows) {
    TRY(auto session, from_row(row));
    out.push_back(std::move(session));
  }
  return out;
}

}  // namespace

ErrorInfo error_info(SessionErrc code) {
  if (code == SessionErrc::kNotFound) return {Kind::kNotFound, "session_not_found"};
  return {Kind::kForbidden, "workspace_mismatch"};
}

Result<std::optional<Session>> SessionTable::first(const Query& query) {
  TRY(const Rows rows, database_.read(query));
  if (rows.empty()) return std::optional<Session>();
  TRY(auto session, from_row(rows.front()));
  return std::optional(std::move(session));
}

Result<Session> SessionTable::get(const SessionId& id) {
  TRY(auto found, first({kById, {id.str()}}));
  if (found) return std::move(*found);
  return fail(SessionErrc::kNotFound, fmt::format("there is no session {}", id.str()));
}

Result<std::optional<Session>> SessionTable::find_active(const WorkspaceId& workspace,
                                                         const SessionKey& key) {
  return first({kActive, {workspace.str(), key.channel, key.peer}});
}

Result<std::optional<Session>> SessionTable::latest_of(const ConversationId& conversation) {
  return first({kLatest, {conversation.str()}});
}

Task<Result<std::vector<Session>>> SessionTable::list(WorkspaceId workspace,
                                                      std::optional<std::int64_t> before,
                                                      std::size_t limit) {
  Query query{kNewest, {workspace.str(), static_cast<std::int64_t>(limit)}, limit};
  if (before) {
    query.sql = kNewestBefore;
    query.params.emplace_back(*before);
  }
  CO_TRY(const Rows rows, co_await database_.read_page(std::move(query)));
  co_return from_rows(rows);
}

Task<Result<std::vector<Session>>> SessionTable::of_conversation(ConversationId conversation,
                                                                 std::int64_t from_epoch,
                                                                 std::size_t limit) {
  CO_TRY(const Rows rows, co_await database_.read_page(
                              {kOfConversation,
                               {conversation.str(), from_epoch, static_cast<std::int64_t>(limit)},
                               limit}));
  co_return from_rows(rows);
}

Result<std::int64_t> SessionTable::last_hard_boundary(const ConversationId& conversation,
                                                      std::int64_t from_epoch,
                                                      std::int64_t before_epoch) {
  TRY(const Rows rows, database_.read({kLastHard, {conversation.str(), from_epoch, before_epoch}}));
  return rows.front().integer(0);
}

Statement SessionTable::insert(const Session& s) {
  return {
      kInsert,
      {s.id.str(), s.workspace.str(), s.key.channel, s.key.peer, std::string(s.status()),
       s.turn_count, s.context_summary, to_iso(s.created), to_iso(s.last_message),
       s.conversation.str(), s.epoch, s.opened_reason, s.opened_by, or_null(s.close_reason),
       or_null(s.closed), or_null(s.last_user), or_null(s.last_inbound), or_null(s.close_summary)},
      1};
}

Statement SessionTable::close(const SessionId& id, std::string_view reason, WallTime now) {
  return {kClose, {id.str(), std::string(reason), now.unix_ms}, 1};
}

Statement SessionTable::touch(const Session& after) {
  return {kTouch,
          {after.opened_by, to_iso(after.last_message), or_null(after.last_user),
           or_null(after.last_inbound)},
          1};
}

Statement SessionTable::record_turn(const Session& after) {
  return {kRecordTurn,
          {after.opened_by, after.turn_count, after.context_summary, to_iso(after.last_message)},
          1};
}

Statement SessionTable::set_close_summary(const SessionId& id, std::string summary) {
  return {kSetCloseSummary, {id.str(), std::move(summary)}, 1};
}

Statement SessionTable::set_summary(const SessionId& id, std::string summary,
                                    std::int64_t turn_count) {
  return {kSetSummary, {id.str(), std::move(summary), turn_count}, {}};
}

}  // namespace rouse
