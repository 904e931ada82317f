#include "session/delivery_list.h"

#include <algorithm>
#include <array>

#include "session/outbox_rows.h"

namespace rouse {
namespace {

constexpr std::array<std::string_view, 6> kStates{"pending", "sending", "delivered",
                                                  "failed",  "unknown", "expired"};
constexpr std::string_view kAfterAllIds = "out_~";  // '~' stands behind every letter of an id

constexpr std::string_view kPage =
    "SELECT " OUTBOX_COLUMNS
    " FROM outbox WHERE workspace_id = $1 AND outbox_id < $2 AND ($3 = '' OR state = $3) "
    "ORDER BY outbox_id DESC LIMIT $4";
// The plus keeps SQLite from walking all of them in their order: the open ones have an index.
constexpr std::string_view kUnfinished =
    "SELECT " OUTBOX_COLUMNS
    " FROM outbox WHERE state IN ('pending', 'sending') ORDER BY +outbox_id LIMIT $1";

}  // namespace

bool DeliveryList::is_state(std::string_view word) {
  return std::ranges::find(kStates, word) != kStates.end();
}

Task<Result<std::vector<Delivery>>> DeliveryList::page(WorkspaceId workspace,
                                                       std::optional<std::string> state,
                                                       std::optional<OutboxId> before,
                                                       std::size_t limit) {
  CO_TRY(const Rows rows, co_await database_.read_page(
                              {kPage,
                               {workspace.str(), before ? before->str() : std::string(kAfterAllIds),
                                state.value_or(""), static_cast<std::int64_t>(limit)},
                               limit}));
  co_return deliveries_from_rows(rows);
}

Result<std::vector<Delivery>> DeliveryList::unfinished(std::size_t limit) {
  TRY(const Rows rows, database_.read({kUnfinished, {static_cast<std::int64_t>(limit)}, limit}));
  return deliveries_from_rows(rows);
}

}  // namespace rouse
