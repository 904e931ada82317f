#include "session/outbox_rows.h"

#include "store/values.h"

namespace rouse {

Result<Delivery> delivery_from_row(const Row& row) {
  Delivery out;
  TRY(out.id, OutboxId::parse(row.text(0)));
  TRY(out.workspace, WorkspaceId::parse(row.text(1)));
  TRY(out.conversation, ConversationId::parse(row.text(2)));
  TRY(out.turn, TurnId::parse(row.text(3)));
  TRY(out.to, SessionKey::make(row.text(4), row.text(5)));
  out.account = row.text(6);
  out.text = row.text(7);
  out.state = row.text(8);
  out.attempts = row.integer(9);
  out.receipt = text_or_null(row, 10);
  out.error = text_or_null(row, 11);
  out.created = {row.integer(12)};
  out.next_try = {row.integer(13)};
  out.ended = time_or_null(row, 14);
  return out;
}

Result<std::vector<Delivery>> deliveries_from_rows(const Rows& rows) {
  std::vector<Delivery> out;
  out.reserve(rows.size());
  for (const Row& row : rows) {
    TRY(auto one, delivery_from_row(row));
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace rouse
