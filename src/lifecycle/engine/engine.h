// The engine: it plugs into the agent loop (turn_hooks.h) and lets the workflows in force speak.
//
// - An event goes through the workflows of the session's source in the order of their priority,
//   and through the steps of each in their order. A step whose `when` does not hold is passed over.
//   The first refusal ends it; what is to be told to the model is joined by blank lines.
// - A gate that can't be decided refuses (fails closed); any other step that fails is recorded and
//   passed over.
// - Variables are per session. What changed, and what fired, is written in the turn's own writes
//   (to_keep, at_close): after a crash they are as the turn's kept steps left them.
// - A step that acts in the world has kActionDeadline; what it would have set after that is lost.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "agent/close_participant.h"
#include "agent/turn_hooks.h"
#include "base/log.h"
#include "base/stopwatch.h"
#include "lifecycle/engine/call.h"
#include "lifecycle/engine/firing.h"
#include "lifecycle/workflow/workflow_book.h"
#include "tool/registry.h"

namespace rouse {

inline constexpr Millis kActionDeadline = seconds(5);
inline constexpr std::size_t kSessionsKept = 1'024;  // in memory

// How a step came out, for a trace (`rouse workflow test`).
struct StepTrace {
  const WorkflowStep* step = nullptr;
  bool holds = true;
  ExpressionTrace when = {};
  std::string outcome;  // skipped, done, blocked, failed, not run
  std::string detail;
};

// One event through one workflow: what the engine and the dry run share.
struct WorkflowRun {
  HookAnswer answer;
  bool force_allow = false;
  bool failed = false;  // a gate could not be decided, or a step went wrong
  std::vector<FiredAction> actions = {};
};

struct RunOptions {
  bool dry = false;                               // steps that act in the world are left out
  std::vector<StepTrace>* trace = nullptr;        // of every step
  Clock* clock = nullptr;                         // for deadlines; null: none
  std::shared_ptr<TurnBeginning> beginning = {};  // before a step acts in the world; or null
};

Task<WorkflowRun> run_workflow(std::shared_ptr<const Workflow> workflow, SharedEvent event,
                               SessionVariables& variables, LifecycleHands& hands,
                               RunOptions options);
Task<WorkflowRun> run_workflow(std::shared_ptr<const Workflow> workflow, LifecycleEvent event,
                               SessionVariables& variables, LifecycleHands& hands,
                               RunOptions options);

class LifecycleEngine final : public TurnHooks, public CloseParticipant {
 public:
  struct Parts {
    Clock& clock;
    Database& database;
    SessionKernel& kernel;
    const ToolRegistry& tools;
    WorkflowBook& book;
    LifecycleHands hands;
    const Log& log;
    Stopwatch stopwatch = no_microseconds;
  };
  explicit LifecycleEngine(Parts parts) : parts_(std::move(parts)), records_(parts_.database) {}

  Task<HookAnswer> before_agent(TurnContext turn, std::string message) override;
  Task<HookAnswer> before_tool(TurnContext turn, std::string tool, std::string arguments) override;
  Task<HookAnswer> after_tool(TurnContext turn, std::string tool, std::string arguments,
                              ToolResult result) override;
  Task<HookAnswer> pre_compact(TurnContext turn) override;
  Task<HookAnswer> stop(TurnContext turn, std::string answer) override;
  std::vector<Statement> to_keep(const TurnContext& turn) override;
  void kept(const TurnContext& turn) override;
  // What is stored can be read again. A step that is still at work notes into what nobody reads.
  void never_was(const SessionId& session) override { states_.erase(session.str()); }

  Result<std::vector<Statement>> at_close(const Turn& turn, const Session& session,
                                          const std::string& response,
                                          const Verdict& verdict) override;
  void closed(const TurnId& turn) override;
  void given_up(const TurnId& turn) override { turns_.erase(turn.str()); }

  void use_model(OneShot* model) { parts_.hands.one_shot = model; }

  // The resolver, a person or a program has closed it.
  Task<void> session_ended(Session session);

  // As they are now, with their defaults.
  Result<boost::json::object> variables_of(const TurnContext& turn);
  LifecycleRecords& records() { return records_; }

 private:
  struct State {
    TurnContext turn;  // the last one
    std::string source;
    SessionVariables variables;
    std::vector<Firing> firings;    // not written yet
    StoredVariables saved, handed;  // as written, and on their way there
    std::size_t handed_firings = 0;
    [[nodiscard]] bool clean() const {
      return firings.empty() && same_variables(saved, variables.stored());
    }
  };
  Result<std::shared_ptr<State>> state_of(const TurnContext& turn);
  Task<HookAnswer> fire(std::shared_ptr<LifecycleEvent> event);
  Task<HookAnswer> fire_in(std::shared_ptr<State> state, SharedEvent event);
  void use_defaults(State& state, const WorkflowSet& set);
  void record(State& state, const LifecycleEvent& event, const Workflow& workflow, WorkflowRun run,
              std::int64_t micros);
  std::vector<Statement> hand_over(State& state);
  static void handed_over(State& state);
  Task<void> write_now(std::shared_ptr<State> state);
  void make_room();
  std::shared_ptr<LifecycleEvent> tool_event(Trigger trigger, TurnContext turn, std::string tool,
                                             std::string_view arguments) const;

  Parts parts_;
  LifecycleRecords records_;
  std::unordered_map<std::string, std::shared_ptr<State>> states_;  // by session
  std::unordered_map<std::string, std::string> turns_;              // closing: turn -> session
};

}  // namespace rouse
