#include "session/projects.h"

#include <gtest/gtest.h>

#include "session/workspaces.h"
#include "tests/sim/world.h"

namespace rouse {
namespace {

class ProjectsTest : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = world_.open_store();
    ASSERT_TRUE(opened) << opened.error();
    projects_ = std::make_unique<Projects>(**opened, world_.clock());
  }
  Result<Project> put(Project project) {
    return world_.run(projects_->put(own_, std::move(project)));
  }
  std::string listed(const WorkspaceId& workspace, const std::string& after = "",
                     std::size_t limit = 50) {
    std::string out;
    for (const auto& one : *world_.run(projects_->list(workspace, after, limit))) {
      out += fmt::format("{}={}{}{} ", one.project.key, one.project.path,
                         one.from_config ? " (config)" : "",
                         one.hidden_path ? " hides " + *one.hidden_path : "");
    }
    return out;
  }

  sim::World world_{3};
  WorkspaceId own_ = Workspaces::default_id();
  WorkspaceId other_ = *WorkspaceId::parse("ws_other");
  std::unique_ptr<Projects> projects_;
};

TEST_F(ProjectsTest, AProjectIsSavedReplacedAndDeleted) {
  EXPECT_EQ(put({"rouse", "", "/src/rouse/"})->alias, "rouse");
  EXPECT_EQ(projects_->get(own_, "rouse")->project.path, "/src/rouse");
  ASSERT_TRUE(put({"rouse", "Rouse", "/elsewhere"}));
  EXPECT_EQ(listed(own_), "rouse=/elsewhere ");
  ASSERT_TRUE(world_.run(projects_->remove(own_, "rouse")));
  EXPECT_TRUE(projects_->get(own_, "rouse").error().is(ProjectErrc::kNotFound));
  EXPECT_FALSE(world_.run(projects_->remove(own_, "rouse")));
}

TEST_F(ProjectsTest, AWorkspaceSeesOnlyItsOwn) {
  projects_->configure({{"from-file", "from-file", "/f"}});
  ASSERT_TRUE(put({"mine", "", "/m"}));
  EXPECT_EQ(listed(other_), "");
  EXPECT_FALSE(projects_->get(other_, "mine"));
  EXPECT_FALSE(projects_->get(other_, "from-file"));
}

TEST_F(ProjectsTest, RouseYamlStandsAboveWhatWasSavedAndTheListingSaysSo) {
  ASSERT_TRUE(put({"b", "", "/saved"}));
  ASSERT_TRUE(put({"c", "", "/c"}));
  projects_->configure({{"a", "a", "/file/a"}, {"b", "b", "/file/b"}});
  EXPECT_EQ(listed(own_), "a=/file/a (config) b=/file/b (config) hides /saved c=/c ");
  EXPECT_EQ(listed(own_, "a", 1), "b=/file/b (config) hides /saved ");
  EXPECT_TRUE(put({"b", "", "/again"}).error().is(ProjectErrc::kConfigured));
  ASSERT_TRUE(world_.run(projects_->remove(own_, "b"))) << "the saved one can go";
  EXPECT_TRUE(world_.run(projects_->remove(own_, "b")).error().is(ProjectErrc::kConfigured));
  projects_->configure({});
  EXPECT_EQ(listed(own_), "c=/c ");
}

TEST_F(ProjectsTest, WrongOnesAreRefusedInPlainWords) {
  EXPECT_EQ(put({"My Project", "", "/x"}).error().message,
            "'key' must be 1 to 64 of a-z, 0-9, '_' and '-', not 'My Project'");
  EXPECT_EQ(put({"x", "", "src/x"}).error().message,
            "'path' must be absolute, like /home/me/project, not 'src/x'");
  EXPECT_EQ(put({"x", "", "/a/../etc"}).error().message,
            "'path' must not contain '..'; write it out");
  EXPECT_FALSE(put({std::string(65, 'x'), "", "/x"}));
  EXPECT_FALSE(put({"x", "two\nlines", "/x"}));
  EXPECT_FALSE(put({"x", "", std::string("/a\0b", 4)}));
  EXPECT_TRUE(put({std::string(64, 'x'), "", "/"}));
}

TEST_F(ProjectsTest, AWorkspaceHasABoundButWhatIsThereCanAlwaysBeChanged) {
  for (std::size_t i = 0; i < kProjectsPerWorkspace; ++i) {
    ASSERT_TRUE(put({fmt::format("p{}", i), "", "/x"}));
  }
  EXPECT_EQ(put({"one-more", "", "/x"}).error().kind, Kind::kTooLarge);
  EXPECT_TRUE(put({"p7", "", "/y"}));
}

}  // namespace
}  // namespace rouse
