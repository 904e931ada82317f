// The TurnRunner over the agent loop: keeps who runs and who waits in memory, everything that
// matters in the ledger. After a start, resume_waiting() goes on where the last life ended.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "agent/agent_loop.h"
#include "agent/close_participant.h"
#include "agent/turn_prompt.h"
#include "agent/turn_runner.h"
#include "base/log.h"
#include "session/summary/summariser.h"

namespace rouse {

struct RunnerOptions {
  Millis deadline = minutes(10);  // of a turn
  Millis inactive = minutes(2);   // without a sign of life of model or tools
  LoopLimits loop;
  bool join_running = false;  // a message is seen by the turn that runs, at its next model call
};

class AgentTurnRunner final : public TurnRunner {
 public:
  struct Parts {
    Loop& loop;
    Clock& clock;
    Database& database;
    SessionKernel& kernel;
    TurnLedger& ledger;
    EventLog& events;
    TurnStage& stage;
    TurnPrompts& prompts;
    ToolRegistry& tools;
    TurnHooks& hooks;
    SpendBook& spend;
    Summariser& summariser;
    const Log& log;
  };
  explicit AgentTurnRunner(Parts parts);
  ~AgentTurnRunner() override;
  AgentTurnRunner(const AgentTurnRunner&) = delete;
  AgentTurnRunner& operator=(const AgentTurnRunner&) = delete;

  void configure(const RunnerOptions& options) { options_ = options; }
  void add_participant(CloseParticipant& participant) { participants_.push_back(&participant); }

  // Begins what waited when the last life ended. Everything new may come in meanwhile.
  Task<Result<void>> resume_waiting();
  // No turn begins any more; those that run may end within the deadline, then they are put back.
  Task<void> stop(Millis deadline);

  Task<Result<Submitted>> submit(InboundMessage message) override;
  Task<Result<TurnOutcome>> wait(TurnId turn, std::stop_token stop) override;
  Task<Result<Turn>> cancel(TurnId turn) override;
  Task<Result<Cleared>> clear(WorkspaceId workspace, std::string conversation) override;
  [[nodiscard]] bool busy(const ConversationId& conversation) const override;
  [[nodiscard]] std::size_t running() const override { return running_.size(); }

 private:
  class Running;
  struct Waiter;

  void launch(Turn turn);
  Task<void> run(std::shared_ptr<Running> running);
  Task<void> guard(std::shared_ptr<Running> running);
  Task<LoopResult> work(std::shared_ptr<Running> running);
  Task<void> end(std::shared_ptr<Running> running, LoopResult result);
  Task<void> give_back(std::shared_ptr<Running> running);
  TurnClose closing(const Running& running, LoopResult& result);
  Task<Result<ClosedTurn>> close_until_it_holds(std::shared_ptr<Running> running, TurnClose how);
  Task<void> improve(Session session, SummaryInput input);
  void ended(ClosedTurn closed);
  void tell_waiters(const Turn& turn, const std::string& response);
  void answer_waiters(const TurnId& turn, const Result<TurnOutcome>& outcome);
  Result<TurnOutcome> outcome_of(const Turn& turn);
  Task<bool> cancel_running(TurnId turn, std::string reason);
  Task<Result<std::string>> clear_summary(Session session);
  Task<Result<void>> close_cleared(Session session, std::string summary, Cleared& out);

  Parts parts_;
  RunnerOptions options_;
  std::vector<CloseParticipant*> participants_;
  std::unordered_map<std::string, std::shared_ptr<Running>> running_;              // by turn id
  std::unordered_map<std::string, std::string> by_conversation_;                   // -> turn id
  std::unordered_map<std::string, std::vector<std::shared_ptr<Waiter>>> waiters_;  // by turn id
  std::stop_source stopping_;
};

}  // namespace rouse
