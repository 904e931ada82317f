#include "app/backup_folder.h"

#include <sys/stat.h>

#include <gtest/gtest.h>

#include "base/files.h"
#include "base/temp_dir_for_tests.h"

namespace rouse {
namespace {

std::vector<BackupFile> list(const std::string& folder, WallTime since) {
  Loop loop;
  BlockingPool pool;
  BackupFolder shelf(pool, folder);
  Result<std::vector<BackupFile>> found;
  loop.spawn("list", [](BackupFolder& in, WallTime time, auto* out) -> Task<void> {
    *out = co_await in.since(time);
  }(shelf, since, &found));
  loop.run();
  EXPECT_TRUE(found) << found.error();
  return *found;
}

TEST(BackupFolder, NamesTheFilesThatWereWrittenSince) {
  TempDir dir;
  const std::string old = dir.path() + "/old.db";
  ASSERT_TRUE(write_file_atomic(old, "12345"));
  ASSERT_TRUE(write_file_atomic(dir.path() + "/new.db", "123"));
  ASSERT_TRUE(write_file_atomic(dir.path() + "/download-1.db", "1"));
  const timespec times[2] = {{100, 0}, {100, 0}};
  ASSERT_EQ(::utimensat(AT_FDCWD, old.c_str(), times, 0), 0);
  EXPECT_EQ(list(dir.path(), {100'000}), (std::vector<BackupFile>{{"new.db", 3}, {"old.db", 5}}));
  EXPECT_EQ(list(dir.path(), {100'001}), (std::vector<BackupFile>{{"new.db", 3}}));
}

TEST(BackupFolder, AFolderThatWasNeverMadeHoldsNothing) {
  TempDir dir;
  EXPECT_TRUE(list(dir.path() + "/backups", {0}).empty());
}

}  // namespace
}  // namespace rouse
