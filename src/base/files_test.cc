#include "base/files.h"

#include <cstdlib>
#include <filesystem>
#include <sys/stat.h>

#include <gtest/gtest.h>

#include "base/blocking_pool.h"
#include "base/temp_dir_for_tests.h"

namespace rouse {
namespace {

class FilesTest : public testing::Test {
 protected:
  static mode_t mode_of(const std::string& path) {
    struct stat info{};
    ::stat(path.c_str(), &info);
    return info.st_mode & 0777;
  }
  const TempDir temp_;
  const std::string dir_ = temp_.path();
};

TEST_F(FilesTest, AnAtomicWriteReplacesAndLeavesNothingBehind) {
  const std::string path = dir_ + "/a";
  ASSERT_TRUE(write_file_atomic(path, "one"));
  ASSERT_TRUE(write_file_atomic(path, "two"));
  EXPECT_EQ(read_file(path, 100), "two");
  EXPECT_EQ(mode_of(path), 0600U);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(dir_), {}), 1);
}

TEST_F(FilesTest, ReadsAreBoundedAndMissingFilesAreNamed) {
  ASSERT_TRUE(write_file_atomic(dir_ + "/a", std::string(100, 'x')));
  EXPECT_EQ(read_file(dir_ + "/a", 99).error().kind, Kind::kTooLarge);
  EXPECT_EQ(read_file_range(dir_ + "/a", 90, 50)->size(), 10U);
  const auto missing = read_file(dir_ + "/b", 10);
  EXPECT_EQ(missing.error().kind, Kind::kNotFound);
  EXPECT_NE(missing.error().message.find(dir_ + "/b"), std::string::npos);
}

TEST_F(FilesTest, APipeOrAFolderIsNotReadAndNobodyWaitsForIt) {
  ASSERT_EQ(::mkfifo((dir_ + "/pipe").c_str(), 0600), 0);
  EXPECT_NE(read_file(dir_ + "/pipe", 10).error().message.find("not a regular file"),
            std::string::npos);
  EXPECT_FALSE(read_file(dir_, 10));
}

// SC-11
TEST_F(FilesTest, PrivateFoldersAreForTheirOwnerAlone) {
  ASSERT_TRUE(make_private_dir(dir_ + "/x/y"));
  EXPECT_EQ(mode_of(dir_ + "/x"), 0700U);
  EXPECT_EQ(mode_of(dir_ + "/x/y"), 0700U);
  ASSERT_TRUE(write_file_atomic(dir_ + "/f", ""));
  EXPECT_FALSE(make_private_dir(dir_ + "/f"));
}

TEST_F(FilesTest, ASecretThatOthersCanReadIsRefusedWithTheCommandThatMendsIt) {
  const std::string path = dir_ + "/s";
  ASSERT_TRUE(write_file_atomic(path, "value\n", 0644));
  const auto open = read_secret_file(path);
  ASSERT_FALSE(open);
  EXPECT_NE(open.error().message.find("chmod 600 " + path), std::string::npos);
  ::chmod(path.c_str(), 0600);
  EXPECT_EQ(read_secret_file(path), "value");
}

Task<void> collect(BlockingPool& pool, int n, std::vector<int>& out) {
  const auto result = co_await pool.run<int>([n] { return Result<int>(n * n); });
  out.push_back(result.value_or(-1));
}

TEST(BlockingPool, RunsCallsBesideTheLoopAndAnswersOnIt) {
  Loop loop;
  BlockingPool pool;
  std::vector<int> out;
  for (int i = 0; i < 50; ++i) loop.spawn("call", collect(pool, i, out));
  loop.run();
  EXPECT_EQ(out.size(), 50U);
}

TEST(BlockingPool, RefusesWhenTooManyWait) {
  Loop loop;
  BlockingPool pool(1, 0);
  std::vector<int> out;
  loop.spawn("call", collect(pool, 3, out));
  loop.run();
  EXPECT_EQ(out, std::vector<int>{-1});
}

}  // namespace
}  // namespace rouse
