#include <fcntl.h>
#include <filesystem>

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace rouse::sqlite
