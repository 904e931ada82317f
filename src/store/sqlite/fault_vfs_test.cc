// The fault disk itself: if it were wrong, every test on it would prove nothing.
#include <gtest/gtest.h>

#include "store/sqlite/connection.h"
#include "store/sqlite/fault_vfs_for_tests.h"

namespace rouse::sqlite {
namespace {

class FaultDiskTest : public testing::Test {
 protected:
  Connection open() {
    auto db = Connection::open("/t.db", Access::kReadWrite, {.vfs = disk.vfs()});
    EXPECT_TRUE(db) << db.error();
    return std::move(*db);
  }
  Connection make() {
    EXPECT_TRUE(disk.create_private("/t.db"));
    auto db = open();
    EXPECT_EQ(*db.text("PRAGMA journal_mode=WAL"), "wal");
    EXPECT_TRUE(db.exec("PRAGMA synchronous=FULL; CREATE TABLE t (x)"));
    return db;
  }
  std::int64_t rows() {
    const auto n = open().integer("SELECT count(*) FROM t");
    EXPECT_TRUE(n) << n.error();
    return n.value_or(-1);
  }

  FaultDisk disk;
};

TEST_F(FaultDiskTest, KeepsADatabaseWithALogAndSeveralConnections) {
  auto db = make();
  auto reader = open();
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(db.exec("INSERT INTO t VALUES (randomblob(500))"));
  EXPECT_EQ(*reader.integer("SELECT count(*) FROM t"), 100);
  EXPECT_EQ(*reader.text("PRAGMA integrity_check"), "ok");
  EXPECT_GT(disk.content("/t.db-wal")->size(), 50'000U);
}

TEST_F(FaultDiskTest, AWriterExcludesAnother) {
  auto db = make();
  auto other = open();
  ASSERT_TRUE(db.exec("BEGIN IMMEDIATE"));
  EXPECT_FALSE(other.exec("BEGIN IMMEDIATE"));
  ASSERT_TRUE(db.exec("COMMIT"));
  EXPECT_TRUE(other.exec("BEGIN IMMEDIATE"));
}

TEST_F(FaultDiskTest, SyncedDataSurvivesAPowerCutAndUnsyncedDoesNot) {
  {
    auto db = make();
    ASSERT_TRUE(db.exec("INSERT INTO t VALUES (1)"));
    ASSERT_TRUE(db.exec("PRAGMA synchronous=OFF; INSERT INTO t VALUES (2)"));
    disk.kill_now();
  }
  const auto dead = disk.snapshot();
  disk.power_cycle(Unsynced::kKeepNone);
  EXPECT_EQ(rows(), 1);
  disk.restore(dead);
  disk.power_cycle(Unsynced::kKeepAll);
  EXPECT_EQ(rows(), 2);
}

TEST_F(FaultDiskTest, ANewFileIsSureOnlyWhenSynced) {
  ASSERT_TRUE(disk.create_private("/sure"));
  {
    auto db = make();
    disk.kill_now();
  }
  EXPECT_TRUE(disk.content("/t.db-wal"));
  disk.power_cycle(Unsynced::kKeepNone);
  EXPECT_TRUE(disk.content("/sure"));
  EXPECT_TRUE(disk.content("/t.db"));
}

TEST_F(FaultDiskTest, KeepsSomeSectorsByTheSeed) {
  disk.put("/a", std::string(8192, 'a'));
  const auto write_unsynced = [&] {
    auto db = make();
    ASSERT_TRUE(db.exec("PRAGMA synchronous=OFF; INSERT INTO t VALUES (randomblob(20000))"));
    disk.kill_now();
  };
  write_unsynced();
  const auto dead = disk.snapshot();
  const auto cut = [&](std::uint64_t seed) {
    disk.restore(dead);
    disk.power_cycle(Unsynced::kKeepSome, seed);
    return disk.content("/t.db-wal").value_or("");
  };
  EXPECT_EQ(cut(1), cut(1));
  EXPECT_NE(cut(1), cut(2));
}

TEST_F(FaultDiskTest, AfterAKillEverythingFailsUntilThePowerIsBack) {
  auto db = make();
  disk.kill_at(disk.changes() + 2);
  EXPECT_FALSE(db.exec("INSERT INTO t VALUES (1)"));
  EXPECT_TRUE(disk.killed());
  EXPECT_FALSE(db.exec("INSERT INTO t VALUES (1)"));
  disk.power_cycle(Unsynced::kKeepNone);
  EXPECT_FALSE(db.exec("INSERT INTO t VALUES (1)")) << "an old connection is dead for good";
  EXPECT_EQ(rows(), 0);
}

TEST_F(FaultDiskTest, FailsOneChangeOnly) {
  auto db = make();
  disk.fail_at(disk.changes() + 1);
  EXPECT_FALSE(db.exec("INSERT INTO t VALUES (1)"));
  EXPECT_TRUE(db.exec("INSERT INTO t VALUES (1)"));
  EXPECT_EQ(rows(), 1);
}

TEST_F(FaultDiskTest, AQuotaIsAFullDisk) {
  auto db = make();
  disk.set_quota(disk.bytes_used() + 10'000);
  const auto full = db.exec("INSERT INTO t VALUES (randomblob(50000))");
  ASSERT_FALSE(full);
  EXPECT_TRUE(full.error().is(StoreErrc::kFull)) << full.error();
  disk.set_quota({});
  EXPECT_TRUE(db.exec("INSERT INTO t VALUES (randomblob(50000))"));
}

TEST_F(FaultDiskTest, ASnapshotIsNotChangedByWhatComesAfter) {
  auto db = make();
  ASSERT_TRUE(db.exec("INSERT INTO t VALUES (1)"));
  const auto image = disk.snapshot();
  ASSERT_TRUE(db.exec("INSERT INTO t VALUES (2)"));
  disk.restore(image);
  EXPECT_EQ(rows(), 1);
  disk.restore(image);
  EXPECT_EQ(rows(), 1);
}

TEST_F(FaultDiskTest, AShortReadIsNotTakenForData) {
  {
    auto db = make();
    ASSERT_TRUE(db.exec("INSERT INTO t VALUES (randomblob(20000))"));
  }
  disk.short_read_at(3);
  auto db = Connection::open("/t.db", Access::kReadWrite, {.vfs = disk.vfs()});
  const auto verdict = db ? db->text("PRAGMA integrity_check") : std::unexpected(db.error());
  EXPECT_TRUE(!verdict || *verdict != "ok");
}

}  // namespace
}  // namespace rouse::sqlite
