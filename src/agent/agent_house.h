// The agent side of the server in one piece: ledger, loop, runner, and what they share. The server,
// the tests and the simulator put the same house together and differ only in the world around it.
#pragma once

#include <memory>

#include "agent/agent_turn_runner.h"
#include "agent/spend_notice.h"

namespace rouse {

struct AgentWorld {
  Loop& loop;
  Clock& clock;
  Database& database;
  SessionKernel& kernel;
  Workspaces& workspaces;
  Agents& agents;
  Blobs& blobs;
  Summariser& summariser;
  PromptBuilder& prompts;
  const Log& log;
  Random& random;
};

class AgentHouse {
 public:
  AgentHouse(AgentWorld world, std::shared_ptr<const ModelBook> models)
      : models_(std::move(models)),
        kernel_(world.kernel),
        events_(world.database),
        notifications_(world.database, world.clock, world.random, events_),
        ledger_(world.database, world.clock, world.kernel, events_),
        tools_(world.clock),
        approvals_({world.loop, world.clock, world.random, world.database, world.kernel, events_,
                    world.log}),
        compactions_(world.database, world.kernel.sessions()),
        compactor_(world.database, world.clock, world.kernel, world.summariser, compactions_,
                   events_),
        spend_(world.database, world.clock),
        spend_notice_({world.loop, world.clock, world.database, spend_, notifications_, world.log}),
        prompts_(world.clock, world.kernel, ledger_, world.workspaces, world.agents, world.blobs,
                 tools_, world.prompts, [this] { return models_; }),
        runner_({world.loop, world.clock, world.database, world.kernel, ledger_, events_, stage_,
                 prompts_, tools_, hooks_, approvals_, compactor_, spend_, world.summariser,
                 world.log}) {
    kernel_.record_events(&events_);
    approvals_.use_runner(runner_);
    approvals_.use_notifications(&notifications_);
    runner_.use_notifications(&notifications_);
    prompts_.use_compactions(&compactions_);
  }

  // Before anything is admitted: after the kernel's load().
  Task<Result<void>> recover() { return runner_.recover(); }

  // Who knows what scheduled turns do differently; before recover(). Null: nobody.
  void use_occasions(Occasions* occasions) { prompts_.use_occasions(occasions); }
  void use_models(std::shared_ptr<const ModelBook> models) { models_ = std::move(models); }
  [[nodiscard]] std::shared_ptr<const ModelBook> models() const { return models_; }

  EventLog& events() { return events_; }
  Notifications& notifications() { return notifications_; }
  TurnLedger& ledger() { return ledger_; }
  TurnStage& stage() { return stage_; }
  ToolRegistry& tools() { return tools_; }
  ApprovalDesk& approvals() { return approvals_; }
  Compactor& compactor() { return compactor_; }
  HookSocket& hooks() { return hooks_; }
  SpendBook& spend() { return spend_; }
  TurnPrompts& prompts() { return prompts_; }
  AgentTurnRunner& runner() { return runner_; }

 private:
  std::shared_ptr<const ModelBook> models_;
  SessionKernel& kernel_;
  EventLog events_;
  Notifications notifications_;
  TurnLedger ledger_;
  TurnStage stage_;
  ToolRegistry tools_;
  HookSocket hooks_;  // the lifecycle engine plugs in here
  ApprovalDesk approvals_;
  CompactionBook compactions_;
  Compactor compactor_;
  SpendBook spend_;
  SpendNotice spend_notice_;
  TurnPrompts prompts_;
  AgentTurnRunner runner_;
};

}  // namespace rouse
