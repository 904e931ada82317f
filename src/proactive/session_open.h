// Somebody opened the app, or came back to it: the agent speaks first, if there is anything to say
// (S0-01). A newcomer is always greeted; whoever returns hears what happened meanwhile, or nothing.
//
// - Without a model and without a turn it is silent when anything was said within kJustNow (a
//   second tab, a reload), when the last word is younger than kBrieflyAway, and while a turn of the
//   conversation runs or waits: whoever typed first is answered instead (S0-C2, S0-C3, AP-7).
// - Opens of one conversation come one after the other, so the second sees the first's greeting
//   (S0-C4).
// - Otherwise it is a turn like any other, of kind session_open: hooks, approvals, spend, ledger.
//   Its prompt is ours and stands nowhere; history does not go along; what is in flight does
//   (opening_context.h). A person's message stops it.
// - Only what was said is kept: one message of the assistant, source "session_open". Anything else
//   ends without a trace in the transcript, and a conversation that it alone began goes away again.
// - A greeting is never late: one that a restart interrupted is given up, and nobody is told of a
//   failure but the log.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/close_participant.h"
#include "agent/occasion.h"
#include "agent/turn_prompt.h"
#include "agent/turn_runner.h"
#include "base/log.h"
#include "base/random.h"
#include "proactive/greeting.h"
#include "proactive/opening_context.h"
#include "session/remove/conversation_delete.h"

namespace rouse {

inline constexpr Millis kJustNow = seconds(30);
inline constexpr Millis kBrieflyAway = minutes(5);
inline constexpr Millis kAwayLong = minutes(30);  // what merely stands is worth a word again
inline constexpr Millis kGreetingDeadline = seconds(60);  // later it would be late

// The prompts in place of a person's words; nobody ever sees them (S0-C1).
inline constexpr std::string_view kFirstSessionTrigger =
    "[SYSTEM: First session. No user message. Begin bootstrap.]";
inline constexpr std::string_view kReturnedTrigger =
    "[SYSTEM: User returned to app. No user message. Check tools and decide whether to greet.]";

struct SessionOpened {
  std::string response = {};  // "" if silent
  bool is_new_user = false;
  bool silent = true;
  std::string reason = {};                          // why it is silent
  std::optional<ConversationId> conversation = {};  // none: there is none
  std::optional<TurnId> turn = {};                  // none: no turn was needed
};

class SessionOpen final : public Occasions, public CloseParticipant, public ConversationGuard {
 public:
  struct Parts {
    Loop& loop;
    Clock& clock;
    Random& random;
    Database& database;
    SessionKernel& kernel;
    TurnPrompts& prompts;
    TurnLedger& ledger;
    TurnRunner& runner;
    ConversationDelete& removal;
    const Log& log;
  };
  explicit SessionOpen(Parts parts);

  void configure(Greeting greeting) { greeting_ = greeting; }
  // The zone of a workspace; without it UTC.
  using ZoneOf = std::function<std::string(const WorkspaceId&)>;
  void use_zones(ZoneOf zone_of) { zone_of_ = std::move(zone_of); }

  // Once turns go on: what an earlier life began without a word and could not take away goes. No
  // start of the house need wait for it: the first open does it before it greets, if nobody did.
  Task<void> start();

  // `where` is the address of a message that nobody wrote: workspace, key, alias, agent. Never
  // fails: what goes wrong is silence, and in the log (S0-40).
  Task<SessionOpened> open(InboundMessage where);

  // --- for the house
  Result<std::optional<Occasion>> of_turn(const Turn& turn) override;
  OccasionEnd closing(const Turn& turn, OccasionEnd end, const std::string& error) override;
  Result<std::vector<Statement>> at_close(const Turn& turn, const Session& session,
                                          const std::string& response,
                                          const Verdict& verdict) override;
  void closed(const TurnId& turn) override;
  void given_up(const TurnId& turn) override { left_.erase(turn); }
  Result<void> may_delete(const Conversation& conversation) override;

 private:
  struct Look {
    std::optional<Conversation> conversation = {};
    std::string agent = {};  // who answers there
    bool is_new_user = false;
    std::optional<WallTime> last_message_at = {};
    std::string_view silent = {};  // why; "": it is not decided
  };
  struct Leftover {  // a conversation that a turn without a word has begun
    WorkspaceId workspace;
    ConversationId conversation;
  };
  struct Opening {
    AppOpening facts;
    std::string agent;
    std::optional<std::string> words = {};  // the greeting that needs no model
  };
  Task<Result<SessionOpened>> try_to_open(InboundMessage where);
  Result<Look> look(const InboundMessage& where, const SessionKey& key);
  Task<Result<Opening>> prepare(WorkspaceId workspace, Look seen);
  Task<Result<SessionOpened>> greet(InboundMessage where, Opening opening);
  Task<void> tidy(Leftover left);

  Parts parts_;
  Greeting greeting_ = Greeting::kModel;
  ZoneOf zone_of_;
  ConversationGate line_;               // who opens, one after the other
  std::map<TurnId, Opening> openings_;  // under way
  std::map<TurnId, Leftover> left_;
  std::set<ConversationId> tidied_;
  bool has_looked_back_ = false;
};

}  // namespace rouse
