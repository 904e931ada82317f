// The engine of workflows over a store, with a project to look at and a tool to judge: what
// lifecycle_cost times and instructions counts. Both shipped workflows are evaluated for every
// event; what acts in the world has nothing to act with here.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <boost/json/serialize.hpp>

#include "base/clock.h"
#include "base/loop.h"
#include "base/redact.h"
#include "lifecycle/engine/engine.h"

namespace rouse::bench {

// A project under git with a task that is being worked on: the rules have something to look at.
class CleanRepository final : public GitView {
 public:
  [[nodiscard]] bool is_repository(const std::string&) const override { return true; }
  Task<Result<std::vector<std::string>>> dirty_files(std::string) override {
    co_return std::vector<std::string>{};
  }
  Task<Result<std::vector<Commit>>> commits_since(std::string, WallTime) override {
    co_return std::vector<Commit>{};
  }
  Task<Result<std::string>> branch(std::string) override { co_return std::string("main"); }
};

inline LifecycleEvent event_of(Trigger trigger) {
  LifecycleEvent event{.trigger = trigger, .turn = {}};
  event.turn.kind = "user";
  event.turn.transport = "websocket";
  event.turn.project_folder = "/home/ada/project";
  return event;
}

inline LifecycleEvent tool_event(Trigger trigger) {
  LifecycleEvent event = event_of(trigger);
  set_tool(
      event, "shell", "shell",
      R"({"command":"cd src && uv run python -m pytest -q tests/test_roof.py 2>&1 | tail -40"})");
  event.tool_result = std::string(2'000, 'x');
  return event;
}

class Shell final : public Tool {
 public:
  [[nodiscard]] const ToolInfo& info() const override { return info_; }
  Task<ToolResult> run(ToolCall, std::stop_token) override { co_return ToolResult{}; }

 private:
  ToolInfo info_{.name = "shell",
                 .description = "Runs nothing.",
                 .schema = R"({"type":"object","properties":{"command":{"type":"string"}}})",
                 .tool_class = ToolClass::kShell};
};

struct EngineHouse {
  EngineHouse(Loop& loop, Database& store, Clock& clock, Random& random, GitView& git,
              std::int64_t (*stopwatch)() = real_microseconds)
      : workspaces(store, clock, random),
        kernel(store, clock, random, workspaces, summariser, drift),
        log([&clock] { return clock.wall_now(); }, redactor, [](std::string_view) {}),
        tools(clock),
        book(clock),
        engine({clock, store, kernel, tools, book, hands(loop, clock, git), log, stopwatch}) {
    log.set_level(LogLevel::kError);
    tools.add(std::make_unique<Shell>());
  }
  LifecycleHands hands(Loop& loop, Clock& clock, GitView& git) {
    LifecycleHands out;
    out.loop = &loop;
    out.clock = &clock;
    out.kernel = &kernel;
    out.git = &git;
    return out;
  }

  Workspaces workspaces;
  Summariser summariser;
  DriftGate drift;
  SessionKernel kernel;
  Redactor redactor;
  Log log;
  ToolRegistry tools;
  WorkflowBook book;
  LifecycleEngine engine;
  TurnContext turn;
};

inline Task<Result<void>> open_session(EngineHouse& house) {
  CO_TRY_VOID(co_await house.workspaces.ensure_default());
  CO_TRY_VOID(house.kernel.load());
  InboundMessage message{.workspace = Workspaces::default_id(),
                         .key = {"api", "bench"},
                         .account = "bench",
                         .message_id = {},
                         .content = text_content("hello", kFromOwner)};
  CO_TRY(const Resolved made, co_await house.kernel.accept(std::move(message)));
  house.turn = event_of(Trigger::kStop).turn;
  house.turn.workspace = made.session.workspace;
  house.turn.conversation = made.session.conversation;
  house.turn.session = made.session.id;
  house.turn.turn = made.turn.value_or(TurnId{});
  co_return Result<void>{};
}

// What the turn's next write would take along.
inline void keep(EngineHouse& house) {
  (void)house.engine.to_keep(house.turn);
  house.engine.kept(house.turn);
}

inline Task<void> engine_call(EngineHouse& house) {
  const LifecycleEvent like = tool_event(Trigger::kAfterTool);
  const std::string arguments = boost::json::serialize(like.tool_input);
  (void)co_await house.engine.before_tool(house.turn, like.tool, arguments);
  (void)co_await house.engine.after_tool(house.turn, like.tool, arguments,
                                         ToolResult{.text = like.tool_result});
  keep(house);
}

inline Task<void> engine_turn(EngineHouse& house) {
  (void)co_await house.engine.before_agent(house.turn, "The roof leaks again: mend it.");
  (void)co_await house.engine.stop(house.turn, "It is mended: a tile had slipped.");
  keep(house);
}

}  // namespace rouse::bench
