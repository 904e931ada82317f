#include "channel/whatsapp/whatsapp_sender.h"

#include "base/json.h"
#include "base/text.h"
#include "channel/http_outcome.h"

namespace rouse {
namespace {

constexpr std::size_t kAnswerBytes = 16 * 1024;  // of a bridge's answer; the rest is not looked at
constexpr std::size_t kReceiptBytes = 256;

struct SendRequestBody {
  std::string to, text, account_id, idempotency_key;
};
auto shape(const SendRequestBody*) {
  return fields(field("to", &SendRequestBody::to, ""), field("text", &SendRequestBody::text, ""),
                field("accountId", &SendRequestBody::account_id, ""),
                field("idempotencyKey", &SendRequestBody::idempotency_key, ""));
}

struct SendAnswerBody {
  std::optional<std::string> id, message_id;
};
auto shape(const SendAnswerBody*) {
  return fields(field("id", &SendAnswerBody::id, ""),
                field("messageId", &SendAnswerBody::message_id, ""));
}

// Whatever a bridge answers beside its status is a courtesy: without a receipt it is as good.
std::optional<std::string> receipt_of(std::string_view body) {
  const auto answer = decode_json<SendAnswerBody>(body);
  if (!answer) return std::nullopt;
  const auto& id = answer->id ? answer->id : answer->message_id;
  if (!id || id->empty()) return std::nullopt;
  return id;
}

}  // namespace

bool WhatsAppSender::serves(std::string_view channel) const {
  return channel == "whatsapp" && !options_.send_url.empty();
}

ClientRequest WhatsAppSender::request_for(const Delivery& delivery) const {
  ClientRequest request;
  request.method = "POST";
  request.url = options_.send_url;
  request.headers = {{"Content-Type", "application/json"}, {"Idempotency-Key", delivery.id.str()}};
  if (!options_.secret.empty()) request.headers.emplace_back("x-bridge-secret", options_.secret);
  request.body = encode_json(SendRequestBody{.to = delivery.to.peer,
                                             .text = delivery.text,
                                             .account_id = delivery.account,
                                             .idempotency_key = delivery.id.str()});
  request.deadline = options_.deadline;
  request.idle_deadline = options_.deadline;
  return request;
}

std::string WhatsAppSender::clean(std::string text) const {
  return redactor_ == nullptr ? text : redactor_->redact(text);
}

SendOutcome WhatsAppSender::by_status(const ClientResponse& response) const {
  SendOutcome out = outcome_of_status(response, "the bridge");
  if (out.kind != SendOutcome::Kind::kDelivered) return out;
  out.receipt = receipt_of(response.body);
  if (out.receipt) out.receipt = utf8_prefix(clean(*std::move(out.receipt)), kReceiptBytes);
  return out;
}

// The status alone decides, so it counts even if the body behind it never comes.
Task<SendOutcome> WhatsAppSender::send(Delivery delivery, std::stop_token stop) {
  if (stop.stop_requested()) co_return SendOutcome::not_yet("rouse is stopping");
  ClientResponse seen;
  const auto on_head = [&seen](const ClientResponse& head) -> Result<void> {
    seen = head;
    return {};
  };
  const auto on_chunk = [&seen](std::string_view chunk) -> Result<void> {
    const std::size_t room = kAnswerBytes - std::min(kAnswerBytes, seen.body.size());
    seen.body.append(chunk.substr(0, room));
    return {};
  };
  const auto answer = co_await client_.stream(request_for(delivery), on_head, on_chunk, stop);
  if (seen.status != 0) co_return by_status(seen);
  if (answer) co_return by_status(*answer);
  const Error& error = answer.error();
  co_return never_left(error) ? SendOutcome::not_yet(clean(error.message))
                              : SendOutcome::unknown(clean(error.message));
}

}  // namespace rouse
