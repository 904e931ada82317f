// A store of the first release is opened by this one, and killed at every few writes of the upgrade
// (store_kill_test.cc has a short one, killed at each). CR-26: either it is as it was, or it is
// upgraded; in both cases all that was kept is there.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/sim/kill_at_every_write.h"

namespace rouse::sim {
namespace {

constexpr int kPeople = 6;

void the_first_release(World& world, Ledger& ledger) {
  const auto store = world.open_store(schema().first(1));
  ASSERT_TRUE(store) << store.error();
  for (int i = 0; i < kPeople; ++i) {
    const std::string id = fmt::format("ws_{}", i);
    Write write;
    write.statements.push_back(
        {"INSERT INTO workspaces (workspace_id, kind, name, created_ms) VALUES ($1, 'team', $2, 1)",
         {id, std::string(2'000, 'n')},
         1});
    write.statements.push_back(
        {"INSERT INTO tokens (token_id, name, role, workspace_id, hash, created_ms) "
         "VALUES ($1, 'main', 'user', $1, $2, 1)",
         {id, Blob{id}},
         1});
    ASSERT_TRUE(world.run((*store)->write(std::move(write))));
    ledger.acknowledged.insert(id);
  }
  world.close_store();
}

void this_release(World& world, Ledger&) {
  if (world.open_store()) world.close_store();
}

std::string recover(World& world, const Ledger& ledger) {
  const auto store = world.open_store();
  EXPECT_TRUE(store) << store.error();
  if (!store) return "nothing";
  Database& database = **store;
  const auto rows = database.read(
      {"SELECT workspace_id, length(w.name) FROM workspaces w JOIN tokens USING (workspace_id)",
       {}});
  EXPECT_TRUE(rows) << rows.error();
  EXPECT_EQ(rows->size(), ledger.acknowledged.size());
  for (const Row& row : *rows) {
    EXPECT_TRUE(ledger.acknowledged.contains(row.text(0)));
    EXPECT_EQ(row.integer(1), 2'000);
  }
  // The last step has run, and rows that a step adds are there once.
  EXPECT_TRUE(database.read({"SELECT COUNT(*) FROM lifecycle_firings", {}}));
  EXPECT_EQ(database.read({"SELECT COUNT(*) FROM index_cursors", {}})->front().integer(0), 2);
  EXPECT_TRUE(world.run(database.verify()));
  world.close_store();
  return fmt::format("{} workspaces", rows->size());
}

TEST(UpgradeKilledOnTheWay, IsAllOrNothingAndLosesNothing) {
  KillScenario scenario;
  scenario.steps = {{"the first release", the_first_release, true}, {"this release", this_release}};
  scenario.boot = [](World& world) {
    if (world.open_store()) world.close_store();
  };
  scenario.recover = recover;
  scenario.stride = kSlowBuild ? 25 : 5;
  const KillReport report = kill_at_every_write(scenario, 5);
  EXPECT_GT(report.kills * scenario.stride, 10);
  fmt::print("an upgrade of {} steps, killed at {} writes, recovered {} times\n",
             schema().size() - 1, report.kills, report.recoveries);
}

}  // namespace
}  // namespace rouse::sim
