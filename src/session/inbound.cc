#include "session/inbound.h"

#include "store/values.h"

namespace rouse {
namespace {

#define INBOUND_COLUMNS                                                                         \
  "number, previous, workspace_id, conversation_id, session_id, channel, account, message_id, " \
  "content, decision, reason, facts, turn_id, received_ms, peer, meta"

constexpr std::string_view kAppend =
    "INSERT INTO inbound (" INBOUND_COLUMNS
    ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)";
constexpr std::string_view kTake =
    "UPDATE inbound SET content = NULL, turn_id = $2 WHERE number = $1 AND content IS NOT NULL";
constexpr std::string_view kByMessage =
    "SELECT " INBOUND_COLUMNS
    " FROM inbound WHERE workspace_id = $1 AND channel = $2 AND account = $3 AND message_id = $4";
constexpr std::string_view kByNumber = "SELECT " INBOUND_COLUMNS " FROM inbound WHERE number = $1";
Result<InboundRow> from_row(const Row& row) {
  InboundRow out;
  out.number = row.integer(0);
  out.previous = integer_or_null(row, 1);
  TRY(out.workspace, WorkspaceId::parse(row.text(2)));
  TRY(out.conversation, ConversationId::parse(row.text(3)));
  TRY(out.session, SessionId::parse(row.text(4)));
  out.channel = row.text(5);
  out.account = row.text(6);
  out.message_id = text_or_null(row, 7);
  if (!row.is_null(8)) {
    TRY(out.content, decode_content(row.text(8)));
  }
  out.decision = row.text(9);
  out.reason = row.text(10);
  out.facts = row.text(11);
  if (!row.is_null(12)) {
    TRY(out.turn, TurnId::parse(row.text(12)));
  }
  out.received = {row.integer(13)};
  out.peer = text_or_null(row, 14);
  out.meta = text_or_null(row, 15);
  return out;
}

}  // namespace

Statement InboundLedger::append(const InboundRow& r) {
  return {kAppend,
          {r.number, or_null(r.previous), r.workspace.str(), r.conversation.str(), r.session.str(),
           r.channel, r.account, or_null(r.message_id),
           r.content ? Value(encode_content(*r.content)) : Value(std::monostate{}), r.decision,
           r.reason, r.facts, r.turn ? Value(r.turn->str()) : Value(std::monostate{}),
           r.received.unix_ms, or_null(r.peer), or_null(r.meta)},
          1};
}

Statement InboundLedger::take(std::int64_t number, const TurnId& turn) {
  return {kTake, {number, turn.str()}, 1};
}

Result<std::optional<InboundRow>> InboundLedger::find(const WorkspaceId& workspace,
                                                      const std::string& channel,
                                                      const std::string& account,
                                                      const std::string& message_id) {
  TRY(const Rows rows,
      database_.read({kByMessage, {workspace.str(), channel, account, message_id}}));
  if (rows.empty()) return std::optional<InboundRow>();
  TRY(auto row, from_row(rows.front()));
  return std::optional(std::move(row));
}

Result<std::optional<InboundRow>> InboundLedger::get(std::int64_t number) {
  TRY(const Rows rows, database_.read({kByNumber, {number}}));
  if (rows.empty()) return std::optional<InboundRow>();
  TRY(auto row, from_row(rows.front()));
  return std::optional(std::move(row));
}

}  // namespace rouse
