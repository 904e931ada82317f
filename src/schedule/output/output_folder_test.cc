#include "schedule/output/output_folder.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "base/files.h"
#include "base/temp_dir_for_tests.h"
#include "session/workspaces.h"

namespace rouse {
namespace {

namespace fs = std::filesystem;

class OutputFolderTest : public testing::Test {
 protected:
  OutputFolderTest() { fs::create_directory(data()); }
  [[nodiscard]] std::string data() const { return dir_ / "data"; }
  Result<void> write(const std::string& name, const std::string& text = "hello",
                     const std::string& project = "",
                     WorkspaceId workspace = Workspaces::default_id()) {
    return write_output(
        data(),
        {.workspace = std::move(workspace), .project_folder = project, .name = name, .text = text});
  }
  TempDir dir_;
};

// S2-42
TEST_F(OutputFolderTest, AFileIsThereWholeForItsOwnerOnlyAndReplacedTheNextTime) {
  ASSERT_TRUE(write("reports/a.md", "one"));
  ASSERT_TRUE(write("reports/a.md", "two"));
  EXPECT_EQ(*read_file(data() + "/outputs/reports/a.md", 100), "two");
  EXPECT_EQ(dir_.mode("data/outputs/reports/a.md"), 0600);
  EXPECT_EQ(dir_.mode("data/outputs"), 0700);
  const auto left = fs::directory_iterator(data() + "/outputs/reports");
  EXPECT_EQ(std::distance(fs::begin(left), fs::end(left)), 1);
}

TEST_F(OutputFolderTest, EachWorkspaceHasItsOwnFolder) {
  ASSERT_TRUE(write("a.md", "x", "", *WorkspaceId::parse("ws_b")));
  EXPECT_TRUE(path_exists(data() + "/workspaces/ws_b/outputs/a.md"));
}

// SC-11
TEST_F(OutputFolderTest, ANameLeadsNowhereElse) {
  for (const std::string name : {"../a", "x/../../a", "/etc/a", "", ".", "a\nb"}) {
    EXPECT_FALSE(write(name)) << name;
  }
  ASSERT_TRUE(write("inside/a"));
  fs::create_directory(dir_ / "elsewhere");
  fs::create_directory_symlink(dir_ / "elsewhere", data() + "/outputs/link");
  EXPECT_FALSE(write("link/a"));
  EXPECT_FALSE(path_exists(dir_ / "elsewhere/a"));
  dir_.write("target", "untouched");
  fs::create_symlink(dir_ / "target", data() + "/outputs/b");
  ASSERT_TRUE(write("b", "new"));
  EXPECT_EQ(*read_file(dir_ / "target", 100), "untouched");
  EXPECT_EQ(*read_file(data() + "/outputs/b", 100), "new");
}

TEST_F(OutputFolderTest, AProjectsFolderIsTheOwnersAndNeverRousesData) {
  fs::create_directory(dir_ / "garden");
  ASSERT_TRUE(write("a.md", "x", dir_ / "garden"));
  EXPECT_TRUE(path_exists(dir_ / "garden/a.md"));
  EXPECT_FALSE(write("a.md", "x", dir_ / "garden", *WorkspaceId::parse("ws_b")));
  EXPECT_FALSE(write("a.md", "x", data()));
  EXPECT_FALSE(write("data/a.md", "x", dir_.path()));
  const auto missing = write("a.md", "x", dir_ / "nowhere");
  EXPECT_FALSE(missing);
  fs::create_directories(data() + "/outputs/folder");
  const auto taken = write("folder");
  ASSERT_FALSE(taken);
  EXPECT_TRUE(taken.error().message.starts_with("cannot write the output 'folder': "))
      << taken.error().message;
}

}  // namespace
}  // namespace rouse
