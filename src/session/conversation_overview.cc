#include "session/conversation_overview.h"

#include <charconv>
#include <limits>

#include "store/values.h"

namespace rouse {
namespace {

#define OVERVIEW_SELECT                                                               \
  "SELECT c.conversation_id, c.workspace_id, c.session_key, c.title, c.project_key, " \
  "c.agent_name, c.last_active_ms, c.created_ms, "                                    \
  "(SELECT COALESCE(MAX(m.seq), 0) FROM messages m WHERE m.conversation_id = "        \
  "c.conversation_id), s.session_id, s.status, s.turn_count, s.epoch "                \
  "FROM conversations c JOIN sessions s ON s.conversation_id = c.conversation_id "    \
  "AND s.epoch = (SELECT MAX(l.epoch) FROM sessions l WHERE l.conversation_id = "     \
  "c.conversation_id) "

constexpr std::string_view kOne =
    OVERVIEW_SELECT "WHERE c.conversation_id = $1 AND c.workspace_id = $2";
constexpr std::string_view kRecent = OVERVIEW_SELECT
    "WHERE c.workspace_id = $1 AND (c.last_active_ms, c.conversation_id) < ($2, $3) "
    "ORDER BY c.last_active_ms DESC, c.conversation_id DESC LIMIT $4";

Result<ConversationOverview> from_row(const Row& row) {
  ConversationOverview out;
  Conversation& c = out.conversation;
  TRY(c.id, ConversationId::parse(row.text(0)));
  TRY(c.workspace, WorkspaceId::parse(row.text(1)));
  TRY(c.key, SessionKey::parse(row.text(2)));
  c.title = row.text(3);
  c.project = text_or_null(row, 4);
  c.agent = text_or_null(row, 5);
  c.last_active = {row.integer(6)};
  c.created = {row.integer(7)};
  out.messages = row.integer(8);
  TRY(out.session, SessionId::parse(row.text(9)));
  out.session_status = row.text(10);
  out.session_turns = row.integer(11);
  out.session_epoch = row.integer(12);
  return out;
}

}  // namespace

std::string ConversationPlace::str() const { return fmt::format("{}.{}", last_active.unix_ms, id); }

Result<ConversationPlace> ConversationPlace::parse(std::string_view cursor) {
  ConversationPlace out;
  const std::string_view number = cursor.substr(0, cursor.find('.'));
  const char* end = number.data() + number.size();
  const auto [at, ec] = std::from_chars(number.data(), end, out.last_active.unix_ms);
  if (ec != std::errc() || at != end || number.size() == cursor.size()) {
    return fail(Errc::kInvalid, "'cursor' must be the next_cursor of the page before");
  }
  out.id = cursor.substr(number.size() + 1);
  return out;
}

Result<ConversationOverview> ConversationOverviews::of(const Conversation& conversation) {
  TRY(const Rows rows,
      database_.read({kOne, {conversation.id.str(), conversation.workspace.str()}}));
  if (!rows.empty()) return from_row(rows.front());
  return fail(ConversationErrc::kNotFound,
              fmt::format("there is no conversation {}", conversation.id.str()));
}

Task<Result<std::vector<ConversationOverview>>> ConversationOverviews::list(
    WorkspaceId workspace, std::optional<ConversationPlace> after, std::size_t limit) {
  const ConversationPlace place =
      after.value_or(ConversationPlace{{std::numeric_limits<std::int64_t>::max()}, ""});
  CO_TRY(const Rows rows,
         co_await database_.read_page({kRecent,
                                       {workspace.str(), place.last_active.unix_ms, place.id,
                                        static_cast<std::int64_t>(limit)},
                                       limit}));
  std::vector<ConversationOverview> out;
  out.reserve(rows.size());
  for (const Row& row : rows) {
    CO_TRY(auto one, from_row(row));
    out.push_back(std::move(one));
  }
  co_return out;
}

}  // namespace rouse
