// The door of a WhatsApp bridge: POST /webhook/whatsapp (S1-40, docs/whatsapp.md). The gateway has
// checked the bridge's secret before a byte of the body is read (SC-5); without a secret there is
// no door.
#pragma once

#include "channel/whatsapp/whatsapp_door.h"
#include "gateway/route.h"

namespace rouse {

inline auto shape(const WhatsAppMessage*) {
  return fields(
      field("from", &WhatsAppMessage::from, "The chat it came from: the sender's, or the group's"),
      field("body", &WhatsAppMessage::body, "What was said"),
      field("chatType", &WhatsAppMessage::chat_type, "direct or group"),
      field("senderE164", &WhatsAppMessage::sender_e164, "The sender's number"),
      field("senderJid", &WhatsAppMessage::sender_jid, "The sender, when the number is not known"),
      field("accountId", &WhatsAppMessage::account_id, "Which account of the bridge")
          .length(0, 256),
      field("messageId", &WhatsAppMessage::message_id,
            "The bridge's id of the message; a redelivery gets the first answer again")
          .length(0, 256),
      field("fromMe", &WhatsAppMessage::from_me, "The bridge's own account said it: not taken"));
}

struct WebhookReply {
  bool ok = true;
  std::optional<std::string> session_id, decision, reason;
  std::string reply, delivery;
};
inline auto shape(const WebhookReply*) {
  return fields(
      field("ok", &WebhookReply::ok, "Always true"),
      field("session_id", &WebhookReply::session_id,
            "Where the message belongs; null when it was answered without one")
          .or_null(),
      field("decision", &WebhookReply::decision, "Whether it opened this session")
          .one_of({"new", "continue"}),
      field("reason", &WebhookReply::reason, "Why"),
      field("reply", &WebhookReply::reply, "What was answered"),
      field("delivery", &WebhookReply::delivery,
            "reply: bring it to the sender; outbox: it is posted to send_url, don't bring it twice")
          .one_of({"reply", "outbox"}));
}

struct WebhookLater {
  bool ok = true;
  std::string turn_id;
};
inline auto shape(const WebhookLater*) {
  return fields(field("ok", &WebhookLater::ok, "Always true"),
                field("turn_id", &WebhookLater::turn_id, "The turn that is still running"));
}

struct WebhookIgnored {
  bool ok = true, ignored = true;
};
inline auto shape(const WebhookIgnored*) {
  return fields(field("ok", &WebhookIgnored::ok, "Always true"),
                field("ignored", &WebhookIgnored::ignored, "Always true"));
}

class WhatsAppRoutes {
 public:
  explicit WhatsAppRoutes(WhatsAppDoor& door) : door_(door) {}
  void add_to(RouteTable& table);

 private:
  Task<Result<Response>> receive(WhatsAppMessage message);

  WhatsAppDoor& door_;
};

}  // namespace rouse
