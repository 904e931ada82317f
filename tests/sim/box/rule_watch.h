// Stands between the agent's loop and the engine of its rules and compares: what the workflow file
// in force forbids at the moment of a call is refused, in its words, and nothing else is.
#pragma once

#include <fmt/format.h>

#include "lifecycle/engine/engine.h"
#include "tests/sim/box/outside.h"

namespace rouse::sim {

class RuleWatch final : public TurnHooks {
 public:
  RuleWatch(LifecycleEngine& engine, Outside& outside) : engine_(engine), outside_(outside) {}

  Task<HookAnswer> before_agent(TurnContext turn, std::string message) override {
    return engine_.before_agent(std::move(turn), std::move(message));
  }
  Task<HookAnswer> before_tool(TurnContext turn, std::string tool, std::string arguments) override {
    const Rules rules = outside_.papers.rules;  // the engine takes its own at the same moment
    const bool forbidden = rules.forbids(tool);
    const bool limited = rules.most_changes > 0 && tool == "change";
    HookAnswer answer = co_await engine_.before_tool(std::move(turn), tool, std::move(arguments));
    if (!answer.allowed && !answer.reason.contains("Edition")) co_return answer;  // can't be read
    if (answer.allowed && forbidden) {
      outside_.broke("11: a rule in force is obeyed by every call after its edit",
                     fmt::format("{} under edition {}", tool, rules.edition));
    }
    if (!answer.allowed && ((!forbidden && !limited) || answer.reason != rules.reason())) {
      outside_.broke("11: no rule is obeyed that is not in force",
                     fmt::format("{} under edition {}: {}", tool, rules.edition, answer.reason));
    }
    if (!answer.allowed) outside_.counts.hit(limited ? "a limit refuses" : "a rule refuses");
    co_return answer;
  }
  Task<HookAnswer> after_tool(TurnContext turn, std::string tool, std::string arguments,
                              ToolResult result) override {
    return engine_.after_tool(std::move(turn), std::move(tool), std::move(arguments),
                              std::move(result));
  }
  Task<HookAnswer> pre_compact(TurnContext turn) override {
    return engine_.pre_compact(std::move(turn));
  }
  Task<HookAnswer> stop(TurnContext turn, std::string answer) override {
    return engine_.stop(std::move(turn), std::move(answer));
  }
  std::vector<Statement> to_keep(const TurnContext& turn) override { return engine_.to_keep(turn); }
  void kept(const TurnContext& turn) override { engine_.kept(turn); }

 private:
  LifecycleEngine& engine_;
  Outside& outside_;
};

}  // namespace rouse::sim
