// What the workflows that ship with rouse cost: lifecycle_cost ROUNDS DIR. One line each: what, and
// in microseconds the median and the 99th percentile. A call of a tool is on_before_tool and
// on_after_tool; a turn is on_before_agent and on_stop, of a session whose first prompt is over.
// Both workflows are evaluated for every event, the one whose sessions these are and the other.
// What acts in the world has nothing to act with here: it is the evaluation that is measured. Then
// the same through the engine, over a real store in DIR: with the state of a session, the record of
// what fired and the statements for the turn's next write, but without that write.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <boost/json/serialize.hpp>

#include "base/clock.h"
#include "base/loop.h"
#include "base/redact.h"
#include "lifecycle/engine/engine.h"
#include "store/sqlite/open.h"

namespace {

using namespace rouse;
using Stopper = std::chrono::steady_clock;

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

LifecycleEvent event_of(Trigger trigger) {
  LifecycleEvent event{.trigger = trigger, .turn = {}};
  event.turn.kind = "user";
  event.turn.transport = "websocket";
  event.turn.project_folder = "/home/ada/project";
  return event;
}

LifecycleEvent tool_event(Trigger trigger) {
  LifecycleEvent event = event_of(trigger);
  set_tool(
      event, "shell", "shell",
      R"({"command":"cd src && uv run python -m pytest -q tests/test_roof.py 2>&1 | tail -40"})");
  event.tool_result = std::string(2'000, 'x');
  return event;
}

struct Measured {
  WorkflowSet set;
  SessionVariables variables;
  LifecycleHands hands;
  int refused = 0;
};

Task<void> fire(Measured& session, LifecycleEvent event) {
  for (const auto& workflow : session.set) {
    const WorkflowRun run =
        co_await run_workflow(workflow, event, session.variables, session.hands, {});
    if (!run.answer.allowed) ++session.refused;
  }
}

Task<void> one_call(Measured& session) {
  co_await fire(session, tool_event(Trigger::kBeforeTool));
  co_await fire(session, tool_event(Trigger::kAfterTool));
}

Task<void> one_turn(Measured& session) {
  LifecycleEvent prompt = event_of(Trigger::kBeforeAgent);
  prompt.prompt = "The roof leaks again: find out where, and mend it.";
  co_await fire(session, std::move(prompt));
  LifecycleEvent stop = event_of(Trigger::kStop);
  stop.answer = "It is mended: a tile had slipped.";
  co_await fire(session, std::move(stop));
}

template <class On>
Task<void> measure(On& on, Task<void> (*what)(On&), int rounds, std::vector<double>* times) {
  for (int i = 0; i < rounds; ++i) {
    const auto began = Stopper::now();
    co_await what(on);
    times->push_back(std::chrono::duration<double, std::micro>(Stopper::now() - began).count());
  }
}

void tell(const char* name, std::vector<double> times) {
  std::ranges::sort(times);
  std::printf("%s %.2f %.2f\n", name, times[times.size() / 2], times[times.size() * 99 / 100]);
}

void report(const char* name, Measured& session, Task<void> (*what)(Measured&), int rounds) {
  Loop loop;
  std::vector<double> warm, times;
  loop.spawn("warm up", measure(session, what, rounds / 10, &warm));
  loop.spawn("measure", measure(session, what, rounds, &times));
  loop.run();
  tell(name, std::move(times));
}

// --- through the engine --------------------------------------------------------------------------

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
  EngineHouse(Loop& loop, Database& store, Clock& clock, GitView& git)
      : workspaces(store, clock, random),
        kernel(store, clock, random, workspaces, summariser, drift),
        log([&clock] { return clock.wall_now(); }, redactor, [](std::string_view) {}),
        tools(clock),
        book(clock),
        engine(
            {clock, store, kernel, tools, book, hands(loop, clock, git), log, real_microseconds}) {
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

  SystemRandom random;
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

void keep(EngineHouse& house) {
  (void)house.engine.to_keep(house.turn);
  house.engine.kept(house.turn);
}

Task<void> engine_call(EngineHouse& house) {
  const LifecycleEvent like = tool_event(Trigger::kAfterTool);
  const std::string arguments = boost::json::serialize(like.tool_input);
  (void)co_await house.engine.before_tool(house.turn, like.tool, arguments);
  (void)co_await house.engine.after_tool(house.turn, like.tool, arguments,
                                         ToolResult{.text = like.tool_result});
  keep(house);
}

Task<void> engine_turn(EngineHouse& house) {
  (void)co_await house.engine.before_agent(house.turn, "The roof leaks again: mend it.");
  (void)co_await house.engine.stop(house.turn, "It is mended: a tile had slipped.");
  keep(house);
}

Task<Result<void>> open_session(EngineHouse& house) {
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

Task<void> with_engine(Loop& loop, Clock& clock, Database& store, int rounds, bool* good) {
  CleanRepository git;
  EngineHouse house(loop, store, clock, git);
  const auto opened = co_await open_session(house);
  if (opened) {
    std::vector<double> warm, calls, turns;
    co_await measure(house, engine_turn, rounds / 10, &warm);
    co_await measure(house, engine_call, rounds, &calls);
    co_await measure(house, engine_turn, rounds, &turns);
    tell("engine_tool_call", std::move(calls));
    tell("engine_turn", std::move(turns));
    *good = true;
  } else {
    std::fprintf(stderr, "lifecycle_cost: %s\n", opened.error().message.c_str());
  }
  co_await store.close();
  loop.stop();
}

bool measure_engine(const std::string& dir, int rounds) {
  Loop loop;
  RealClock clock(loop);
  const auto store = open_sqlite({.data_dir = dir, .loop = loop, .clock = clock});
  if (!store) {
    std::fprintf(stderr, "lifecycle_cost: %s\n", store.error().message.c_str());
    return false;
  }
  bool good = false;
  loop.spawn("engine", with_engine(loop, clock, **store, rounds, &good));
  loop.run();
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc == 3 ? std::atoi(argv[1]) : 0;
  if (rounds < 100) {
    std::fprintf(stderr, "usage: lifecycle_cost ROUNDS DIR (at least 100 rounds)\n");
    return 2;
  }
  VirtualClock clock;
  const WorkflowBook book(clock);
  CleanRepository git;
  Measured session{*book.current(), {}, {}};
  session.hands.git = &git;
  if (session.set.size() != shipped_workflows().size()) {
    std::fprintf(stderr, "lifecycle_cost: a shipped workflow has a problem: %s\n",
                 book.states().front().problems.front().str().c_str());
    return 1;
  }
  for (const auto& workflow : session.set) session.variables.use_defaults(workflow->variables);
  session.variables.set("_session_initialized", true);
  report("tool_call", session, one_call, rounds);
  report("turn", session, one_turn, rounds);
  if (session.refused > 0) {
    std::fprintf(stderr, "lifecycle_cost: %d events were refused; none should be\n",
                 session.refused);
    return 1;
  }
  return measure_engine(argv[2], rounds) ? 0 : 1;
}
