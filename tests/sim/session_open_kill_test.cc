// Two greetings, killed at every single write. A greeting is whole or not there at all, nobody is
// greeted late, and no conversation is left that nobody began (AP-7).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "proactive/session_open_for_tests.h"
#include "session/invariants_for_tests.h"
#include "tests/sim/kill_at_every_write.h"

namespace rouse::sim {
namespace {

struct OpenLife {
  explicit OpenLife(World& world) {
    auto opened = world.open_store();
    if (!opened) return;
    database = *opened;
    model = std::make_shared<ScriptedModel>();
    model->otherwise = [](const ModelRequest& request) {
      return request.messages.size() == 1 ? ScriptedAnswer::calls_tool("c1", "look")
                                          : ScriptedAnswer::says("Hello!");
    };
    house = std::make_unique<AgentHouseForTests>(world, *database, model, outside);
    greeter = std::make_unique<OpensForTests>(world, *database, *house);
    if (!world.run(house->start())) house.reset();
    if (!house) return;
    (void)world.run(greeter->removal.finish_deletes());
    world.run(greeter->opens.start());
  }
  OutsideForTests outside;
  Database* database = nullptr;
  std::shared_ptr<ScriptedModel> model;
  std::unique_ptr<AgentHouseForTests> house;
  std::unique_ptr<OpensForTests> greeter;
};

void greet(World& world, Ledger& ledger) {
  const OpenLife life(world);
  if (!life.house) return;
  for (const std::string peer : {"a", "a"}) {
    std::vector<SessionOpened> opened;
    world.loop().spawn(
        "open",
        [](SessionOpen& opens, std::string name, std::vector<SessionOpened>* out) -> Task<void> {
          out->push_back(co_await opens.open(OpensForTests::door(name)));
        }(life.greeter->opens, peer, &opened));
    world.run_for(minutes(6));
    if (opened.empty()) break;
    if (!opened.front().silent) ++ledger.numbers[peer];
  }
  world.run(life.house->house.runner().stop(Millis{0}));
  world.settle();
}

std::string recover(World& world, const Ledger& ledger) {
  const OpenLife life(world);
  EXPECT_TRUE(life.house);
  if (!life.house) return "nothing";
  world.run_for(minutes(1));
  EXPECT_TRUE(life.model->requests.empty()) << "somebody is greeted late";
  Database& database = *life.database;
  expect_session_invariants(database, "after the kill");
  const auto number = [&](std::string_view sql) {
    return database.read({sql, {}})->front().integer(0);
  };
  EXPECT_EQ(number("SELECT COUNT(*) FROM turns WHERE state NOT IN ('done', 'parked')"), 0);
  EXPECT_EQ(number("SELECT COUNT(*) FROM turn_steps"), 0);
  EXPECT_EQ(number("SELECT COUNT(*) FROM messages WHERE role = 'user'"), 0);
  EXPECT_EQ(
      number("SELECT COUNT(*) FROM conversations c WHERE NOT EXISTS (SELECT 1 FROM messages m "
             "WHERE m.conversation_id = c.conversation_id)"),
      0);
  // Each greeting has its call, its result and its words.
  const std::int64_t spoke = number("SELECT COUNT(*) FROM turns WHERE verdict = 'spoke'");
  EXPECT_EQ(number("SELECT COUNT(*) FROM messages"), 3 * spoke);
  std::int64_t acknowledged = 0;
  for (const auto& [peer, times] : ledger.numbers) acknowledged += times;
  EXPECT_GE(spoke, acknowledged);
  EXPECT_LE(spoke, acknowledged + 1);
  world.run(life.house->house.runner().stop(seconds(1)));
  world.close_store();
  return fmt::format("{} greetings", spoke);
}

TEST(SessionOpenKilledAtEveryWrite, LeavesAWholeGreetingOrNone) {
  KillScenario scenario;
  scenario.steps = {{"two opens", greet}};
  scenario.boot = [](World& world) {
    const OpenLife life(world);
    world.run_for(seconds(1));
  };
  scenario.recover = recover;
  scenario.stride = kSlowBuild ? 3 : 1;
  const KillReport report = kill_at_every_write(scenario, 8);
  EXPECT_GT(report.kills * scenario.stride, 20);
}

}  // namespace
}  // namespace rouse::sim
