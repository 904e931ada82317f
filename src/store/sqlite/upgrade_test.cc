// UX-5: an upgrade either happens wholly, with a copy put aside, or not at all.
#include "store/sqlite/upgrade.h"

#include <gtest/gtest.h>

#include "base/fault.h"
#include "tests/sim/world.h"

namespace rouse::sqlite {
namespace {

constexpr Migration kOne{1, "people",
                         "CREATE TABLE people (id BIGINT PRIMARY KEY, name TEXT, age BIGINT)"};
constexpr Migration kTwo{2, "pets",
                         "CREATE TABLE pets (id BIGINT PRIMARY KEY, owner BIGINT REFERENCES "
                         "people (id)); ALTER TABLE people ADD COLUMN note TEXT"};

class UpgradeTest : public testing::Test {
 protected:
  // A store of the first release with three people in it, closed.
  void SetUp() override {
    auto db = world.open_store(std::vector{kOne});
    ASSERT_TRUE(db) << db.error();
    for (std::int64_t i = 1; i <= 3; ++i) {
      ASSERT_TRUE(
          world.run((*db)->write(one("INSERT INTO people (id, name, age) VALUES ($1, $2, $1)",
                                     {i, std::string("p") + std::to_string(i)}))));
    }
    world.close_store();
    world.run_for(seconds(1));
  }

  std::vector<std::string> backups() { return *world.disk().list("/data/backups"); }

  void expect_undone(const Migration& step, const std::string& words) {
    const auto before = world.disk().content("/data/rouse.db");
    const auto refused = world.open_store(std::vector{kOne, step});
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message.find(words), std::string::npos) << refused.error();
    EXPECT_TRUE(world.disk().content("/data/rouse.db") == before) << "the file has changed";
    EXPECT_TRUE(backups().empty());
    auto db = world.open_store(std::vector{kOne});
    ASSERT_TRUE(db) << db.error();
    EXPECT_EQ((*db)->read({"SELECT count(*) FROM people", {}})->front().integer(0), 3);
    world.close_store();
  }

  sim::World world{1};
};

TEST_F(UpgradeTest, RunsTheNewStepsAndPutsACopyAside) {
  auto db = world.open_store(std::vector{kOne, kTwo});
  ASSERT_TRUE(db) << db.error();
  EXPECT_TRUE((*db)->read({"SELECT people.id, note FROM people, pets", {}}));
  ASSERT_EQ(backups().size(), 1U);
  EXPECT_TRUE(backups()[0].starts_with("before-2-2026")) << backups()[0];
  auto copy =
      Connection::open("/data/backups/" + backups()[0], Access::kImmutable, {.vfs = world.vfs()});
  ASSERT_TRUE(copy) << copy.error();
  EXPECT_EQ(*copy->integer("SELECT count(*) FROM people"), 3);
  EXPECT_EQ(*copy->integer("PRAGMA user_version"), 1);
}

TEST_F(UpgradeTest, ANewStoreNeedsNoCopy) { EXPECT_TRUE(backups().empty()); }

TEST_F(UpgradeTest, OpeningACurrentStoreChangesNothing) {
  ASSERT_TRUE(world.open_store(std::vector{kOne, kTwo}));
  world.close_store();
  ASSERT_TRUE(world.open_store(std::vector{kOne, kTwo}));
  EXPECT_EQ(backups().size(), 1U);
}

TEST_F(UpgradeTest, AStepThatFailsUndoesAllOfThem) {
  expect_undone({2, "broken", "CREATE TABLE pets (id BIGINT); INSERT INTO nowhere VALUES (1)"},
                "step 2 ('broken')");
}

TEST_F(UpgradeTest, AStepThatLosesRowsIsUndone) {
  expect_undone({2, "careless", "DELETE FROM people WHERE id = 2"},
                "people would have 2 rows instead of 3");
  expect_undone({2, "drops", "DROP TABLE people"}, "people with 3 rows would be gone");
}

TEST_F(UpgradeTest, AStepThatEmptiesAColumnIsUndone) {
  expect_undone({2, "forgetful", "UPDATE people SET name = NULL WHERE id = 1"},
                "people.name would have 2 values instead of 3");
}

TEST_F(UpgradeTest, AStepMayLoseWhatItDeclares) {
  const Migration step{2, "tidy", "DELETE FROM people WHERE id = 2", "people"};
  auto db = world.open_store(std::vector{kOne, step});
  ASSERT_TRUE(db) << db.error();
  EXPECT_EQ((*db)->read({"SELECT count(*) FROM people", {}})->front().integer(0), 2);
}

TEST_F(UpgradeTest, AStepThatLeavesRowsReferringToNothingIsUndone) {
  expect_undone({2, "orphans",
                 "CREATE TABLE pets (owner BIGINT REFERENCES people (id)); "
                 "INSERT INTO pets VALUES (99)"},
                "rows that refer to nothing");
}

TEST_F(UpgradeTest, AStepMayRebuildATableOthersReferTo) {
  ASSERT_TRUE(world.open_store(std::vector{kOne, kTwo}));
  world.close_store();
  const Migration rebuild{
      3, "rebuild",
      "CREATE TABLE people2 (id BIGINT PRIMARY KEY, name TEXT NOT NULL, age BIGINT, "
      "note TEXT); INSERT INTO people2 SELECT * FROM people; DROP TABLE people; "
      "ALTER TABLE people2 RENAME TO people"};
  const auto db = world.open_store(std::vector{kOne, kTwo, rebuild});
  ASSERT_TRUE(db) << db.error();
}

TEST_F(UpgradeTest, ADowngradeIsRefused) {
  ASSERT_TRUE(world.open_store(std::vector{kOne, kTwo}));
  world.close_store();
  const auto refused = world.open_store(std::vector{kOne});
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().is(StoreErrc::kNewer)) << refused.error();
  EXPECT_NE(refused.error().message.find("schema 2"), std::string::npos);
  EXPECT_NE(refused.error().message.find("schema 1"), std::string::npos);
  EXPECT_TRUE(world.open_store(std::vector{kOne, kTwo}));
}

TEST_F(UpgradeTest, AStepWhoseTextWasEditedIsNoticed) {
  Migration edited = kOne;
  edited.sql = "CREATE TABLE people (id BIGINT PRIMARY KEY)";
  const auto refused = world.open_store(std::vector{edited});
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().is(StoreErrc::kCorrupt)) << refused.error();
}

TEST_F(UpgradeTest, ADiskTooFullForTheCopyStopsTheUpgradeBeforeItBegins) {
  world.disk().set_quota(world.disk().bytes_used() + 8192);
  const auto refused = world.open_store(std::vector{kOne, kTwo});
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().is(StoreErrc::kFull)) << refused.error();
  world.disk().set_quota({});
  EXPECT_TRUE(backups().empty());
  EXPECT_TRUE(world.open_store(std::vector{kOne}));
}

TEST_F(UpgradeTest, KeepsTheNewestFiveCopies) {
  std::vector<std::string> texts;
  std::vector<Migration> steps{kOne};
  texts.reserve(20);
  for (int n = 2; n <= 9; ++n) {
    texts.push_back("CREATE TABLE t" + std::to_string(n) + " (x BIGINT)");
    steps.push_back({n, "more", texts.back()});
    ASSERT_TRUE(world.open_store(steps));
    world.close_store();
    world.run_for(seconds(1));
  }
  ASSERT_EQ(backups().size(), 5U);
  EXPECT_TRUE(backups().front().starts_with("before-5-"));
  EXPECT_TRUE(backups().back().starts_with("before-9-"));
}

}  // namespace
}  // namespace rouse::sqlite
