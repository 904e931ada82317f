// A row of the outbox as a value, for those who read the table: the outbox itself and the list of
// deliveries.
#pragma once

#include "session/outbox.h"

namespace rouse {

#define OUTBOX_COLUMNS                                                                       \
  "outbox_id, workspace_id, conversation_id, turn_id, channel, peer, account, text, state, " \
  "attempts, receipt, error, created_ms, next_ms, ended_ms"

Result<Delivery> delivery_from_row(const Row& row);
Result<std::vector<Delivery>> deliveries_from_rows(const Rows& rows);

}  // namespace rouse
