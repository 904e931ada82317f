#include "agent/skill_tool.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "base/temp_dir_for_tests.h"
#include "session/workspaces.h"
#include "tests/sim/world.h"

namespace rouse {
namespace {

class SkillToolTest : public testing::Test {
 protected:
  void skill(const std::string& folder, const std::string& name, const std::string& body) {
    const std::string path = folder + "/SKILL.md";
    std::filesystem::create_directories(std::filesystem::path(dir_ / path).parent_path());
    dir_.write(path, "---\nname: " + name + "\ndescription: about it\n---\n" + body);
  }
  ToolResult load(const std::string& arguments,
                  const WorkspaceId& workspace = Workspaces::default_id()) {
    world_.run_for(seconds(1));
    ToolCall call;
    call.arguments = arguments;
    call.workspace = workspace;
    return world_.run(tool_.run(std::move(call), {}));
  }

  TempDir dir_;
  sim::World world_{7};
  PersonFiles files_{dir_.path(), world_.clock()};
  SkillTool tool_{files_};
};

TEST_F(SkillToolTest, GivesTheTextOfASkillAsItIsNow) {
  skill("skills/tea", "tea", "Steep it.");
  const ToolResult result = load(R"({"name":"Tea"})");
  EXPECT_EQ(result.text, "Steep it.");
  EXPECT_FALSE(result.untrusted) << "the owner wrote it";
  skill("skills/tea", "tea", "Steep it for three minutes.");
  EXPECT_EQ(load(R"({"name":"tea"})").text, "Steep it for three minutes.");
}

TEST_F(SkillToolTest, AnUnknownNameIsToldWhatThereIs) {
  EXPECT_EQ(load(R"({"name":"tea"})").text, "there is no skill 'tea'; there are none");
  skill("skills/a", "coffee", "Grind.");
  skill("skills/b", "water", "Boil.");
  const ToolResult result = load(R"({"name":"tea"})");
  EXPECT_TRUE(result.failed);
  EXPECT_EQ(result.text, "there is no skill 'tea'; there is: coffee, water");
}

TEST_F(SkillToolTest, AnotherWorkspaceHasItsOwn) {  // SC-2
  skill("skills/tea", "tea", "Mine.");
  const WorkspaceId ida = *WorkspaceId::parse("ws_ida");
  EXPECT_TRUE(load(R"({"name":"tea"})", ida).failed);
  skill("workspaces/ws_ida/skills/tea", "tea", "Hers.");
  EXPECT_EQ(load(R"({"name":"tea"})", ida).text, "Hers.");
}

}  // namespace
}  // namespace rouse
