#include "store/sqlite/steady_vfs.h"

#include <gtest/gtest.h>

#include "store/sqlite/connection.h"
#include "store/sqlite/fault_vfs_for_tests.h"
#include "store/sqlite/paced_pages.h"

namespace rouse::sqlite {
namespace {

class SteadyVfsTest : public testing::Test {
 protected:
  Connection open() {
    auto db = Connection::open("/t.db", Access::kReadWrite, {.vfs = steady.name()});
    EXPECT_TRUE(db) << db.error();
    EXPECT_TRUE(db->exec("PRAGMA synchronous=EXTRA; PRAGMA wal_autocheckpoint=0"));
    return std::move(*db);
  }
  Connection make() {
    EXPECT_TRUE(disk.create_private("/t.db"));
    auto db = open();
    EXPECT_EQ(*db.text("PRAGMA journal_mode=WAL"), "wal");
    EXPECT_TRUE(db.exec("CREATE TABLE t (x)"));
    return db;
  }
  static void fill_pages(Connection& db, int rows) {
    EXPECT_TRUE(db.exec("BEGIN IMMEDIATE"));
    for (int i = 0; i < rows; ++i) EXPECT_TRUE(db.exec("INSERT INTO t VALUES (randomblob(3500))"));
    EXPECT_TRUE(db.exec("COMMIT"));
  }
  void count(const std::string& call) {
    disk.observe([this, call](const std::string& what) {
      if (what.starts_with(call)) ++calls;
    });
  }

  FaultDisk disk;
  SteadyVfs steady{"steady-test", disk.vfs()};
  int calls = 0;
};

TEST_F(SteadyVfsTest, ACommitIsOneWriteAndEveryConnectionSeesIt) {
  auto db = make();
  auto reader = open();
  ASSERT_TRUE(db.exec("INSERT INTO t VALUES (1)"));
  count("write /t.db-wal");
  ASSERT_TRUE(db.exec("BEGIN IMMEDIATE"));
  for (int i = 0; i < 40; ++i) ASSERT_TRUE(db.exec("INSERT INTO t VALUES (randomblob(2000))"));
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(*reader.integer("SELECT count(*) FROM t"), 1);
  ASSERT_TRUE(db.exec("COMMIT"));
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(*reader.integer("SELECT count(*) FROM t"), 41);
  EXPECT_EQ(*reader.text("PRAGMA integrity_check"), "ok");
}

TEST_F(SteadyVfsTest, WhatATransactionSpilledIsReadBack) {
  auto db = make();
  ASSERT_TRUE(db.exec("PRAGMA cache_size=10; BEGIN IMMEDIATE"));
  for (int i = 0; i < 2'000; ++i) ASSERT_TRUE(db.exec("INSERT INTO t VALUES (randomblob(3000))"));
  EXPECT_EQ(*db.integer("SELECT sum(length(x)) FROM t"), 6'000'000);
  ASSERT_TRUE(db.exec("COMMIT"));
  EXPECT_EQ(*open().integer("SELECT sum(length(x)) FROM t"), 6'000'000);
  ASSERT_TRUE(db.exec("PRAGMA wal_checkpoint(TRUNCATE)"));
  EXPECT_EQ(disk.content("/t.db-wal")->size(), 0U);
  EXPECT_EQ(*open().text("PRAGMA integrity_check"), "ok");
}

TEST_F(SteadyVfsTest, AFailureToHandOnFailsTheCommitAndTheNextOneIsFine) {
  auto db = make();
  ASSERT_TRUE(db.exec("INSERT INTO t VALUES (1)"));
  disk.fail_at(disk.changes() + 1);
  EXPECT_FALSE(db.exec("INSERT INTO t VALUES (2)"));
  ASSERT_TRUE(db.exec("INSERT INTO t VALUES (3)"));
  EXPECT_EQ(*open().text("SELECT group_concat(x) FROM t"), "1,3");
  disk.set_quota(disk.bytes_used());
  EXPECT_FALSE(db.exec("INSERT INTO t VALUES (randomblob(20000))"));
  disk.set_quota({});
  EXPECT_EQ(*open().text("SELECT group_concat(x) FROM t"), "1,3");
}

TEST_F(SteadyVfsTest, PagesThatAreCopiedBackGoToTheDiskAFewAtATime) {
  auto db = make();
  fill_pages(db, 300);
  count("sync /t.db");
  ASSERT_TRUE(db.exec("PRAGMA wal_checkpoint(PASSIVE)"));
  EXPECT_EQ(calls, 300 / 64 + 1);  // those in between, the last one; the log's was the commit's
  EXPECT_EQ(*open().text("PRAGMA integrity_check"), "ok");
}

struct Counted : PagePace {
  Haste before_page() override {
    ++pages;
    return haste;
  }
  Haste haste = Haste::kAtLeisure;
  int pages = 0;
};

// ADR 23
TEST_F(SteadyVfsTest, APaceIsAskedBeforeEachPageAndPagesAtLeisureAreSyncedInSmallerShares) {
  auto db = make();
  Counted pace;
  auto copier = open();
  set_pace(copier.raw(), &pace);
  fill_pages(db, 300);
  ASSERT_TRUE(copier.exec("PRAGMA wal_checkpoint(PASSIVE)"));
  EXPECT_GE(pace.pages, 300);
  fill_pages(db, 300);
  count("sync /t.db");
  pace.pages = 0;
  ASSERT_TRUE(copier.exec("PRAGMA wal_checkpoint(PASSIVE)"));
  EXPECT_EQ(calls, pace.pages / PagePace::kPagesAtLeisure + 1);
  fill_pages(db, 300);
  pace.haste = PagePace::Haste::kInAHurry;
  calls = pace.pages = 0;
  ASSERT_TRUE(copier.exec("PRAGMA wal_checkpoint(PASSIVE)"));
  EXPECT_EQ(calls, pace.pages / 64 + 1);
  EXPECT_EQ(*open().text("PRAGMA integrity_check"), "ok");
}

TEST_F(SteadyVfsTest, AFailureInBetweenFailsTheCheckpointAndTheNextOneIsFine) {
  auto db = make();
  fill_pages(db, 100);
  disk.fail_at(disk.changes() + 64 + 1);
  EXPECT_FALSE(db.exec("PRAGMA wal_checkpoint(PASSIVE)"));
  ASSERT_TRUE(db.exec("PRAGMA wal_checkpoint(PASSIVE)"));
  EXPECT_EQ(*open().integer("SELECT count(*) FROM t"), 100);
  EXPECT_EQ(*open().text("PRAGMA integrity_check"), "ok");
}

// What a process that died has left in the log may not be on the disk yet: it must be before a page
// of the database is overwritten.
TEST_F(SteadyVfsTest, TheFirstCheckpointOfAConnectionSyncsTheLog) {
  auto db = make();
  fill_pages(db, 10);
  auto copier = open();
  count("sync /t.db-wal");
  ASSERT_TRUE(copier.exec("PRAGMA wal_checkpoint(PASSIVE)"));
  EXPECT_EQ(calls, 1);
  fill_pages(db, 10);
  calls = 0;  // the commit's own
  ASSERT_TRUE(copier.exec("PRAGMA wal_checkpoint(PASSIVE)"));
  EXPECT_EQ(calls, 0);
}

// One lock for all threads otherwise: the setting must come before SQLite is asked for anything.
TEST_F(SteadyVfsTest, AllocationsAreNotCounted) {
  auto db = make();
  EXPECT_EQ(sqlite3_memory_used(), 0);
}

// Whatever was committed before a power cut is there after it, at every place it can come.
TEST_F(SteadyVfsTest, APowerCutAtAnyChangeKeepsWhatWasCommitted) {
  {
    auto db = make();
  }
  const auto before = disk.snapshot();
  for (std::int64_t at = 1;; ++at) {
    disk.restore(before);
    disk.kill_at(at);
    std::int64_t committed = 0;
    {
      auto db = Connection::open("/t.db", Access::kReadWrite, {.vfs = steady.name()});
      if (db && db->exec("PRAGMA synchronous=EXTRA")) {
        while (committed < 6 && db->exec("INSERT INTO t VALUES (randomblob(5000))")) ++committed;
      }
    }
    const bool died = disk.killed();
    disk.power_cycle(Unsynced::kKeepSome, static_cast<std::uint64_t>(at));
    const std::int64_t found = *open().integer("SELECT count(*) FROM t");
    EXPECT_GE(found, committed) << "killed at change " << at;
    EXPECT_LE(found, committed + 1) << "killed at change " << at;
    if (!died) break;
  }
}

}  // namespace
}  // namespace rouse::sqlite
