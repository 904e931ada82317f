// Brings replies to a WhatsApp bridge: one POST a reply to its send_url. The delivery's id goes
// along as idempotency key, so a bridge that sees one again can drop it.
//
// What is answered decides (docs/whatsapp.md): 2xx it took it; 408, 425, 429 and 5xx not now; any
// other status never. No connection: not now. A connection that broke or timed out after the
// request may have left: nobody can say.
#pragma once

#include <string>

#include "base/redact.h"
#include "channel/channel_sender.h"
#include "net/http_client.h"

namespace rouse {

struct WhatsAppSendOptions {
  std::string send_url;  // empty: replies only answer the webhook
  std::string secret;    // sent as x-bridge-secret; empty: not sent
  Millis deadline = seconds(20);
};

class WhatsAppSender final : public ChannelSender {
 public:
  explicit WhatsAppSender(HttpClient& client) : client_(client) {}
  void configure(WhatsAppSendOptions options) { options_ = std::move(options); }
  // What a bridge says is kept and shown: without these secrets in it (SC-10).
  void redact_with(const Redactor* redactor) { redactor_ = redactor; }

  [[nodiscard]] bool serves(std::string_view channel) const override;
  Task<SendOutcome> send(Delivery delivery, std::stop_token stop) override;

 private:
  [[nodiscard]] ClientRequest request_for(const Delivery& delivery) const;
  [[nodiscard]] SendOutcome by_status(const ClientResponse& response) const;
  [[nodiscard]] std::string clean(std::string text) const;

  HttpClient& client_;
  const Redactor* redactor_ = nullptr;
  WhatsAppSendOptions options_;
};

}  // namespace rouse
