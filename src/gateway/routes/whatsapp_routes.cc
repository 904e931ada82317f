#include "gateway/routes/whatsapp_routes.h"

namespace rouse {
namespace {

Response response_of(WhatsAppReply reply) {
  WebhookReply out{.session_id = {},
                   .decision = std::move(reply.decision),
                   .reason = std::move(reply.reason),
                   .reply = std::move(reply.reply),
                   .delivery = reply.through_outbox ? "outbox" : "reply"};
  if (reply.session) out.session_id = reply.session->str();
  return json_text(200, encode_json(out));
}
Response response_of(const WhatsAppLater& later) {
  return json_text(202, encode_json(WebhookLater{.turn_id = later.turn.str()}));
}
Response response_of(const WhatsAppIgnored&) {
  return json_text(200, encode_json(WebhookIgnored{}));
}

}  // namespace

void WhatsAppRoutes::add_to(RouteTable& table) {
  Route route = exchange<WhatsAppMessage, Response>(
      {.method = "POST",
       .pattern = "/webhook/whatsapp",
       .access = Access::kBridge,
       .summary = "A message from a WhatsApp bridge; answers with the reply, or 202 while it works",
       .tag = "bridges",
       .bridge = "whatsapp"},
      [this](Call&, WhatsAppMessage message) { return receive(std::move(message)); });
  route.response_type = &kJsonType<WebhookReply>;
  table.add(std::move(route));
}

Task<Result<Response>> WhatsAppRoutes::receive(WhatsAppMessage message) {
  CO_TRY(WhatsAppAnswer answer, co_await door_.receive(std::move(message)));
  co_return std::visit([](auto&& one) { return response_of(std::move(one)); }, std::move(answer));
}

}  // namespace rouse
