// What happens with one message of a WhatsApp bridge, after its secret was checked and before
// anybody speaks HTTP about it. In this order:
//
//   1. Nothing to answer: no words, no sender (400). What the bridge's own account said is never
//      taken for input (SE-12).
//   2. A sender who is not let in (403); an empty list lets in nobody (SC-6).
//   3. A sum is answered at once: no store, no model, no session (S1-C9).
//   4. The sender's workspace, made with the first message (S1-03).
//   5. A message that says "start over" withdraws what waited for the sender's yes (S1-C9); one
//      that says only that gets a new session and one fixed line (S1-37).
//   6. A bare "yes", "no" and the like answers what the agent asked for last in this chat, if
//      something waits for an answer (S1-C9). "more" tells what exactly it is.
//   7. Everything else becomes a turn. The bridge waits for its reply for a while; the turn goes on
//      whether it waits or not.
//
// A message id makes it safe to deliver a message again: it is taken once and answered the same
// (SE-11). The door keeps no session: all it knows between two messages is in the store (S1-04).
#pragma once

#include <deque>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "agent/approval_desk.h"
#include "agent/turn_runner.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/loop.h"
#include "channel/whatsapp/fast_path.h"
#include "session/outbox.h"
#include "session/people.h"

namespace rouse {

struct WhatsAppMessage {
  std::optional<std::string> from;  // the chat: the sender's, or the group's
  std::optional<std::string> body;
  std::optional<std::string> chat_type;                // "direct", "group"
  std::optional<std::string> sender_e164, sender_jid;  // who wrote it
  std::optional<std::string> account_id;               // of the bridge
  std::optional<std::string> message_id;
  std::optional<bool> from_me;
};

struct WhatsAppIgnored {};  // our own words came back

struct WhatsAppLater {  // the turn goes on; asking again with the same message id waits again
  TurnId turn;
};

struct WhatsAppReply {
  std::optional<SessionId> session = {};                  // none: answered without one
  std::optional<std::string> decision = {}, reason = {};  // of the session, when there is one
  std::string reply;
  bool through_outbox = false;  // it is sent to the bridge; else the bridge brings it itself
};

using WhatsAppAnswer = std::variant<WhatsAppReply, WhatsAppLater, WhatsAppIgnored>;

struct WhatsAppDoorOptions {
  std::optional<std::vector<std::string>> allow = {};  // absent: everybody the bridge vouches for
  Millis reply_wait = seconds(25);
};

class WhatsAppDoor {
 public:
  WhatsAppDoor(TurnRunner& runner, SessionKernel& kernel, People& people, Outbox& outbox,
               Clock& clock, Loop& loop, const Log& log)
      : runner_(runner),
        kernel_(kernel),
        people_(people),
        outbox_(outbox),
        clock_(clock),
        loop_(loop),
        log_(log) {}

  void configure(WhatsAppDoorOptions options) { options_ = std::move(options); }
  // Whose questions are answered here; null: nobody asks any.
  void use_approvals(ApprovalDesk* desk) { desk_ = desk; }
  // What an earlier life of the process sent is ours as well; before the first message.
  Result<void> load();
  // A delivery's receipt: when a message of this id comes in, it is ours.
  void note_sent(const std::string& receipt);

  Task<Result<WhatsAppAnswer>> receive(WhatsAppMessage message);
  // The server stops: whoever waits for a reply is told that it comes later.
  void stop() { stopping_.request_stop(); }

 private:
  [[nodiscard]] bool is_own(const WhatsAppMessage& message, const std::string& sender) const;
  [[nodiscard]] bool lets_in(const std::string& sender) const;
  struct Taken {
    Resolved resolved = {};
    std::optional<std::string> reply = {};  // answered without a turn
  };
  struct Question {  // what the sender's word is about
    Approval approval;
    ReplyWord word;
    std::string by;  // Approval::decided_by
  };
  Task<Result<Taken>> take(InboundMessage message, SessionKey sender);
  Task<Result<Taken>> take_in(InboundMessage message);
  Task<Result<Resolved>> resolve_or_submit(InboundMessage message);
  Result<bool> was_taken(const InboundMessage& message);
  Result<std::vector<ConversationId>> chats_of(const InboundMessage& message);
  Result<std::optional<Question>> question_for(const InboundMessage& message);
  Task<Result<Taken>> answer_question(Question question);
  Task<Result<WhatsAppAnswer>> wait_for(Resolved resolved);
  Task<Result<TurnOutcome>> wait_a_while(TurnId turn);
  void log_resolved(const Resolved& resolved) const;

  TurnRunner& runner_;
  SessionKernel& kernel_;
  People& people_;
  Outbox& outbox_;
  Clock& clock_;
  Loop& loop_;
  const Log& log_;
  WhatsAppDoorOptions options_;
  ApprovalDesk* desk_ = nullptr;
  std::deque<std::string> sent_;  // the newest receipts
  std::stop_source stopping_;
};

}  // namespace rouse
