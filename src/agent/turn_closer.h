// The end of a turn: its words are put right, everybody who takes part adds what they have to
// write, and one write of the ledger closes it. Then whoever watches, waits or took part is told.
// Who runs and what comes next is the runner's business (agent_turn_runner.h).
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <unordered_set>
#include <vector>

#include "agent/close_participant.h"
#include "agent/running_turn.h"
#include "agent/turn_waiters.h"
#include "session/notification/notification.h"

namespace rouse {

// Whether the ledger has steps of a turn.
enum class KeptSteps { kNone, kPerhaps };

class TurnCloser {
 public:
  // No close is tried again once `stopping` is asked for.
  TurnCloser(const TurnParts& parts, TurnWaiters& waiters, std::stop_token stopping)
      : parts_(parts), waiters_(waiters), stopping_(std::move(stopping)) {}

  void add_participant(CloseParticipant& participant) { participants_.push_back(&participant); }
  void use_notifications(Notifications* notifications) { notifications_ = notifications; }

  // A full disk must not lose an answer: the close is tried until it holds or the server stops;
  // what is not closed then begins anew with the next start. What is too large is closed without
  // the steps. kConflict: it was over already.
  Task<Result<ClosedTurn>> close(std::shared_ptr<RunningTurn> running, LoopResult result,
                                 KeptSteps kept);
  // Somebody who takes part in the end failed in a way nobody foresaw: the turn ends without them.
  Task<Result<ClosedTurn>> close_without_others(const Turn& turn);
  // What others have to write when the turn is closed this way, for the close of one that never
  // ran.
  Result<void> add_others(const Turn& turn, TurnClose& how);
  // What the last life left behind (TurnLedger::recover()).
  Task<Result<void>> recover();

  // When the runner has forgotten the turn.
  void tell_closed(const ClosedTurn& closed);
  void tell_not_closed(const Turn& turn, std::string verdict, Error why);
  void tell_given_up(const TurnId& turn);

 private:
  TurnClose closing(const RunningTurn& running, LoopResult& result, KeptSteps kept);
  void word_close(const Turn& turn, TurnClose& how, Millis retry_after);
  void announce(const Turn& turn, const AnswerNotice& notice, TurnClose& how);
  Result<std::vector<Statement>> others_statements(const Turn& turn, const Session& session,
                                                   const std::string& words,
                                                   const Verdict& verdict);
  [[nodiscard]] bool can_follow(const RunningTurn& running) const;
  Task<Result<ClosedTurn>> try_to_close(std::shared_ptr<RunningTurn> running, TurnClose how);
  Task<Result<ClosedTurn>> close_until_it_holds(std::shared_ptr<RunningTurn> running,
                                                TurnClose how);
  void tell_over(const Turn& turn, std::string verdict);
  void tell_waiters(const Turn& turn, const std::string& response);
  std::vector<PendingApproval> pending_of(const TurnId& turn);

  const TurnParts& parts_;
  TurnWaiters& waiters_;
  std::stop_token stopping_;
  std::vector<CloseParticipant*> participants_;
  Notifications* notifications_ = nullptr;
  std::unordered_set<std::string> askers_;  // turns that asked for an approval
};

}  // namespace rouse
