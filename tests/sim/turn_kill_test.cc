// A turn with three tool calls, killed at every single write. SE-4 to SE-7: after recovery its
// message is there if it was acknowledged, it has exactly one closure, each call of the transcript
// has its one result, and nothing that changes the world outside was done twice.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "agent/agent_for_tests.h"
#include "session/invariants_for_tests.h"
#include "tests/sim/kill_at_every_write.h"

namespace rouse::sim {
namespace {

// Two calls that change something and one that looks, then the last words. What it says depends
// only on what it is told, as a model's answer does: it goes on from any point.
ScriptedAnswer three_calls(const ModelRequest& request) {
  std::size_t results = 0;
  for (const PromptMessage& message : request.messages) {
    for (const PromptBlock& block : message.blocks) {
      if (block.kind == BlockKind::kToolResult) ++results;
    }
  }
  switch (results) {
    case 0:
      return ScriptedAnswer::calls_tool("look_1", "look");
    case 1:
      return ScriptedAnswer::calls_tool("change_1", "change").and_calls("change_2", "change");
    default:
      return ScriptedAnswer::says("All three are done.");
  }
}

struct Life {
  explicit Life(World& world) {
    auto opened = world.open_store();
    if (!opened) return;
    database = *opened;
    model = std::make_shared<ScriptedModel>();
    model->otherwise = three_calls;
    house = std::make_unique<AgentHouseForTests>(world, *database, model, outside());
    const auto started = world.run(house->start());
    if (!started) house.reset();
  }
  // The world outside doesn't forget when the process dies. The same death is recovered from in
  // several ways: each begins with what was done when it died.
  static OutsideForTests& outside() {
    static OutsideForTests world_outside;
    return world_outside;
  }
  static std::map<std::string, int>& done_at_death() {
    static std::map<std::string, int> done;
    return done;
  }
  static bool& booted() {  // a start that died itself came between
    static bool came_between = false;
    return came_between;
  }
  Database* database = nullptr;
  std::shared_ptr<ScriptedModel> model;
  std::unique_ptr<AgentHouseForTests> house;
};

void talk(World& world, Ledger& ledger) {
  Life::outside().done.clear();
  Life::done_at_death().clear();
  const Life life(world);
  if (!life.house) return;
  ledger.tried.insert("m1");
  const auto taken = world.run(life.house->runner().submit(chat_from("a", "do three", "m1")));
  if (!taken) return;
  ledger.acknowledged.insert("m1");
  std::stop_source given_up;
  std::optional<Result<TurnOutcome>> outcome;
  world.loop().spawn(
      "wait",
      [](TurnRunner& runner, TurnId id, std::stop_token stop,
         std::optional<Result<TurnOutcome>>* out) -> Task<void> {
        *out = co_await runner.wait(std::move(id), std::move(stop));
      }(life.house->runner(), *taken->resolved.turn, given_up.get_token(), &outcome));
  world.run_for(seconds(5));
  if (outcome && *outcome) ledger.acknowledged.insert("answered: " + (*outcome)->response);
  given_up.request_stop();
  world.settle();
  Life::done_at_death() = Life::outside().done;
}

void expect_whole_transcript(Database& database) {
  const auto rows =
      database.read({"SELECT role, content FROM messages ORDER BY conversation_id, seq", {}, 1000});
  ASSERT_TRUE(rows) << rows.error();
  std::map<std::string, int> open;
  for (const Row& row : *rows) {
    const auto content = decode_content(row.text(1));
    ASSERT_TRUE(content) << content.error();
    for (const ContentBlock& block : *content) {
      if (block.type == "tool_call") ++open[*block.call_id];
      if (block.type == "tool_result") --open[*block.call_id];
    }
  }
  for (const auto& [id, count] : open) EXPECT_EQ(count, 0) << id << " has not its one result";
}

std::string recover(World& world, const Ledger& ledger) {
  if (!std::exchange(Life::booted(), false)) Life::outside().done = Life::done_at_death();
  const Life life(world);
  EXPECT_TRUE(life.house);
  if (!life.house) return "nothing";
  world.run_for(minutes(1));  // what is tried again comes to its end
  Database& database = *life.database;
  expect_session_invariants(database, "after the kill");
  expect_whole_transcript(database);
  for (const auto& [call, times] : Life::outside().done) {
    if (call.starts_with("change")) EXPECT_EQ(times, 1) << call << " was done twice";
  }
  const auto turns = database.read(
      {"SELECT t.state, t.verdict, t.reason, (SELECT COUNT(*) FROM messages m WHERE m.turn_id = "
       "t.turn_id AND m.role = 'user'), (SELECT m.content FROM messages m WHERE m.turn_id = "
       "t.turn_id AND m.seq = t.last_seq) FROM turns t",
       {}});
  EXPECT_TRUE(turns) << turns.error();
  EXPECT_EQ(turns->size(), ledger.acknowledged.contains("m1") ? 1U : turns->size());
  EXPECT_LE(turns->size(), 1U);
  std::string all;
  for (const Row& row : *turns) {
    EXPECT_NE(row.text(0), "running") << "it waits for ever";
    EXPECT_NE(row.text(0), "queued") << "it waits for ever";
    EXPECT_EQ(row.integer(3), 1) << "one message, once";
    const auto last = decode_content(row.text(4));
    EXPECT_TRUE(last) << last.error();
    EXPECT_FALSE(readable_text(*last).empty()) << "no closure";
    if (ledger.acknowledged.contains("answered: All three are done.")) {
      EXPECT_EQ(readable_text(*last), "All three are done.");
    }
    // How it ended may differ: a turn that is tried again works on, and may die of it.
    all += fmt::format("{} with a closure\n", "a turn");
  }
  EXPECT_EQ(database.read({"SELECT COUNT(*) FROM turn_steps", {}})->front().integer(0), 0);
  world.run(life.house->house.runner().stop(seconds(1)));
  world.close_store();
  return all;
}

TEST(TurnKilledAtEveryWrite, EndsOnceAndDoesNothingTwice) {
  KillScenario scenario;
  scenario.steps = {{"a turn with three calls", talk}};
  scenario.boot = [](World& world) {
    Life::outside().done = Life::done_at_death();
    Life::booted() = true;
    const Life life(world);
    world.run_for(seconds(1));
  };
  scenario.recover = recover;
  const KillReport report = kill_at_every_write(scenario, 21);
  EXPECT_GT(report.kills, 20);
}

}  // namespace
}  // namespace rouse::sim
