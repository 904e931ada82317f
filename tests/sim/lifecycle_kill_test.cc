// A turn under rules, killed at every single write. What the rules remember fits what the turn has
// kept: nobody is let through by a step that is lost, and a result that is there counts.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "agent/agent_for_tests.h"
#include "lifecycle/engine/engine.h"
#include "session/invariants_for_tests.h"
#include "tests/sim/kill_at_every_write.h"

namespace rouse::sim {
namespace {

constexpr std::string_view kLookFirst = R"yaml(
name: look-first
variables: {looked: false, turns: 0}
triggers:
  on_before_agent:
    - {action: increment_variable, name: turns}
  on_before_tool:
    - action: block_tools
      rules:
        - tools: [change]
          when: "not variables.get('looked')"
          reason: "Look first."
  on_after_tool:
    - action: set_variable
      when: "tool_name == 'look'"
      name: looked
      value: true
)yaml";

struct RuledLife {
  explicit RuledLife(World& world) : book(world.clock()) {
    auto opened = world.open_store();
    if (!opened) return;
    database = *opened;
    model = std::make_shared<ScriptedModel>();
    // It tries to change something, is told to look, looks, and changes it.
    model->otherwise = [](const ModelRequest& request) {
      const PromptBlock& last = request.messages.back().blocks.back();
      if (last.kind != BlockKind::kToolResult) return ScriptedAnswer::calls_tool("c1", "change");
      if (last.tool == "look") return ScriptedAnswer::calls_tool("c3", "change");
      if (last.failed) return ScriptedAnswer::calls_tool("c2", "look");
      return ScriptedAnswer::says("Done.");
    };
    EXPECT_TRUE(book.use({{"headless-lifecycle.yaml", ""},
                          {"session-lifecycle.yaml", ""},
                          {"look-first.yaml", std::string(kLookFirst)}})
                    .empty());
    house = std::make_unique<AgentHouseForTests>(world, *database, model, outside);
    LifecycleHands hands;
    hands.clock = &world.clock();
    hands.kernel = &house->kernel.kernel;
    engine = std::make_unique<LifecycleEngine>(
        LifecycleEngine::Parts{world.clock(), *database, house->kernel.kernel, house->house.tools(),
                               book, hands, house->log});
    house->house.hooks().plug_in(engine.get());
    house->house.runner().add_participant(*engine);
    if (!world.run(house->start())) house.reset();
  }
  WorkflowBook book;
  OutsideForTests outside;
  Database* database = nullptr;
  std::shared_ptr<ScriptedModel> model;
  std::unique_ptr<LifecycleEngine> engine;
  std::unique_ptr<AgentHouseForTests> house;
};

void talk(World& world, Ledger& ledger) {
  const RuledLife life(world);
  if (!life.house) return;
  const auto taken = world.run(life.house->runner().submit(chat_from("a", "go", "m1")));
  if (taken) {
    const auto outcome = world.run(life.house->runner().wait(*taken->resolved.turn, {}));
    if (outcome && outcome->verdict.kind == "spoke") ledger.acknowledged.insert("answer");
  }
  if (life.outside.done.contains("c1")) ledger.tried.insert("ran before it looked");
  world.run(life.house->house.runner().stop(Millis{0}));
  world.settle();
}

std::string recover(World& world, const Ledger& ledger) {
  const RuledLife life(world);
  EXPECT_TRUE(life.house);
  if (!life.house) return "nothing";
  world.run_for(minutes(10));
  EXPECT_FALSE(ledger.tried.contains("ran before it looked"));
  EXPECT_FALSE(life.outside.done.contains("c1"));
  Database& database = *life.database;
  expect_session_invariants(database, "after the kill");
  const auto number = [&](std::string_view sql) {
    return database.read({sql, {}})->front().integer(0);
  };
  // The variable is set exactly if the look is in the transcript.
  const bool looked = number("SELECT COUNT(*) FROM messages WHERE content LIKE '%look done%'") > 0;
  const bool remembered =
      number("SELECT COUNT(*) FROM lifecycle_state WHERE variables LIKE '%\"looked\":true%'") > 0;
  EXPECT_EQ(looked, remembered);
  EXPECT_LE(number("SELECT COUNT(*) FROM lifecycle_state"), 1);
  if (ledger.acknowledged.contains("answer")) {
    EXPECT_TRUE(looked);
    EXPECT_GT(number("SELECT COUNT(*) FROM lifecycle_firings"), 0);
  }
  // A turn that died twice with nothing under way is put aside; tried once more it would have
  // looked.
  const bool put_aside = number("SELECT COUNT(*) FROM turns WHERE state = 'parked'") > 0;
  EXPECT_EQ(
      number(fmt::format("SELECT COUNT(*) FROM turns WHERE state = 'parked' AND attempts < {}",
                         kTurnAttempts)),
      0);
  world.run(life.house->house.runner().stop(seconds(1)));
  world.close_store();
  return fmt::format("looked {}", looked || put_aside);
}

TEST(LifecycleKilledAtEveryWrite, WhatTheRulesRememberFitsWhatWasKept) {
  KillScenario scenario;
  scenario.steps = {{"a turn under rules", talk}};
  scenario.boot = [](World& world) {
    const RuledLife life(world);
    world.run_for(seconds(1));
  };
  scenario.recover = recover;
  scenario.stride = kSlowBuild ? 3 : 1;
  const KillReport report = kill_at_every_write(scenario, 9);
  EXPECT_GT(report.kills * scenario.stride, 20);
}

}  // namespace
}  // namespace rouse::sim
