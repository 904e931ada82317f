// Opening on a real file system: who may, what is refused, and that nothing is ever overwritten.
#include "store/sqlite/open.h"

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "base/temp_dir_for_tests.h"
#include "store/sqlite/connection.h"
#include "store/sqlite/layout.h"
#include "tests/sim/world.h"

namespace rouse::sqlite {
namespace {

namespace fs = std::filesystem;

std::string read_all(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

void write_all(const std::string& path, std::string_view content) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
}

int mode_of(const std::string& path) {
  struct stat info{};
  return ::stat(path.c_str(), &info) == 0 ? static_cast<int>(info.st_mode & 0777) : -1;
}

class OpenTest : public testing::Test {
 protected:
  Result<std::unique_ptr<Database>> open() {
    return open_sqlite({.data_dir = layout.dir, .loop = loop, .clock = clock});
  }
  void make_store() {
    auto db = open();
    ASSERT_TRUE(db) << db.error();
    bool closed = false;
    loop.spawn("close", [](Database& store, bool* done) -> Task<void> {
      co_await store.close();
      *done = true;
    }(**db, &closed));
    loop.context().restart();
    loop.run();
    ASSERT_TRUE(closed);
  }
  void expect_refused_untouched(StoreErrc code, const std::string& words) {
    const std::string before = read_all(layout.database());
    const auto refused = open();
    ASSERT_FALSE(refused);
    EXPECT_TRUE(refused.error().is(code)) << refused.error();
    EXPECT_NE(refused.error().message.find(words), std::string::npos) << refused.error();
    EXPECT_TRUE(read_all(layout.database()) == before) << "the file has changed";
  }

  TempDir dir;
  Layout layout{dir.path() + "/data"};
  Loop loop;
  RealClock clock{loop};
};

TEST_F(OpenTest, MakesADirectoryAndFilesThatOnlyTheirOwnerCanRead) {
  const auto before = ::umask(0);
  auto db = open();
  ::umask(before);
  ASSERT_TRUE(db) << db.error();
  EXPECT_EQ(mode_of(layout.dir), 0700);
  for (const auto& file : {layout.database(), layout.wal(), layout.shm(), layout.lock()}) {
    EXPECT_EQ(mode_of(file), 0600) << file;
  }
}

TEST_F(OpenTest, RepairsAFileThatOthersCouldRead) {
  make_store();
  ASSERT_EQ(::chmod(layout.database().c_str(), 0644), 0);
  make_store();
  EXPECT_EQ(mode_of(layout.database()), 0600);
}

// CR-18
TEST_F(OpenTest, ASecondOwnerIsToldWhoHasItAndWhere) {
  ASSERT_TRUE(posix_files().make_private_dir(layout.dir));
  int ready[2];
  int done[2];
  ASSERT_EQ(::pipe(ready), 0);
  ASSERT_EQ(::pipe(done), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto lock = posix_files().lock(layout.lock(), std::to_string(::getpid()) + " now\n");
    char byte = lock ? 'y' : 'n';
    if (::write(ready[1], &byte, 1) != 1) ::_exit(1);
    ::close(done[1]);
    [[maybe_unused]] const auto n = ::read(done[0], &byte, 1);  // until the parent is done
    ::_exit(0);
  }
  char byte = 'n';
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  ASSERT_EQ(byte, 'y');
  const auto refused = open();
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().is(StoreErrc::kOwned));
  EXPECT_NE(refused.error().message.find("Another rouse (process " + std::to_string(child)),
            std::string::npos)
      << refused.error();
  EXPECT_NE(refused.error().message.find(layout.dir), std::string::npos);
  EXPECT_FALSE(fs::exists(layout.database()));
  ::close(done[1]);
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(open()) << "the lock ends with its process, whatever the file says";
}

TEST_F(OpenTest, TheSameProcessCannotOpenItTwiceEither) {
  auto first = open();
  ASSERT_TRUE(first);
  const auto second = open();
  ASSERT_FALSE(second);
  EXPECT_TRUE(second.error().is(StoreErrc::kOwned));
  first->reset();
  EXPECT_TRUE(open());
}

TEST_F(OpenTest, AStaleLockFileIsNoObstacle) {
  ASSERT_TRUE(posix_files().make_private_dir(layout.dir));
  write_all(layout.lock(), "1 2020-01-01T00:00:00.000Z\n");
  EXPECT_TRUE(open());
}

// CR-26
TEST_F(OpenTest, AFileThatIsNotADatabaseIsRefusedAndKept) {
  ASSERT_TRUE(posix_files().make_private_dir(layout.dir));
  write_all(layout.database(), std::string(10'000, 'x'));
  expect_refused_untouched(StoreErrc::kCorrupt, "rouse restore");
  write_all(layout.database(), "short");
  expect_refused_untouched(StoreErrc::kCorrupt, layout.database());
}

TEST_F(OpenTest, ATruncatedDatabaseIsRefusedAndKept) {
  make_store();
  const std::string whole = read_all(layout.database());
  ASSERT_GT(whole.size(), 8192U);
  for (const std::size_t size : {std::size_t{100}, std::size_t{4096}, std::size_t{5000},
                                 whole.size() - 4096, whole.size() - 1}) {
    SCOPED_TRACE(size);
    write_all(layout.database(), whole.substr(0, size));
    expect_refused_untouched(StoreErrc::kCorrupt, "rouse restore");
  }
}

TEST_F(OpenTest, AnotherProgramsDatabaseIsRefusedAndKept) {
  ASSERT_TRUE(posix_files().make_private_dir(layout.dir));
  {
    ASSERT_TRUE(posix_files().create_private(layout.database()));
    auto other = Connection::open(layout.database(), Access::kReadWrite, {});
    ASSERT_TRUE(other->exec("CREATE TABLE theirs (x)"));
  }
  expect_refused_untouched(StoreErrc::kCorrupt, "another program");
}

TEST_F(OpenTest, TablesChangedBehindOurBackAreNoticed) {
  make_store();
  {
    auto other = Connection::open(layout.database(), Access::kReadWrite, {});
    ASSERT_TRUE(other->exec("DROP INDEX idx_tokens_hash"));
  }
  const auto refused = open();
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().is(StoreErrc::kCorrupt)) << refused.error();
}

TEST_F(OpenTest, AStoreThatLostItsMainFileIsNotTakenForANewOne) {
  make_store();
  fs::remove(layout.database());
  write_all(layout.wal(), "the latest writes");
  const auto no_file = open();
  ASSERT_FALSE(no_file);
  EXPECT_TRUE(no_file.error().is(StoreErrc::kCorrupt));
  EXPECT_NE(no_file.error().message.find("missing"), std::string::npos) << no_file.error();

  write_all(layout.database(), "");
  const auto empty_file = open();
  ASSERT_FALSE(empty_file);
  EXPECT_NE(empty_file.error().message.find("empty"), std::string::npos) << empty_file.error();

  fs::remove(layout.wal());
  fs::remove(layout.database());
  fs::create_directory(layout.backups());
  write_all(layout.backups() + "/before-2-x.db", "a backup");
  const auto backups_only = open();
  ASSERT_FALSE(backups_only);
  EXPECT_TRUE(backups_only.error().is(StoreErrc::kCorrupt));
  EXPECT_FALSE(fs::exists(layout.database()));
}

TEST_F(OpenTest, ADirectoryThatCannotBeWrittenIsSaidSo) {
  if (::geteuid() == 0)
    GTEST_SKIP() << "root may write anywhere; OpenOnAFaultyDisk asks the same of a simulated disk";
  ASSERT_TRUE(posix_files().make_private_dir(layout.dir));
  ASSERT_EQ(::chmod(layout.dir.c_str(), 0500), 0);
  const auto refused = open();
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().is(StoreErrc::kReadOnly)) << refused.error();
}

TEST_F(OpenTest, AFileInThePlaceOfTheDirectoryIsSaidSo) {
  write_all(layout.dir, "a file");
  const auto refused = open();
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find(layout.dir), std::string::npos) << refused.error();
}

TEST(OpenOnAFaultyDisk, AReadOnlyDiskIsSaidSoAndLeftAlone) {
  sim::World world(1);
  ASSERT_TRUE(world.open_store());
  world.close_store();
  world.disk().set_read_only(true);
  const auto refused = world.open_store();
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().is(StoreErrc::kReadOnly)) << refused.error();
  world.disk().set_read_only(false);
  EXPECT_TRUE(world.open_store());
}

TEST(OpenOnAFaultyDisk, AFullDiskIsSaidSoAndNothingIsLost) {
  sim::World world(1);
  ASSERT_TRUE(world.open_store());
  world.close_store();
  world.disk().set_quota(world.disk().bytes_used());
  const auto refused = world.open_store();
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().is(StoreErrc::kFull)) << refused.error();
  EXPECT_NE(refused.error().message.find("disk is full"), std::string::npos);
  world.disk().set_quota({});
  EXPECT_TRUE(world.open_store());
}

TEST(OpenOnAFaultyDisk, ADeadDiskIsSaidSoAndTheFileIsKept) {
  sim::World world(1);
  ASSERT_TRUE(world.open_store());
  world.close_store();
  const auto before = world.disk().content("/data/rouse.db");
  world.disk().kill_now();
  const auto refused = world.open_store();
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().is(StoreErrc::kIo)) << refused.error();
  world.disk().power_cycle(Unsynced::kKeepAll);
  EXPECT_TRUE(world.disk().content("/data/rouse.db") == before) << "the file has changed";
}

TEST(OpenOnAFaultyDisk, OpeningAnExistingStoreCostsOneCommit) {
  sim::World world(1);
  ASSERT_TRUE(world.open_store());
  world.close_store();
  int syncs = 0;
  world.disk().observe(
      [&](const std::string& change) { syncs += change.starts_with("sync ") ? 1 : 0; });
  ASSERT_TRUE(world.open_store());
  world.disk().observe({});
  EXPECT_EQ(syncs, 1) << "the commit of the epoch and nothing else";
}

}  // namespace
}  // namespace rouse::sqlite
