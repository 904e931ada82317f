// What became of the replies that had to reach a channel: a fact apart from whether their turns ran
// well (DL-3).
#pragma once

#include "gateway/route.h"
#include "session/delivery_list.h"
#include "session/workspaces.h"

namespace rouse {

struct DeliveryView {
  std::string id, conversation_id, turn_id, to, account, text, state;
  std::int64_t attempts = 0;
  std::optional<std::string> receipt, error;
  std::string created_at;
  std::optional<std::string> next_try_at = {}, ended_at = {};
};
inline auto shape(const DeliveryView*) {
  return fields(
      field("id", &DeliveryView::id, "Its id, also the idempotency key the channel is given"),
      field("conversation_id", &DeliveryView::conversation_id, "Where it was said"),
      field("turn_id", &DeliveryView::turn_id, "The turn that said it"),
      field("to", &DeliveryView::to, "Who it is for, like whatsapp:+15550001234"),
      field("account", &DeliveryView::account, "Which account of the bridge"),
      field("text", &DeliveryView::text, "What is sent"),
      field("state", &DeliveryView::state, "What became of it")
          .one_of({"pending", "sending", "delivered", "failed", "unknown", "expired"}),
      field("attempts", &DeliveryView::attempts, "How often it was tried"),
      field("receipt", &DeliveryView::receipt, "What the channel calls the message").or_null(),
      field("error", &DeliveryView::error, "Why the last attempt failed").or_null(),
      field("created_at", &DeliveryView::created_at, "When it was said"),
      field("next_try_at", &DeliveryView::next_try_at, "When it is tried next, if it is pending")
          .or_null(),
      field("ended_at", &DeliveryView::ended_at, "When that was settled").or_null());
}
DeliveryView view_of(Delivery delivery);

struct DeliveryPage {
  std::vector<DeliveryView> items;
  std::optional<std::string> next_cursor;
};
inline auto shape(const DeliveryPage*) {
  return fields(
      field("items", &DeliveryPage::items, "One page, newest first"),
      field("next_cursor", &DeliveryPage::next_cursor, "Null on the last page").or_null());
}

class DeliveryRoutes {
 public:
  DeliveryRoutes(DeliveryList& deliveries, Workspaces& workspaces)
      : deliveries_(deliveries), workspaces_(workspaces) {}
  void add_to(RouteTable& table);

 private:
  Task<Result<DeliveryPage>> list(Call& call);

  DeliveryList& deliveries_;
  Workspaces& workspaces_;
};

}  // namespace rouse
