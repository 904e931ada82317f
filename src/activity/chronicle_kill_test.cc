// The chronicle killed at every single write: whatever the moment, after the next start each chunk
// of work has exactly one row, with its event. S2-15
#include "activity/activity_for_tests.h"
#include "tests/sim/kill_at_every_write.h"

namespace rouse::sim {
namespace {

struct ChronicleLife {
  explicit ChronicleLife(World& in) : world(in) {}

  bool open() {
    auto opened = world.open_store();
    if (!opened) return false;
    db = *opened;
    house = std::make_unique<ActivityHouseForTests>(world, *db);
    return world.run(house->start()).has_value();
  }
  // Runs of automations: each is a chunk of its own.
  void work(Ledger& ledger) {
    if (!house->work("+1", TurnKind::kAutomation, "the trigger", "the report")) return;
    ledger.acknowledged.insert(house->last_turn.str());
  }
  void close() {
    world.run(house->chronicle.stop());
    house.reset();
    if (!world.disk().killed()) world.close_store();
  }
  std::vector<std::string> texts(std::string_view sql) {
    std::vector<std::string> out;
    const auto rows = db->read({sql, {}});
    EXPECT_TRUE(rows) << rows.error();
    if (!rows) return out;
    for (const Row& row : *rows) out.push_back(row.text(0));
    return out;
  }

  World& world;
  Database* db = nullptr;
  std::unique_ptr<ActivityHouseForTests> house;
};

void live(World& world, Ledger& ledger, Millis rest) {
  ChronicleLife life(world);
  if (life.open()) {
    life.work(ledger);
    world.run_for(rest);
  }
  if (life.house) life.close();
}

void boot(World& world) {
  ChronicleLife life(world);
  if (life.open()) world.run_for(minutes(3));
  if (life.house) life.close();
}

std::string recover(World& world, const Ledger& ledger) {
  ChronicleLife life(world);
  EXPECT_TRUE(life.open());
  world.run_for(minutes(3));
  const auto told = life.texts("SELECT turn_id FROM activity ORDER BY turn_id");
  EXPECT_EQ(told, life.texts("SELECT turn_id FROM turns ORDER BY turn_id"));
  EXPECT_EQ(told,
            life.texts("SELECT turn_id FROM events WHERE type = 'activity' ORDER BY turn_id"));
  for (const std::string& turn : ledger.acknowledged) {
    EXPECT_EQ(std::ranges::count(told, turn), 1) << turn;
  }
  EXPECT_EQ(life.texts("SELECT 'behind' FROM index_cursors WHERE name = 'activity' AND position <> "
                       "(SELECT COALESCE(MAX(position), 0) FROM messages)"),
            std::vector<std::string>{});
  life.close();
  return fmt::format("{}", fmt::join(told, "\n"));
}

TEST(ChronicleKilledAtEveryWrite, TellsEachChunkExactlyOnce) {
  KillScenario scenario;
  scenario.steps.push_back(
      {"told at once", [](World& world, Ledger& ledger) { live(world, ledger, minutes(3)); }});
  scenario.steps.push_back(
      {"left untold", [](World& world, Ledger& ledger) { live(world, ledger, seconds(10)); }});
  scenario.steps.push_back({"told with what was left",
                            [](World& world, Ledger& ledger) { live(world, ledger, minutes(3)); }});
  scenario.boot = boot;
  scenario.recover = recover;
  scenario.stride = 2;
  const KillReport report = kill_at_every_write(scenario, 1);
  EXPECT_GT(report.kills, 20);
}

}  // namespace
}  // namespace rouse::sim
