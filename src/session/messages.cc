#include "session/messages.h"

#include <limits>

#include "store/values.h"

namespace rouse {
namespace {

#define MESSAGE_COLUMNS \
  "position, conversation_id, seq, session_id, turn_id, role, source, content, created_ms, meta"

constexpr std::string_view kAppend =
    "INSERT INTO messages (" MESSAGE_COLUMNS ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
constexpr std::string_view kLastSeq =
    "SELECT COALESCE(MAX(seq), 0) FROM messages WHERE conversation_id = $1";
constexpr std::string_view kBefore = "SELECT " MESSAGE_COLUMNS
                                     " FROM messages WHERE conversation_id = $1 AND seq < $2 "
                                     "ORDER BY seq DESC LIMIT $3";
constexpr std::string_view kAfter = "SELECT " MESSAGE_COLUMNS
                                    " FROM messages WHERE conversation_id = $1 AND seq > $2 "
                                    "ORDER BY seq LIMIT $3";

constexpr std::string_view kAt =
    "SELECT " MESSAGE_COLUMNS " FROM messages WHERE conversation_id = $1 AND seq = $2";

Result<Message> from_row(const Row& row) {
  Message out;
  out.position = row.integer(0);
  TRY(out.conversation, ConversationId::parse(row.text(1)));
  out.seq = row.integer(2);
  TRY(out.session, SessionId::parse(row.text(3)));
  if (!row.is_null(4)) {
    TRY(out.turn, TurnId::parse(row.text(4)));
  }
  out.role = row.text(5);
  out.source = row.text(6);
  TRY(out.content, decode_content(row.text(7)));
  out.created = {row.integer(8)};
  out.meta = text_or_null(row, 9);
  return out;
}

Result<std::vector<Message>> from_rows(const Rows& rows) {
  std::vector<Message> out;
  out.reserve(rows.size());
  for (const Row& row : rows) {
    TRY(auto message, from_row(row));
    out.push_back(std::move(message));
  }
  return out;
}

}  // namespace

Statement Messages::append(const Message& m) {
  return {kAppend,
          {m.position, m.conversation.str(), m.seq, m.session.str(),
           m.turn ? Value(m.turn->str()) : Value(std::monostate{}), m.role, m.source,
           encode_content(m.content), m.created.unix_ms, or_null(m.meta)},
          1};
}

Result<std::int64_t> Messages::last_seq(const ConversationId& conversation) {
  TRY(const Rows rows, database_.read({kLastSeq, {conversation.str()}}));
  return rows.front().integer(0);
}

Result<std::optional<Message>> Messages::at(const ConversationId& conversation, std::int64_t seq) {
  TRY(const Rows rows, database_.read({kAt, {conversation.str(), seq}}));
  if (rows.empty()) return std::optional<Message>();
  TRY(auto message, from_row(rows.front()));
  return std::optional(std::move(message));
}

Result<std::vector<Message>> Messages::tail(const ConversationId& conversation,
                                            std::optional<std::int64_t> before, std::size_t limit) {
  const std::int64_t end = before.value_or(std::numeric_limits<std::int64_t>::max());
  TRY(const Rows rows, database_.read({kBefore,
                                       {conversation.str(), end, static_cast<std::int64_t>(limit)},
                                       limit,
                                       kTailBytes}));
  return from_rows(rows);
}

Task<Result<std::vector<Message>>> Messages::before(ConversationId conversation,
                                                    std::optional<std::int64_t> seq,
                                                    std::size_t limit) {
  const std::int64_t end = seq.value_or(std::numeric_limits<std::int64_t>::max());
  CO_TRY(const Rows rows,
         co_await database_.read_page({kBefore,
                                       {conversation.str(), end, static_cast<std::int64_t>(limit)},
                                       limit,
                                       kPageBytes}));
  co_return from_rows(rows);
}

Task<Result<std::vector<Message>>> Messages::after(ConversationId conversation, std::int64_t seq,
                                                   std::size_t limit) {
  CO_TRY(const Rows rows,
         co_await database_.read_page({kAfter,
                                       {conversation.str(), seq, static_cast<std::int64_t>(limit)},
                                       limit,
                                       kPageBytes}));
  co_return from_rows(rows);
}

}  // namespace rouse
