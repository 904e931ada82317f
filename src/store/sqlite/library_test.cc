#include "store/sqlite/library.h"

#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "base/temp_dir_for_tests.h"
#include "store/sqlite/connection.h"
#include "store/sqlite/platform.h"

namespace rouse::sqlite {
namespace {

// Descriptors of this process whose file's name ends so.
std::vector<int> descriptors_of(const std::string& end) {
  std::vector<int> out;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    const auto file = std::filesystem::read_symlink(entry.path(), gone);
    if (!gone && file.string().ends_with(end)) out.push_back(std::stoi(entry.path().filename()));
  }
  return out;
}

TEST(Library, ReadingALogDoesNotChangeIt) {
  const TempDir dir;
  ASSERT_TRUE(posix_files().create_private(dir / "t.db"));
  auto db = Connection::open(dir / "t.db", Access::kReadWrite, {.vfs = this_machine().vfs()});
  ASSERT_TRUE(db) << db.error();
  ASSERT_TRUE(db->exec("PRAGMA journal_mode=WAL; CREATE TABLE t (x)"));
  for (const char* file : {"/t.db", "/t.db-wal"}) {
    const auto open = descriptors_of(file);
    ASSERT_FALSE(open.empty()) << file;
    for (const int one : open) EXPECT_NE(::fcntl(one, F_GETFL) & O_NOATIME, 0) << file;
  }
}

// What SQLite asks for where it means stat() or fstat(), compared with those.
TEST(Library, AFileIsLookedAtWithoutItsTimes) {
  set_up_library();
  sqlite3_vfs* posix = sqlite3_vfs_find(nullptr);
  const TempDir dir;
  const std::string path = dir / "t";
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT, 0600);
  ASSERT_EQ(::write(file, "twelve bytes", 12), 12);
  struct stat real{}, by_path{}, by_file{};
  ASSERT_EQ(::stat(path.c_str(), &real), 0);
  const auto its_stat =
      reinterpret_cast<int (*)(const char*, struct stat*)>(posix->xGetSystemCall(posix, "stat"));
  const auto its_fstat =
      reinterpret_cast<int (*)(int, struct stat*)>(posix->xGetSystemCall(posix, "fstat"));
  ASSERT_EQ(its_stat(path.c_str(), &by_path), 0);
  ASSERT_EQ(its_fstat(file, &by_file), 0);
  for (const struct stat& seen : {by_path, by_file}) {
    EXPECT_EQ(seen.st_dev, real.st_dev);
    EXPECT_EQ(seen.st_ino, real.st_ino);
    EXPECT_EQ(seen.st_mode, real.st_mode);
    EXPECT_EQ(seen.st_nlink, real.st_nlink);
    EXPECT_EQ(seen.st_uid, real.st_uid);
    EXPECT_EQ(seen.st_gid, real.st_gid);
    EXPECT_EQ(seen.st_size, 12);
    EXPECT_EQ(seen.st_blksize, real.st_blksize);
    EXPECT_EQ(seen.st_mtim.tv_sec, 0);
  }
  ::close(file);
  errno = 0;
  const std::string none = dir / "none";
  EXPECT_EQ(its_stat(none.c_str(), &by_path), -1);
  EXPECT_EQ(errno, ENOENT);
}

}  // namespace
}  // namespace rouse::sqlite
