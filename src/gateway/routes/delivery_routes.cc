#include "gateway/routes/delivery_routes.h"

#include "base/text.h"
#include "gateway/routes/asked_workspace.h"

namespace rouse {

DeliveryView view_of(Delivery d) {
  DeliveryView out{.id = d.id.str(),
                   .conversation_id = d.conversation.str(),
                   .turn_id = d.turn.str(),
                   .to = d.to.str(),
                   .account = std::move(d.account),
                   .text = std::move(d.text),
                   .state = std::move(d.state),
                   .attempts = d.attempts,
                   .receipt = std::move(d.receipt),
                   .error = std::move(d.error),
                   .created_at = to_iso(d.created)};
  if (out.state == "pending") out.next_try_at = to_iso(d.next_try);
  if (d.ended) out.ended_at = to_iso(*d.ended);
  return out;
}

void DeliveryRoutes::add_to(RouteTable& table) {
  table.add(answer<DeliveryPage>(
      {.pattern = "/api/deliveries",
       .summary = "Replies on their way to a channel, and what became of them",
       .tag = "bridges",
       .query = {workspace_parameter(),
                 {"state", "pending, sending, delivered, failed, unknown or expired; else all"},
                 {"limit", "How many, 1 to 200"},
                 {"cursor", "next_cursor of the page before"}}},
      [this](Call& call) { return list(call); }));
}

Task<Result<DeliveryPage>> DeliveryRoutes::list(Call& call) {
  CO_TRY(const auto workspace, asked_workspace(call, workspaces_));
  CO_TRY(const std::size_t limit, call.limit());
  const auto state = call.query("state");
  if (state && !DeliveryList::is_state(*state)) {
    co_return fail(Errc::kInvalid,
                   "'state' must be one of: pending, sending, delivered, failed, unknown, expired");
  }
  std::optional<OutboxId> before;
  if (const auto cursor = call.query("cursor")) {
    auto id = OutboxId::parse(*cursor);
    if (!id) {
      co_return fail(Errc::kInvalid, "'cursor' must be the next_cursor of the page before");
    }
    before = std::move(*id);
  }
  CO_TRY(auto found, co_await deliveries_.page(workspace, state, before, limit + 1));
  DeliveryPage out;
  const bool more = found.size() > limit;
  if (more) found.pop_back();
  for (Delivery& one : found) out.items.push_back(view_of(std::move(one)));
  if (more) out.next_cursor = out.items.back().id;
  co_return out;
}

}  // namespace rouse
