#include "channel/notify/notify_sender.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "channel/http_outcome.h"
#include "channel/outbox_sender.h"
#include "net/address.h"
#include "net/url.h"
#include "session/workspaces.h"

namespace rouse {
namespace {

constexpr std::size_t kPushTextBytes = 1'500;
constexpr std::size_t kTopicBytes = 24;  // 32 letters, as many as a push service takes

bool is_ascii_line(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7F; });
}

// A header takes letters of ASCII only; ntfy reads the encoded words of RFC 2047.
std::string header_text(std::string_view text) {
  return is_ascii_line(text) ? std::string(text) : fmt::format("=?UTF-8?B?{}?=", to_base64(text));
}

std::string_view tag_of(const NotificationParcel& parcel) {
  if (parcel.untrusted.value_or(false)) return "warning";
  if (parcel.kind == "heartbeat") return "heartbeat";
  if (parcel.kind == "approval") return "raised_hand";
  return parcel.kind == "automation" ? "alarm_clock" : "speech_balloon";
}

bool is_here(const Url& url) { return url.host == "localhost" || is_loopback(url.host); }

}  // namespace

bool is_on_this_machine(std::string_view endpoint) {
  const auto url = parse_url(endpoint);
  return url && is_here(*url);
}

Result<void> check_push_endpoint(std::string_view endpoint, const WorkspaceId& workspace) {
  TRY(const Url url, parse_url(endpoint));
  const bool own = workspace == Workspaces::default_id();
  if (is_here(url) ? own : url.https) return {};
  return fail(Errc::kInvalid, "'endpoint' must be an https:// address");
}

bool NotifySender::serves(std::string_view channel) const {
  constexpr std::array kServed{kNotifyNtfy, kNotifyWebhook, kNotifyDesktop, kNotifyPush,
                               kNotifyConversation};
  return std::ranges::find(kServed, channel) != kServed.end();
}

std::string NotifySender::link_to(const NotificationParcel& parcel) const {
  std::string out = settings_.public_url;
  while (out.ends_with('/')) out.pop_back();  // the path begins with one
  return out.empty() ? out : out + parcel.url;
}

// --- what is sent --------------------------------------------------------------------------------

ClientRequest NotifySender::to_ntfy(const NotifyPlace& place,
                                    const NotificationParcel& parcel) const {
  ClientRequest out;
  out.url = place.url + (place.url.ends_with('/') ? "" : "/") + percent_encode(place.topic);
  out.body = parcel.text.empty() ? parcel.subject : parcel.text;
  out.headers = {{"Content-Type", "text/plain; charset=utf-8"},
                 {"Tags", std::string(tag_of(parcel))}};
  if (!parcel.subject.empty()) out.headers.emplace_back("Title", header_text(parcel.subject));
  if (parcel.kind == "approval") out.headers.emplace_back("Priority", "high");
  if (const std::string link = link_to(parcel); !link.empty()) {
    out.headers.emplace_back("Click", link);
  }
  if (!place.secret.empty()) out.headers.emplace_back("Authorization", "Bearer " + place.secret);
  return out;
}

// The body is what stands in the outbox, so every try says the same.
ClientRequest NotifySender::to_webhook(const NotifyPlace& place, const Delivery& delivery) const {
  ClientRequest out;
  out.url = place.url;
  out.body = delivery.text;
  const std::string now = std::to_string(parts_.clock.wall_now().unix_ms / 1000);
  out.headers = {
      {"Content-Type", "application/json"},
      {"Idempotency-Key", delivery.id.str()},
      {"x-rouse-timestamp", now},
      {"x-rouse-signature", "v1=" + to_hex(hmac_sha256(place.secret, now + "." + out.body))}};
  return out;
}

Result<ClientRequest> NotifySender::to_browser(const PushSubscription& browser,
                                               const Delivery& delivery,
                                               NotificationParcel parcel) {
  TRY_VOID(check_push_endpoint(browser.endpoint, browser.workspace));
  TRY(const Url url, parse_url(browser.endpoint));
  TRY(const PushKeyPair keys, parts_.keys.get());
  const WallTime now = parts_.clock.wall_now();
  const std::string audience =
      fmt::format("{}://{}", url.https ? "https" : "http", url.host_header());
  ClientRequest out;
  out.url = browser.endpoint;
  parcel.text = utf8_prefix(parcel.text, kPushTextBytes);
  std::string payload = encode_json(parcel);
  if (payload.size() > kPushPayloadBytes) {  // letters that JSON writes at length
    parcel.text.clear();
    payload = encode_json(parcel);
  }
  TRY(out.body, encrypt_push({browser.p256dh, browser.auth}, payload, parts_.random));
  TRY(const std::string authorization, vapid_header(keys, audience, settings_.contact, now));
  const Millis left = std::max(delivery.created + kDeliveryLife - now, Millis{0});
  out.headers = {{"Content-Type", "application/octet-stream"},
                 {"Content-Encoding", "aes128gcm"},
                 {"TTL", std::to_string(left.count / 1000)},
                 {"Urgency", parcel.kind == "approval" ? "high" : "normal"},
                 // The same one again takes the place of the first.
                 {"Topic", to_base64url(sha256(delivery.id.str()).substr(0, kTopicBytes))},
                 {"Authorization", authorization}};
  // Nobody's endpoint leads into the house's network; the owner's may lead to this machine (SC-7).
  out.allow_address = is_here(url) ? is_loopback : parts_.is_public;
  return out;
}

// --- sending it ----------------------------------------------------------------------------------

// The status alone decides: nothing of the body is kept.
Task<SendOutcome> NotifySender::post(ClientRequest request, Again again, int& status,
                                     std::stop_token stop) {
  request.method = "POST";
  request.deadline = request.idle_deadline = settings_.deadline;
  ClientResponse seen;
  const auto on_head = [&seen](const ClientResponse& head) -> Result<void> {
    seen = head;
    return {};
  };
  const auto on_chunk = [](std::string_view) -> Result<void> { return {}; };
  const auto answer =
      co_await parts_.client.stream(std::move(request), on_head, on_chunk, std::move(stop));
  status = seen.status;
  if (seen.status != 0) co_return outcome_of_status(seen, "the place");
  if (answer) co_return outcome_of_status(*answer, "the place");
  const Error& error = answer.error();
  if (error.is(ClientErrc::kBlocked)) {  // which address it is would tell of the network here
    co_return SendOutcome::refused("the place is not on the public internet");
  }
  const std::string words =
      parts_.redactor == nullptr ? error.message : parts_.redactor->redact(error.message);
  if (error.is(ClientErrc::kBadUrl)) co_return SendOutcome::refused(words);
  co_return again == Again::kHarmless || never_left(error) ? SendOutcome::not_yet(words)
                                                           : SendOutcome::unknown(words);
}

Task<SendOutcome> NotifySender::push(Delivery delivery, NotificationParcel parcel,
                                     std::stop_token stop) {
  const auto browser = parts_.subscriptions.get(delivery.to.peer);
  if (!browser) co_return SendOutcome::not_yet(browser.error().message);
  if (!*browser) co_return SendOutcome::refused("the browser has unsubscribed");
  auto request = to_browser(**browser, delivery, std::move(parcel));
  if (!request) co_return SendOutcome::refused(request.error().message);
  int status = 0;
  const SendOutcome outcome =
      co_await post(std::move(*request), Again::kHarmless, status, std::move(stop));
  if (status == 404 || status == 410) {
    (void)co_await parts_.subscriptions.remove(delivery.workspace, (*browser)->id);
    co_return SendOutcome::refused("the browser has unsubscribed");
  }
  if (outcome.kind == SendOutcome::Kind::kDelivered) {
    (void)co_await parts_.subscriptions.worked((*browser)->id);
  }
  co_return outcome;
}

// How long the place is still not to be disturbed at that time. These hours are the owner's.
std::optional<Millis> NotifySender::quiet_for(const Delivery& delivery, WallTime at) const {
  const auto found = settings_.places.find(delivery.account);
  const bool none = found == settings_.places.end() || !found->second.quiet ||
                    found->second.channel != delivery.to.channel ||
                    delivery.workspace != Workspaces::default_id();
  if (none || is_notification_test(delivery)) return std::nullopt;
  const NotifyPlace& place = found->second;
  if (!is_within(*place.quiet, place.zone, at)) return std::nullopt;
  return end_of_hours(*place.quiet, place.zone, at) - at;
}

// When it was said its first try was put behind the quiet hours; but it may have been held up.
Task<SendOutcome> NotifySender::send(Delivery delivery, std::stop_token stop) {
  if (stop.stop_requested()) co_return SendOutcome::not_yet("rouse is stopping");
  if (const auto wait = quiet_for(delivery, parts_.clock.wall_now())) {
    co_return SendOutcome::not_yet("it waits for the end of the quiet hours", wait);
  }
  SendOutcome outcome = co_await send_now(delivery, std::move(stop));
  if (outcome.kind != SendOutcome::Kind::kNotYet) co_return outcome;
  // A next try within them would be a lost one.
  const Millis pause =
      std::max(delivery_backoff(delivery.attempts), outcome.retry_after.value_or(Millis{0}));
  const auto wait = quiet_for(delivery, parts_.clock.wall_now() + pause);
  if (wait) outcome.retry_after = pause + *wait;
  co_return outcome;
}

Task<SendOutcome> NotifySender::send_now(Delivery delivery, std::stop_token stop) {
  auto parcel = decode_json<NotificationParcel>(delivery.text);
  if (!parcel) co_return SendOutcome::refused("what was to be sent can't be read any more");
  const std::string channel = delivery.to.channel;
  if (channel == kNotifyPush) {
    co_return co_await push(std::move(delivery), std::move(*parcel), std::move(stop));
  }
  const auto found = settings_.places.find(delivery.to.peer);
  if (found == settings_.places.end()) {
    co_return SendOutcome::refused(fmt::format(
        "there is no target '{}' that works in notifications.targets any more", delivery.to.peer));
  }
  if (found->second.channel != channel) {  // the words and the secret were meant for another place
    co_return SendOutcome::refused(
        fmt::format("the target '{}' is of another type now", delivery.to.peer));
  }
  const NotifyPlace place = found->second;
  if (channel == kNotifyDesktop) {
    co_return co_await parts_.desktop.show(std::move(*parcel), std::move(stop));
  }
  if (channel == kNotifyConversation) {
    co_return co_await parts_.speaker.say(std::move(delivery), std::move(*parcel),
                                          place.session_key);
  }
  int status = 0;
  const bool ntfy = channel == kNotifyNtfy;
  co_return co_await post(ntfy ? to_ntfy(place, *parcel) : to_webhook(place, delivery),
                          ntfy ? Again::kTwice : Again::kHarmless, status, std::move(stop));
}

}  // namespace rouse
