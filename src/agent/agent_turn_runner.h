// The TurnRunner over the agent loop: keeps who runs and who waits in memory, everything that
// matters in the ledger. After a start, resume_waiting() goes on where the last life ended.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "agent/close_participant.h"
#include "agent/resting_summaries.h"
#include "agent/running_turn.h"
#include "agent/session_clearing.h"
#include "agent/turn_runner.h"
#include "agent/turn_waiters.h"
#include "session/notification/notification.h"

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
  void add_participant(CloseParticipant& participant) { participants_.push_back(&participant); }
  // Whoever tells the person of an answer outside of the conversation (notify_lines.h); null: no
  // one.
  void use_notifications(Notifications* notifications) { notifications_ = notifications; }

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
  void launch(Turn turn);
  void launch_or_give_back(Turn turn);
  Task<void> begin_waiting(Session session);
  Task<void> run(std::shared_ptr<RunningTurn> running);
  [[nodiscard]] bool is_of_this_life(const Turn& turn) const;
  [[nodiscard]] bool is_late_greeting(const Turn& turn) const;
  void yield_to(const Turn& accepted);
  Task<void> guard(std::shared_ptr<RunningTurn> running);
  [[nodiscard]] Millis deadline_of(const RunningTurn& running) const;
  Task<LoopResult> work(std::shared_ptr<RunningTurn> running);
  Task<Result<void>> take_up_approval(std::shared_ptr<RunningTurn> running, LoopInput& input);

  TurnClose closing(const RunningTurn& running, LoopResult& result);
  void word_close(const Turn& turn, TurnClose& how, Millis retry_after);
  void announce(const Turn& turn, const AnswerNotice& notice, TurnClose& how);
  Result<std::vector<Statement>> others_statements(const Turn& turn, const Session& session,
                                                   const std::string& words,
                                                   const Verdict& verdict);
  Task<Result<ClosedTurn>> try_to_close(std::shared_ptr<RunningTurn> running, TurnClose how);
  Task<Result<ClosedTurn>> close_until_it_holds(std::shared_ptr<RunningTurn> running,
                                                TurnClose how);
  Task<void> end(std::shared_ptr<RunningTurn> running, LoopResult result);
  Task<void> end_without_others(std::shared_ptr<RunningTurn> running);
  Task<void> give_back(std::shared_ptr<RunningTurn> running);
  void forget(const Turn& turn);
  void ended(ClosedTurn closed);
  void tell_over(const Turn& turn, std::string verdict);
  void tell_waiters(const Turn& turn, const std::string& response);
  std::vector<PendingApproval> pending_of(const TurnId& turn);
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
  RunnerOptions options_;
  std::vector<CloseParticipant*> participants_;
  Notifications* notifications_ = nullptr;
  std::unordered_map<std::string, std::shared_ptr<RunningTurn>> running_;  // by turn id
  std::unordered_map<std::string, std::string> by_conversation_;           // -> turn id
  std::unordered_set<std::string> askers_;  // turns that asked for an approval
  std::size_t submitting_ = 0;              // messages that are being accepted right now
  std::int64_t last_life_ = 0;  // the number of the last turn an earlier life of the server knew
};

}  // namespace rouse
