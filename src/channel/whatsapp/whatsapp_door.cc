#include "channel/whatsapp/whatsapp_door.h"

#include <algorithm>

#include "base/arithmetic.h"
#include "base/text.h"
#include "session/resolver/reset_phrase.h"

namespace rouse {
namespace {

constexpr std::string_view kChannel = "whatsapp";
constexpr std::size_t kReceiptsKept = 1000;

// S1-C9: senderE164 ?? senderJid ?? from.
std::string sender_of(const WhatsAppMessage& message) {
  for (const auto* one : {&message.sender_e164, &message.sender_jid, &message.from}) {
    if (*one && !trim(**one).empty()) return std::string(trim(**one));
  }
  return "";
}

// A group is a conversation of its own: what is said there never enters a direct one (SE-10).
std::string chat_of(const WhatsAppMessage& message, const std::string& sender) {
  const bool group = message.chat_type && iequals_ascii(*message.chat_type, "group");
  return group ? std::string(trim(message.from.value_or(""))) : sender;
}

bool is_reset_alone(const InboundMessage& message) {
  const auto phrase = find_reset_phrase(readable_text(message.content));
  return phrase && phrase->alone;
}

Task<void> stop_after(Clock& clock, Millis length, std::stop_token over, std::stop_source waiting) {
  if (co_await clock.wait_for(length, over)) waiting.request_stop();
}

}  // namespace

void WhatsAppDoor::note_sent(const std::string& receipt) {
  sent_.push_back(receipt);
  if (sent_.size() > kReceiptsKept) sent_.pop_front();
}

bool WhatsAppDoor::is_own(const WhatsAppMessage& message, const std::string& sender) const {
  if (message.from_me.value_or(false) || sender == message.account_id) return true;
  return message.message_id && std::ranges::find(sent_, *message.message_id) != sent_.end();
}

bool WhatsAppDoor::lets_in(const std::string& sender) const {
  return !options_.allow || std::ranges::find(*options_.allow, sender) != options_.allow->end();
}

Task<Result<WhatsAppAnswer>> WhatsAppDoor::receive(WhatsAppMessage message) {
  const std::string sender = sender_of(message);
  const std::string body = message.body.value_or("");
  if (sender.empty() || trim(body).empty()) {
    co_return fail(Errc::kInvalid, "empty body or missing sender");
  }
  if (message.message_id == "") message.message_id.reset();
  if (is_own(message, sender)) co_return WhatsAppIgnored{};
  CO_TRY(const auto from, SessionKey::make(kChannel, sender));
  CO_TRY(auto key, SessionKey::make(kChannel, chat_of(message, sender)));
  if (!lets_in(sender)) {
    co_return fail(Errc::kForbidden, "this sender is not on bridges.whatsapp.allow");
  }
  if (auto sum = answer_sum(body)) {
    co_return WhatsAppReply{.session = {}, .reply = std::move(*sum)};
  }
  const std::string_view provenance_of_key = provenance(key);
  InboundMessage inbound{.workspace = {},  // take() finds it
                         .key = std::move(key),
                         .account = message.account_id.value_or("default"),
                         .message_id = std::move(message.message_id),
                         .content = text_content(body, provenance_of_key)};
  CO_TRY(Resolved resolved, co_await take(std::move(inbound), from));
  log_resolved(resolved);
  co_return co_await wait_for(std::move(resolved));
}

// The workspace may have been removed since it was looked up: then there is a fresh one (S1-C9).
Task<Result<Resolved>> WhatsAppDoor::take(InboundMessage message, SessionKey sender) {
  for (int attempt = 1;; ++attempt) {
    Result<Resolved> taken = std::unexpected(Error());
    if (auto workspace = co_await people_.ensure(sender)) {
      message.workspace = std::move(*workspace);
      taken = co_await resolve_or_submit(message);
    } else {
      taken = std::unexpected(std::move(workspace).error());
    }
    const bool stale = !taken && taken.error().is(WorkspaceErrc::kNotFound);
    if (!stale || attempt == 2) co_return taken;
  }
}

Task<Result<Resolved>> WhatsAppDoor::resolve_or_submit(InboundMessage message) {
  if (is_reset_alone(message)) {
    CO_TRY(Resolved resolved, co_await kernel_.resolve(std::move(message)));
    if (!resolved.redelivered && on_reset_) on_reset_(resolved.session);
    co_return resolved;
  }
  CO_TRY(Submitted submitted, co_await runner_.submit(std::move(message)));
  co_return std::move(submitted.resolved);
}

Task<Result<WhatsAppAnswer>> WhatsAppDoor::wait_for(Resolved resolved) {
  WhatsAppReply answer{.session = resolved.session.id,
                       .decision = std::move(resolved.decision),
                       .reason = std::move(resolved.reason),
                       .reply = {}};
  if (resolved.reset_only) answer.reply = kStartingFresh;
  if (resolved.reset_only || !resolved.turn) co_return answer;
  auto outcome = co_await wait_a_while(*resolved.turn);
  if (!outcome && outcome.error().kind == Kind::kCancelled) co_return WhatsAppLater{*resolved.turn};
  if (!outcome) co_return std::unexpected(std::move(outcome).error());
  CO_TRY(const auto deliveries, outbox_.of_turn(*resolved.turn));
  answer.reply = std::move(outcome->response);
  answer.through_outbox = !deliveries.empty();
  co_return answer;
}

Task<Result<TurnOutcome>> WhatsAppDoor::wait_a_while(TurnId turn) {
  std::stop_source waiting, over;
  const std::stop_callback on_stop(stopping_.get_token(),
                                   [waiting]() mutable { waiting.request_stop(); });
  loop_.spawn("reply wait", stop_after(clock_, options_.reply_wait, over.get_token(), waiting));
  auto outcome = co_await runner_.wait(std::move(turn), waiting.get_token());
  over.request_stop();
  co_return outcome;
}

// S1-41. What goes on is only for those who watch closely: it would be a line a message.
void WhatsAppDoor::log_resolved(const Resolved& resolved) const {
  if (resolved.redelivered) return;
  const LogField session{"session", resolved.session.id.str()}, channel{"channel", kChannel};
  const LogField decision{"decision", resolved.decision}, reason{"reason", resolved.reason};
  if (resolved.decision == "new") {
    log_.info("session resolved", {session, channel, decision, reason});
  } else {
    log_.debug("session resolved", {session, channel, decision, reason});
  }
}

}  // namespace rouse
