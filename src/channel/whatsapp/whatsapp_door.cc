#include "channel/whatsapp/whatsapp_door.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/arithmetic.h"
#include "base/text.h"
#include "session/resolver/reset_phrase.h"

namespace rouse {
namespace {

constexpr std::string_view kChannel = "whatsapp";
constexpr std::size_t kReceiptsKept = 1000;
constexpr std::size_t kArgumentBytes = 1500;  // a message on a phone

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

std::string described(const Approval& approval, WallTime now) {
  const std::string_view shown = utf8_prefix(approval.arguments, kArgumentBytes);
  return fmt::format("{}\n\n{}: {}{}\n\n{} Answer yes or no within {}.", approval.summary,
                     approval.tool, shown, shown.size() < approval.arguments.size() ? "…" : "",
                     why_asked(approval.reason, approval.tainted),
                     to_words(std::max(approval.expires - now, Millis{0})));
}

ApprovalAnswer answer_from(ReplyWord word, std::string by) {
  ApprovalAnswer out{.approved = word == ReplyWord::kYes || word == ReplyWord::kGoAhead,
                     .by = std::move(by)};
  if (word == ReplyWord::kEdit) out.note = "They want to change it first: ask what.";
  return out;
}

Task<void> stop_after(Clock& clock, Millis length, std::stop_token over, std::stop_source waiting) {
  if (co_await clock.wait_for(length, over)) waiting.request_stop();
}

}  // namespace

Result<void> WhatsAppDoor::load() {
  TRY(const auto receipts, outbox_.newest_receipts(kReceiptsKept));
  sent_.assign(receipts.begin(), receipts.end());
  return {};
}

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
  CO_TRY(Taken taken, co_await take(std::move(inbound), from));
  if (taken.reply) co_return WhatsAppReply{.session = {}, .reply = std::move(*taken.reply)};
  log_resolved(taken.resolved);
  co_return co_await wait_for(std::move(taken.resolved));
}

// The workspace may have been removed since it was looked up: then there is a fresh one (S1-C9).
Task<Result<WhatsAppDoor::Taken>> WhatsAppDoor::take(InboundMessage message, SessionKey sender) {
  for (int attempt = 1;; ++attempt) {
    Result<Taken> taken = std::unexpected(Error());
    if (auto workspace = co_await people_.ensure(sender)) {
      message.workspace = std::move(*workspace);
      taken = co_await take_in(message);
    } else {
      taken = std::unexpected(std::move(workspace).error());
    }
    const bool stale = !taken && taken.error().is(WorkspaceErrc::kNotFound);
    if (!stale || attempt == 2) co_return taken;
  }
}

Task<Result<Resolved>> WhatsAppDoor::resolve_or_submit(InboundMessage message) {
  if (is_reset_alone(message)) co_return co_await kernel_.resolve(std::move(message));
  CO_TRY(Submitted submitted, co_await runner_.submit(std::move(message)));
  co_return std::move(submitted.resolved);
}

// A message that comes again means what it meant the first time: a "yes" that the agent was told
// is no answer to what the agent asked afterwards.
Task<Result<WhatsAppDoor::Taken>> WhatsAppDoor::take_in(InboundMessage message) {
  CO_TRY(const bool again, was_taken(message));
  if (desk_ != nullptr && !again) {
    CO_TRY(auto question, question_for(message));
    if (question) co_return co_await answer_question(std::move(*question));
    if (find_reset_phrase(readable_text(message.content))) {
      CO_TRY(const auto chats, chats_of(message));
      for (const ConversationId& chat : chats) {
        CO_TRY_VOID(co_await desk_->withdraw(message.workspace, chat));
      }
    }
  }
  CO_TRY(Resolved resolved, co_await resolve_or_submit(std::move(message)));
  co_return Taken{.resolved = std::move(resolved)};
}

Result<bool> WhatsAppDoor::was_taken(const InboundMessage& message) {
  if (!message.message_id) return false;
  TRY(const auto row, kernel_.inbound().find(message.workspace, message.channel(), message.account,
                                             *message.message_id));
  return row.has_value();
}

// The sender's own and, where all channels are one, that one.
Result<std::vector<ConversationId>> WhatsAppDoor::chats_of(const InboundMessage& message) {
  std::vector<ConversationId> out;
  for (const SessionKey& key : {message.key, SessionKey::unified()}) {
    TRY(const auto found, kernel_.conversations().find(message.workspace, key));
    if (found) out.push_back(found->id);
  }
  return out;
}

// Nobody has read a question whose turn still runs: a word that comes then is about something else.
Result<std::optional<WhatsAppDoor::Question>> WhatsAppDoor::question_for(
    const InboundMessage& message) {
  const auto word = reply_word(readable_text(message.content));
  if (!word || word == ReplyWord::kStatus) return std::optional<Question>();
  std::string by(kChannel);
  if (message.message_id) by += ":" + *message.message_id;
  TRY(const auto chats, chats_of(message));
  for (const ConversationId& chat : chats) {
    std::optional<Approval> asked;
    if (message.message_id) {
      TRY(asked, desk_->book().decided_by(chat, by));
    }
    if (!asked) {
      TRY(asked, desk_->newest_pending(chat));
      if (!asked) continue;
      TRY(const auto turn, kernel_.turns().get(asked->turn));
      if (turn && !turn->over()) continue;
    }
    return std::optional(Question{std::move(*asked), *word, std::move(by)});
  }
  return std::optional<Question>();
}

// The reply is that of the turn which carries the answer on.
Task<Result<WhatsAppDoor::Taken>> WhatsAppDoor::answer_question(Question question) {
  const Approval asked = std::move(question.approval);
  if (question.word == ReplyWord::kMore) {
    co_return Taken{.reply = described(asked, clock_.wall_now())};
  }
  const auto decided = co_await desk_->decide(asked.workspace, asked.id,
                                              answer_from(question.word, std::move(question.by)));
  if (!decided && decided.error().is(ApprovalErrc::kDecided)) {
    co_return Taken{.reply = decided.error().message};
  }
  if (!decided) co_return std::unexpected(decided.error());
  CO_TRY(const auto row, desk_->carrier_of(*decided));
  if (!row) co_return fail(Errc::kNotFound, "its conversation was deleted");
  CO_TRY(Session session, kernel_.get(row->session));
  co_return Taken{.resolved = {.session = std::move(session),
                               .decision = row->decision,
                               .reason = row->reason,
                               .inbound = row->number,
                               .turn = row->turn}};
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
  // What the turn also told elsewhere, a notification for one, is no reply.
  answer.through_outbox = std::ranges::any_of(
      deliveries, [](const Delivery& one) { return one.to.channel == kChannel; });
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
