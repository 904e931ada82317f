// The TurnRunner over the agent loop: keeps who runs and who waits in memory, everything that
// matters in the ledger. How a turn ends is in turn_closer.h. After a start, resume_waiting() goes
// on where the last life ended.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "agent/resting_summaries.h"
#include "agent/session_clearing.h"
#include "agent/turn_closer.h"
#include "agent/turn_runner.h"

namespace rouse {

struct RunnerOptions {
  Millis deadline = minutes(10);  // of a turn
  Millis inactive = minutes(2);   // without a sign of life of model or tools
  LoopLimits loop;
  bool join_running = false;  // a message is seen by the turn that runs, at its next model call
};

class AgentTurnRunner final : public TurnRunner {
 public:
  using Parts = TurnParts;
  explicit AgentTurnRunner(Parts parts);
  ~AgentTurnRunner() override;
  AgentTurnRunner(const AgentTurnRunner&) = delete;
  AgentTurnRunner& operator=(const AgentTurnRunner&) = delete;

  void configure(const RunnerOptions& options) { options_ = options; }
  void add_participant(CloseParticipant& participant) { closer_.add_participant(participant); }
  // Whoever tells the person of an answer outside of the conversation (notify_lines.h); null: no
  // one.
  void use_notifications(Notifications* notifications) { closer_.use_notifications(notifications); }

  // Before anything is admitted: what the last life left behind is closed or waits again.
  Task<Result<void>> recover();
  // Begins what waited when the last life ended. Everything new may come in meanwhile.
  Task<Result<void>> resume_waiting();
  // No turn begins any more; those that run may end within the deadline, then they are put back.
  Task<void> stop(Millis deadline);

  Task<Result<Submitted>> submit(InboundMessage message) override;
  Task<Result<TurnOutcome>> wait(TurnId turn, std::stop_token stop) override;
  Task<Result<Turn>> cancel(TurnId turn) override;
  Task<Result<Turn>> drop_waiting(TurnId turn, std::string reason) override;
  Task<Result<Cleared>> clear(WorkspaceId workspace, std::string conversation) override;
  [[nodiscard]] bool busy(const ConversationId& conversation) const override;
  [[nodiscard]] std::size_t running() const override { return running_.size(); }

 private:
  void launch(std::shared_ptr<RunningTurn> running);
  void launch_or_give_back(Turn turn);
  Task<void> begin_waiting(Session session);
  Task<void> run(std::shared_ptr<RunningTurn> running);
  void never_was(const Turn& turn, const Error& why);
  [[nodiscard]] bool is_of_this_life(const Turn& turn) const;
  [[nodiscard]] bool is_late_greeting(const Turn& turn) const;
  void yield_to(const Turn& accepted);
  Task<void> guard(std::shared_ptr<RunningTurn> running);
  [[nodiscard]] Millis deadline_of(const RunningTurn& running) const;
  Task<LoopResult> work(std::shared_ptr<RunningTurn> running);
  Task<Result<void>> take_up_approval(std::shared_ptr<RunningTurn> running, LoopInput& input);

  [[nodiscard]] KeptSteps kept_steps(const RunningTurn& running) const;
  void end(const Turn& turn, Result<ClosedTurn> closed);
  Task<void> give_back(std::shared_ptr<RunningTurn> running);
  void forget(const Turn& turn);
  void ended(ClosedTurn closed);
  void turn_away_waiters();
  Result<TurnOutcome> outcome_of(const Turn& turn);

  Task<Result<Turn>> end_early(TurnId turn, std::string reason);
  Task<Result<Turn>> close_waiting(Turn turn, TurnClose how);
  Task<bool> cancel_running(TurnId turn, std::string reason);

  Parts parts_;
  std::stop_source stopping_;
  SessionClearing clearing_;
  RestingSummaries summaries_;
  TurnWaiters waiters_;
  TurnCloser closer_;
  RunnerOptions options_;
  std::unordered_map<std::string, std::shared_ptr<RunningTurn>> running_;  // by turn id
  std::unordered_map<std::string, std::string> by_conversation_;           // -> turn id
  std::size_t submitting_ = 0;  // messages that are being accepted right now
  std::int64_t last_life_ = 0;  // the number of the last turn an earlier life of the server knew
};

}  // namespace rouse
