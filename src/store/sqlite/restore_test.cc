#include "store/sqlite/restore.h"

#include <gtest/gtest.h>

#include "store/sqlite/connection.h"
#include "tests/sim/world.h"

namespace rouse::sqlite {
namespace {

class RestoreTest : public testing::Test {
 protected:
  void SetUp() override {
    add("first");
    ASSERT_TRUE(world.run((*world.open_store())->backup("/safe.db")));
    world.close_store();
    world.run_for(seconds(1));
    add("second");
  }
  void add(const std::string& id) {
    auto db = world.open_store();
    ASSERT_TRUE(db) << db.error();
    ASSERT_TRUE(world.run((*db)->write(one(
        "INSERT INTO workspaces (workspace_id, kind, name, created_ms) VALUES ($1, 'p', 'n', 1)",
        {id}))));
    world.close_store();
  }
  std::int64_t workspaces() {
    auto db = world.open_store();
    EXPECT_TRUE(db) << db.error();
    const auto n = (*db)->read({"SELECT count(*) FROM workspaces", {}})->front().integer(0);
    world.close_store();
    return n;
  }
  Result<Restored> restore(const std::string& file) {
    world.run_for(seconds(1));
    return restore_sqlite("/data", file, world.clock(), world);
  }
  sim::World world{1};
};

TEST_F(RestoreTest, RefusesWhatAStartWouldRefuse) {
  {
    auto db = Connection::open("/safe.db", Access::kReadWrite, {.vfs = world.vfs()});
    ASSERT_TRUE(db) << db.error();
    ASSERT_TRUE(db->exec("CREATE TABLE evil (x TEXT)"));
  }
  const auto restored = restore("/safe.db");
  ASSERT_FALSE(restored);
  EXPECT_NE(restored.error().message.find("not as rouse made them"), std::string::npos);
  EXPECT_EQ(workspaces(), 2);
}

TEST_F(RestoreTest, PutsTheBackupInPlaceAndCanBeUndone) {
  ASSERT_EQ(workspaces(), 2);
  const auto restored = restore("/safe.db");
  ASSERT_TRUE(restored) << restored.error();
  EXPECT_TRUE(restored->moved_to.starts_with("/data/backups/replaced-2026")) << restored->moved_to;
  EXPECT_EQ(workspaces(), 1);
  const auto undone = restore(restored->moved_to + "/rouse.db");
  ASSERT_TRUE(undone) << undone.error();
  EXPECT_EQ(workspaces(), 2);
}

TEST_F(RestoreTest, BringsBackWritesThatWereStillInTheLogOfTheReplacedOne) {
  auto db = world.open_store();
  ASSERT_TRUE(world.run((*db)->write(one(
      "INSERT INTO workspaces (workspace_id, kind, name, created_ms) VALUES ('third', 'p', 'n', 1)",
      {}))));
  world.disk().kill_now();
  world.drop_store();
  world.disk().power_cycle(Unsynced::kKeepNone);
  ASSERT_GT(*world.disk().size("/data/rouse.db-wal").value(), 0);
  const auto restored = restore("/safe.db");
  ASSERT_TRUE(restored) << restored.error();
  EXPECT_EQ(workspaces(), 1);
  ASSERT_TRUE(restore(restored->moved_to + "/rouse.db"));
  EXPECT_EQ(workspaces(), 3);
}

TEST_F(RestoreTest, RefusesWhileTheStoreIsInUse) {
  ASSERT_TRUE(world.open_store());
  const auto refused = restore("/safe.db");
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().is(StoreErrc::kOwned)) << refused.error();
  world.close_store();
  EXPECT_EQ(workspaces(), 2);
}

TEST_F(RestoreTest, RefusesWhatIsNotASoundBackupAndChangesNothing) {
  std::string damaged = *world.disk().content("/safe.db");
  damaged.replace(8192, 4096, std::string(4096, '\x5a'));
  world.disk().put("/damaged.db", damaged);
  world.disk().put("/garbage.db", std::string(5000, 'x'));
  world.disk().put("/truncated.db", damaged.substr(0, 8192));
  world.disk().put("/empty.db", "");
  const auto before = world.disk().content("/data/rouse.db");
  for (const char* file : {"/damaged.db", "/garbage.db", "/truncated.db", "/empty.db"}) {
    const auto refused = restore(file);
    ASSERT_FALSE(refused) << file;
    EXPECT_TRUE(refused.error().is(StoreErrc::kCorrupt)) << refused.error();
    EXPECT_NE(refused.error().message.find(file), std::string::npos) << refused.error();
  }
  EXPECT_FALSE(restore("/no such file.db"));
  EXPECT_FALSE(restore("/data/rouse.db"));
  EXPECT_TRUE(world.disk().content("/data/rouse.db") == before) << "the file has changed";
  EXPECT_FALSE(world.disk().content("/data/rouse.db.restoring"));
}

TEST_F(RestoreTest, CutShortAnywhereItCanBeRunAgain) {
  const auto before = world.disk().snapshot();
  for (std::int64_t n = 1;; ++n) {
    SCOPED_TRACE(n);
    world.disk().restore(before);
    world.disk().kill_at(n);
    const auto cut_short = restore("/safe.db");
    if (!world.disk().killed()) break;
    EXPECT_FALSE(cut_short);
    world.disk().power_cycle(Unsynced::kKeepSome, static_cast<std::uint64_t>(n));
    // Whatever state it is in, it is never taken for an empty store …
    if (auto db = world.open_store()) {
      EXPECT_GE((*db)->read({"SELECT count(*) FROM workspaces", {}})->front().integer(0), 1);
      world.close_store();
    }
    // … and a second try finishes the job.
    const auto again = restore("/safe.db");
    ASSERT_TRUE(again) << again.error();
    EXPECT_EQ(workspaces(), 1);
  }
}

}  // namespace
}  // namespace rouse::sqlite
