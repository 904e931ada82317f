#include "session/conversation_overview.h"

#include <charconv>
#include <limits>

#include "base/json.h"
#include "base/text.h"
#include "store/values.h"

namespace rouse {
namespace {

// The beginning of what was said last is enough for a line; of a turn that ended in the middle of
// its work the newest messages may all be tools', and no list looks further back than so many.
#define LAST_SEQ \
  "(SELECT COALESCE(MAX(l.seq), 0) FROM messages l WHERE l.conversation_id = c.conversation_id)"
#define SAID_TO_A_PERSON                                                                     \
  "(v.role = 'assistant' OR v.role = 'user' AND COALESCE((SELECT t.kind FROM turns t WHERE " \
  "t.turn_id = v.turn_id), 'user') = 'user') AND v.content LIKE '%\"type\":\"text\"%'"

#define OVERVIEW_SELECT                                                                     \
  "SELECT c.conversation_id, c.workspace_id, c.session_key, c.title, c.project_key, "       \
  "c.agent_name, c.last_active_ms, c.created_ms, " LAST_SEQ                                 \
  ", s.session_id, s.status, s.turn_count, s.epoch, c.pinned_ms, c.model, c.seen_seq, "     \
  "(SELECT COUNT(*) FROM jobs j WHERE j.workspace_id = c.workspace_id AND j.session_key = " \
  "c.session_key AND j.kind = 'bound' AND j.state <> 'removed' AND j.state <> 'done'), "    \
  "SUBSTR(m.content, 1, 2000), m.created_ms "                                               \
  "FROM conversations c JOIN sessions s ON s.conversation_id = c.conversation_id "          \
  "AND s.epoch = (SELECT MAX(l.epoch) FROM sessions l WHERE l.conversation_id = "           \
  "c.conversation_id) LEFT JOIN messages m ON m.conversation_id = c.conversation_id "       \
  "AND m.seq = (SELECT v.seq FROM messages v WHERE v.conversation_id = c.conversation_id "  \
  "AND v.seq > " LAST_SEQ " - 40 AND " SAID_TO_A_PERSON " ORDER BY v.seq DESC LIMIT 1) "

constexpr std::string_view kOne =
    OVERVIEW_SELECT "WHERE c.conversation_id = $1 AND c.workspace_id = $2";
constexpr std::string_view kRecent = OVERVIEW_SELECT
    "WHERE c.workspace_id = $1 AND (c.last_active_ms, c.conversation_id) < ($2, $3) "
    "ORDER BY c.last_active_ms DESC, c.conversation_id DESC LIMIT $4";
constexpr std::string_view kPinned = OVERVIEW_SELECT
    "WHERE c.workspace_id = $1 AND c.pinned_ms IS NOT NULL "
    "AND (c.last_active_ms, c.conversation_id) < ($2, $3) "
    "ORDER BY c.last_active_ms DESC, c.conversation_id DESC LIMIT $4";

// The text that begins here, without its quotes: up to the quote that ends it, or all there is.
std::string_view until_quote(std::string_view json) {
  std::size_t end = 0;
  while (end < json.size() && json[end] != '"') end += json[end] == '\\' ? 2 : 1;
  return json.substr(0, end);
}

// Cut off in the middle of an escape it can't be read: then a little less of it can.
std::string unescaped(std::string_view text) {
  constexpr int kLongestEscape = 12;  // a pair of surrogates
  for (int i = 0; i <= kLongestEscape && !text.empty(); ++i, text.remove_suffix(1)) {
    if (auto read = decode_json<std::string>(fmt::format("\"{}\"", text))) return std::move(*read);
  }
  return {};
}

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
  c.pinned = time_or_null(row, 13);
  c.model = text_or_null(row, 14);
  c.seen_seq = row.integer(15);
  out.automations = row.integer(16);
  out.last_message = preview_of(text_or_null(row, 17).value_or(""));
  out.last_message_at = time_or_null(row, 18);
  return out;
}

}  // namespace

std::string preview_of(std::string_view stored_content) {
  constexpr std::string_view kBlock = R"("type":"text")", kText = R"("text":")";
  const std::size_t block = stored_content.find(kBlock);
  if (block == std::string_view::npos) return {};
  const std::size_t text = stored_content.find(kText, block + kBlock.size());
  if (text == std::string_view::npos) return {};
  const std::string words = unescaped(until_quote(stored_content.substr(text + kText.size())));
  std::string out;
  std::size_t characters = 0;
  for (const char c : trim(words)) {
    const bool space = static_cast<unsigned char>(c) <= 0x20;
    if (space && out.ends_with(' ')) continue;
    const bool begins = begins_character(c);
    if (begins && ++characters > kPreviewCharacters) {
      // The last one makes room for the sign that there is more.
      while (!begins_character(out.back())) out.pop_back();
      out.pop_back();
      return out + "…";
    }
    out += space ? ' ' : c;
  }
  return out;
}

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
    WorkspaceId workspace, std::optional<ConversationPlace> after, std::size_t limit,
    Listed which) {
  const ConversationPlace place =
      after.value_or(ConversationPlace{{std::numeric_limits<std::int64_t>::max()}, ""});
  CO_TRY(const Rows rows,
         co_await database_.read_page({which == Listed::kPinned ? kPinned : kRecent,
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
