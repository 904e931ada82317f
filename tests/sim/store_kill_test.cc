// The store killed at every single write: first start, work with checkpoints, an upgrade, a backup.
// CR-26, CR-28: what was acknowledged is there, what was not is there wholly or not at all.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/sim/kill_at_every_write.h"

namespace rouse::sim {
namespace {

constexpr Migration kNotes{2, "notes",
                           "CREATE TABLE notes (id TEXT PRIMARY KEY, text TEXT NOT NULL); "
                           "ALTER TABLE tokens ADD COLUMN note TEXT; "
                           "INSERT INTO notes SELECT workspace_id, name FROM workspaces"};

const std::vector<Migration>& first_release() {
  static const std::vector<Migration> steps(schema().begin(), schema().begin() + 1);
  return steps;
}
const std::vector<Migration>& second_release() {
  static const std::vector<Migration> steps{first_release()[0], kNotes};
  return steps;
}

// A workspace and its token in one write, as the gateway makes them.
Write sign_up(const std::string& id) {
  Write write;
  write.statements.push_back(
      {"INSERT INTO workspaces (workspace_id, kind, name, created_ms) "
       "VALUES ($1, 'person', $2, 1)",
       {id, std::string(2500, 'n')},
       1});
  write.statements.push_back(
      {"INSERT INTO tokens (token_id, name, role, workspace_id, hash, created_ms) "
       "VALUES ($1, 'main', 'user', $1, $2, 1)",
       {id, Blob{id}},
       1});
  return write;
}

Task<void> sign_up_and_note(Database& db, std::string id, Ledger& ledger, int* left) {
  ledger.tried.insert(id);
  if (co_await db.write(sign_up(id))) ledger.acknowledged.insert(id);
  --*left;
}

// Opens, lets `people` sign up at once in groups of three; true if the disk lived through it.
bool work(World& world, Ledger& ledger, const std::vector<Migration>& steps,
          const std::string& prefix, int people) {
  sqlite::StoreLimits limits;
  limits.wal_copy_bytes = limits.wal_leisure_bytes = limits.wal_restart_bytes = 40 << 10;
  auto db = world.open_store(steps, limits);
  if (!db) return false;
  auto& epoch = ledger.numbers["epoch"];
  EXPECT_GT((*db)->owner_epoch(), epoch);
  epoch = (*db)->owner_epoch();
  for (int i = 0; i < people; i += 3) {
    int left = 3;
    for (int k = 0; k < 3; ++k) {
      world.loop().spawn("sign up",
                         sign_up_and_note(**db, fmt::format("{}{}", prefix, i + k), ledger, &left));
    }
    world.run_while([&] { return left > 0; });
  }
  return !world.disk().killed();
}

void boot(World& world) {
  if (world.open_store(second_release())) world.close_store();
}

std::string recover(World& world, const Ledger& ledger) {
  auto opened = world.open_store(second_release());
  EXPECT_TRUE(opened) << opened.error();
  if (!opened) return "nothing";
  Database& db = **opened;
  const auto epoch = ledger.numbers.find("epoch");
  if (epoch != ledger.numbers.end()) {
    EXPECT_GT(db.owner_epoch(), epoch->second);
  }
  const auto rows =
      db.read({"SELECT workspace_id, token_id FROM workspaces "
               "LEFT JOIN tokens USING (workspace_id) ORDER BY 1",
               {}});
  EXPECT_TRUE(rows) << rows.error();
  std::set<std::string> there;
  std::string all;
  for (const Row& row : *rows) {
    EXPECT_FALSE(row.is_null(1)) << row.text(0) << " is only half there";
    EXPECT_TRUE(ledger.tried.contains(row.text(0))) << row.text(0) << " came from nowhere";
    there.insert(row.text(0));
    all += row.text(0) + "\n";
  }
  EXPECT_EQ(db.read({"SELECT count(*) FROM tokens", {}})->front().integer(0),
            static_cast<std::int64_t>(there.size()));
  for (const auto& id : ledger.acknowledged) EXPECT_TRUE(there.contains(id)) << id << " is lost";
  EXPECT_TRUE(world.run(db.write(one("DELETE FROM notes WHERE id = $1", {std::string("x")}))));
  const auto sound = world.run(db.verify());
  EXPECT_TRUE(sound) << sound.error();
  world.close_store();
  return all;
}

TEST(StoreKilledAtEveryWrite, KeepsWhatWasAcknowledgedAndOpensAgain) {
  KillScenario scenario;
  scenario.steps.push_back({"first start", [](World& world, Ledger& ledger) {
                              if (work(world, ledger, first_release(), "a", 3)) world.close_store();
                            }});
  scenario.steps.push_back({"work, then vanish", [](World& world, Ledger& ledger) {
                              work(world, ledger, first_release(), "b", 9);
                            }});
  scenario.steps.push_back({"upgrade", [](World& world, Ledger& ledger) {
                              if (work(world, ledger, second_release(), "c", 3))
                                world.close_store();
                            }});
  scenario.steps.push_back({"backup while working", [](World& world, Ledger& ledger) {
                              auto db = world.open_store(second_release());
                              if (!db) return;
                              int left = 3;
                              for (const char* id : {"d0", "d1", "d2"}) {
                                world.loop().spawn("sign up",
                                                   sign_up_and_note(**db, id, ledger, &left));
                              }
                              const auto made = world.run((*db)->backup("/data/copy.db"));
                              world.run_while([&] { return left > 0; });
                              if (made) EXPECT_TRUE(world.disk().content("/data/copy.db"));
                              world.close_store();
                            }});
  scenario.boot = boot;
  scenario.recover = recover;
  const KillReport report = kill_at_every_write(scenario, 1);
  EXPECT_GT(report.kills, 150);
  EXPECT_EQ(report.recoveries, report.kills * 4);
  RecordProperty("kills", static_cast<int>(report.kills));
}

}  // namespace
}  // namespace rouse::sim
