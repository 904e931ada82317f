#include "session/agents.h"

#include <gtest/gtest.h>

#include "session/workspaces.h"
#include "tests/sim/world.h"

namespace rouse {
namespace {

class AgentsTest : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = world_.open_store();
    ASSERT_TRUE(opened) << opened.error();
    agents_ = std::make_unique<Agents>(**opened, world_.clock());
  }
  Result<Agent> put(Agent agent) { return world_.run(agents_->put(own_, std::move(agent))); }

  sim::World world_{4};
  WorkspaceId own_ = Workspaces::default_id();
  std::unique_ptr<Agents> agents_;
};

TEST_F(AgentsTest, AnAgentIsSavedReplacedListedAndDeleted) {
  const Agent coder{"coder", "Write tests first.", "main", R"({"allow":["read_file"]})"};
  ASSERT_TRUE(put(coder));
  ASSERT_TRUE(put({"butler", "Be brief.", "", "{}"}));
  EXPECT_EQ(*agents_->get(own_, "coder"), coder);
  const auto all = world_.run(agents_->list(own_, "", 10));
  ASSERT_EQ(all->size(), 2u);
  EXPECT_EQ(all->front().name, "butler");
  EXPECT_EQ(world_.run(agents_->list(own_, "butler", 10))->front(), coder);
  ASSERT_TRUE(put({"coder", "Think first.", "", "{}"}));
  EXPECT_EQ(agents_->get(own_, "coder")->instructions, "Think first.");
  ASSERT_TRUE(world_.run(agents_->remove(own_, "coder")));
  EXPECT_TRUE(agents_->get(own_, "coder").error().is(AgentErrc::kNotFound));
  EXPECT_TRUE(world_.run(agents_->remove(own_, "coder")).error().is(AgentErrc::kNotFound));
}

TEST_F(AgentsTest, AWorkspaceSeesOnlyItsOwn) {
  ASSERT_TRUE(put({"coder", "", "", "{}"}));
  const auto other = *WorkspaceId::parse("ws_other");
  EXPECT_FALSE(agents_->get(other, "coder"));
  EXPECT_TRUE(world_.run(agents_->list(other, "", 10))->empty());
}

TEST_F(AgentsTest, AChoiceOfToolsOnlyTakesAway) {
  const auto lets = [](std::string_view json, const std::string& tool) {
    return parse_tool_choice(json)->lets(tool);
  };
  EXPECT_TRUE(lets("{}", "shell"));
  EXPECT_TRUE(lets(R"({"allow":["shell"]})", "shell"));
  EXPECT_FALSE(lets(R"({"allow":["shell"]})", "notify"));
  EXPECT_FALSE(lets(R"({"allow":[]})", "notify"));
  EXPECT_FALSE(lets(R"({"deny":["shell"]})", "shell"));
  EXPECT_TRUE(lets(R"({"deny":["shell"]})", "notify"));
  EXPECT_FALSE(lets(R"({"allow":["shell"],"deny":["shell"]})", "shell"));
}

TEST_F(AgentsTest, WrongOnesAreRefusedInPlainWords) {
  EXPECT_EQ(put({"The Coder", "", "", "{}"}).error().message,
            "'name' must be 1 to 64 of a-z, 0-9, '_' and '-', not 'The Coder'");
  EXPECT_TRUE(put({"a", "", "", "{"}).error().message.starts_with("'tools' must be JSON: "));
  EXPECT_EQ(put({"a", "", "", "[]"}).error().message,
            R"('tools' must be a JSON object, like {"allow":["read_file"]})");
  EXPECT_EQ(put({"a", "", "", R"({"shell":"off"})"}).error().message,
            "'tools' knows 'allow' and 'deny', not 'shell'");
  EXPECT_FALSE(put({"a", "", "", R"({"allow":"shell"})"}));
  EXPECT_EQ(put({"a", std::string(kInstructionBytes + 1, 'x'), "", "{}"}).error().message,
            "'instructions' must be at most 65536 bytes");
  EXPECT_FALSE(put({"a", std::string("\0", 1), "", "{}"}));
}

}  // namespace
}  // namespace rouse
