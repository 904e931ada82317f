// A turn that runs, as the loop sees the house around it: its steps are kept in the ledger, its
// events go to the stage, its calls of the model are reserved from the budget. Memory only: what
// matters is in the ledger, and a process that dies leaves it to the recovery.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "agent/agent_loop.h"
#include "agent/compaction/compactor.h"
#include "agent/turn_prompt.h"
#include "base/log.h"
#include "base/loop.h"
#include "session/summary/summariser.h"

namespace rouse {

// What running turns work with.
struct TurnParts {
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
  ApprovalDesk& approvals;
  Compactor& compactor;
  SpendBook& spend;
  Summariser& summariser;
  const Log& log;
};

class RunningTurn final : public LoopHouse {
 public:
  // `joins`: messages that arrive while it runs are heard at its next call of the model.
  RunningTurn(const TurnParts& parts, Turn t, bool joins);

  // Its message is still on the way to the disk. What it publishes is held back until settle().
  void begin_ahead(InboundRow message, std::shared_ptr<TurnBeginning> beginning);
  void settle(Result<void> outcome);

  void begin_summary();

  Task<Result<void>> begun() override;
  // Its message is still on the way.
  [[nodiscard]] bool is_ahead() const { return beginning != nullptr && !beginning->is_settled(); }
  Task<Result<void>> keep(std::vector<TurnStep> steps, CallRuling asked) override;
  Result<CallRuling> rule_on(const Tool& tool, const ToolCall& call,
                             const TurnContext& now_in) override;
  void publish(TurnEvent event) override;
  void expect_quiet(Millis length) override;
  Result<SpendBook::Reservation> reserve(const ModelRequest& request,
                                         const TurnSpend& so_far) override;
  Task<std::optional<ModelRequest>> compact(std::string_view reason, std::int64_t tokens) override;
  std::vector<PromptMessage> overheard() override;
  [[nodiscard]] std::string stop_reason() const override { return why_stopped; }
  [[nodiscard]] WallTime now() const override { return parts_.clock.wall_now(); }

  void ask_to_stop(std::string reason);

 private:
  [[nodiscard]] bool is_joined(const TurnId& id) const;
  void not_compacted(const std::string& why) const;

  const TurnParts& parts_;
  bool joins_;
  std::vector<TurnEvent> held_;  // until it is durable

 public:
  Turn turn;
  std::optional<InboundRow> message;         // of a turn that began ahead
  std::shared_ptr<ContextAhead> summary;     // of what was asked; begun while the model works
  std::shared_ptr<TurnBeginning> beginning;  // the same; null: it is durable
  TurnContext context;
  LoopInput input;  // let go of with the turn, when everybody has his answer
  std::shared_ptr<Model> model;
  std::optional<std::int64_t> history_from;
  HistoryLimits history_limits;
  std::int64_t next_step = 1;
  bool has_intent = false;
  bool asks = false;               // for an approval
  bool asked_before = false;       // the model, at least once
  std::vector<JoinedTurn> joined;  // messages the model has heard while it worked
  std::stop_source stop;
  std::stop_source over;  // ends the guard
  std::string why_stopped;
  MonoTime began_at, active_at;
  Occasion occasion;  // what a schedule wants of it; nothing for other turns
};

}  // namespace rouse
