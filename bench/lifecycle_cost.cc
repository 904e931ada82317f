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

#include "bench/lifecycle_house.h"
#include "store/sqlite/open.h"

namespace {

using namespace rouse;
using namespace rouse::bench;
using Stopper = std::chrono::steady_clock;

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

Task<void> with_engine(Loop& loop, Clock& clock, Database& store, int rounds, bool* good) {
  CleanRepository git;
  SystemRandom random;
  EngineHouse house(loop, store, clock, random, git);
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
  WorkflowBook book(clock);
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
