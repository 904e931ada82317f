#include "channel/notify/spoken_notifications.h"

#include <fmt/format.h>

namespace rouse {
namespace {

constexpr std::string_view kMessagePrefix = "notification:";
constexpr std::string_view kText = "SELECT text FROM outbox WHERE outbox_id = $1";
constexpr std::string_view kGone = "(What was to be said here is not kept any more.)";
constexpr int kRouteLookedAt = 20;

std::string words_of(const NotificationParcel& parcel) {
  if (parcel.text.empty()) return parcel.subject;
  return parcel.subject.empty() ? parcel.text : parcel.subject + "\n\n" + parcel.text;
}

}  // namespace

// It goes back the way the conversation's last message came.
Result<InboundMessage> SpokenNotifications::message_for(const Delivery& delivery,
                                                        const NotificationParcel& parcel,
                                                        const std::string& session_key) {
  InboundMessage out{
      .workspace = delivery.workspace,
      .key = {},
      .account = {},
      .message_id = std::string(kMessagePrefix) + delivery.id.str(),
      .content = text_content(
          parcel.kind.empty() ? "Notification" : fmt::format("Notification ({})", parcel.kind),
          parcel.untrusted.value_or(false) ? kFromUntrusted : kFromAgent),
      .kind = TurnKind::kAutomation,
      .heeds_reset_phrases = false};
  out.keeps_key = true;
  TRY(out.key, SessionKey::parse(session_key));
  out.account = out.key.peer;
  TRY(const auto conversation, kernel_.conversations().find(delivery.workspace, out.key));
  if (!conversation) {
    if (!is_bridged(out.key.channel)) return out;  // it begins here
    return fail(Errc::kNotFound, fmt::format("there is no conversation {}", session_key));
  }
  TRY(const auto session, kernel_.sessions().latest_of(conversation->id));
  auto at = session ? session->last_inbound : std::nullopt;
  const bool unified = out.key == SessionKey::unified();
  for (int i = 0; at && i < kRouteLookedAt; ++i) {
    TRY(const auto row, kernel_.inbound().get(*at));
    if (!row) break;
    at = row->previous;
    if (!unified && row->channel != out.key.channel) continue;
    if (row->channel == turn_kind_name(TurnKind::kSessionOpen)) continue;  // nobody wrote
    out.account = row->account;
    out.peer = row->peer;
    if (unified) out.transport = row->channel;
    break;
  }
  return out;
}

Task<SendOutcome> SpokenNotifications::say(Delivery delivery, NotificationParcel parcel,
                                           std::string session_key) {
  auto message = message_for(delivery, parcel, session_key);
  if (!message) {
    const bool for_good = message.error().is(Errc::kNotFound) || message.error().is(Errc::kInvalid);
    co_return for_good ? SendOutcome::refused(message.error().message)
                       : SendOutcome::not_yet(message.error().message);
  }
  const auto there = kernel_.conversations().find(delivery.workspace, message->key);
  if (there && *there && parcel.heard_in == (*there)->id.str()) {
    co_return SendOutcome::delivered({});  // its own answer: it was said there
  }
  const auto submitted = co_await runner_.submit(std::move(*message));
  if (!submitted) co_return SendOutcome::not_yet(submitted.error().message);
  const auto& turn = submitted->resolved.turn;
  co_return SendOutcome::delivered(turn ? std::optional(turn->str()) : std::nullopt);
}

Result<std::optional<std::string>> SpokenNotifications::words_of(const Turn& turn) {
  if (turn.kind != TurnKind::kAutomation || !turn.inbound) return std::optional<std::string>();
  TRY(const auto row, kernel_.inbound().get(*turn.inbound));
  if (!row || !row->message_id || !row->message_id->starts_with(kMessagePrefix)) {
    return std::optional<std::string>();
  }
  TRY(const Rows kept, database_.read({kText, {row->message_id->substr(kMessagePrefix.size())}}));
  if (kept.empty()) return std::optional(std::string(kGone));
  const auto parcel = decode_json<NotificationParcel>(kept.front().text(0));
  return std::optional(parcel ? rouse::words_of(*parcel) : std::string(kGone));
}

Result<std::optional<Occasion>> SpokenNotifications::of_turn(const Turn& turn) {
  TRY(auto words, words_of(turn));
  if (!words) {
    if (next_ == nullptr) return std::optional<Occasion>();
    return next_->of_turn(turn);
  }
  Occasion out;
  out.ready = std::move(*words);
  return std::optional(std::move(out));
}

OccasionEnd SpokenNotifications::closing(const Turn& turn, OccasionEnd end,
                                         const std::string& error) {
  return next_ == nullptr ? end : next_->closing(turn, std::move(end), error);
}

}  // namespace rouse
