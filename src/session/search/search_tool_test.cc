#include "session/search/search_tool.h"

#include "session/search/search_for_tests.h"
#include "tool/registry.h"

namespace rouse {
namespace {

class SearchToolTest : public testing::Test, protected SearchWorld {
 protected:
  void SetUp() override { ASSERT_TRUE(open()); }
  void TearDown() override { close(); }

  ToolResult call(std::string arguments, const std::string& workspace = "ws_a") {
    ToolCall made;
    made.arguments = std::move(arguments);
    made.workspace = *WorkspaceId::parse(workspace);
    made.zone = "Europe/Berlin";
    ToolRegistry registry(world.clock());
    registry.add(std::make_unique<SearchTool>(*db, text_index));
    return world.run(registry.run("search_conversations", std::move(made), {}));
  }
};

TEST_F(SearchToolTest, GivesALineAHitWithDateAndSpeaker) {
  ASSERT_TRUE(say("the invoice of May\nis in the blue folder"));
  ASSERT_TRUE(say("another invoice"));
  ASSERT_TRUE(catch_up());
  EXPECT_EQ(call(R"({"query": "invoice"})").text,
            "1970-01-01 01:00, user: another invoice\n"
            "1970-01-01 01:00, user: the invoice of May is in the blue folder\n");
}

TEST_F(SearchToolTest, SaysWhenThereIsMoreOrNothing) {
  for (int i = 0; i < 12; ++i) ASSERT_TRUE(say("a note about boats"));
  ASSERT_TRUE(catch_up());
  const std::string two = call(R"({"query": "boats", "limit": 2})").text;
  EXPECT_EQ(std::ranges::count(two, '\n'), 3);
  EXPECT_TRUE(two.ends_with("(there may be more; more words narrow it down)\n"));
  const ToolResult none = call(R"({"query": "planes"})");
  EXPECT_FALSE(none.failed);
  EXPECT_EQ(none.text, "nothing found for: planes");
}

TEST_F(SearchToolTest, NeverFindsWhatAnotherWorkspaceSaid) {
  ASSERT_TRUE(say("their secret plan", "conv_b", "ws_b"));
  ASSERT_TRUE(catch_up());
  EXPECT_EQ(call(R"({"query": "secret"})").text, "nothing found for: secret");
  EXPECT_NE(call(R"({"query": "secret"})", "ws_b").text, "nothing found for: secret");
}

TEST_F(SearchToolTest, AQueryOfNothingOrAWrongLimitFails) {
  EXPECT_TRUE(call(R"({"query": "  "})").failed);
  EXPECT_TRUE(call(R"({"query": "x", "limit": 1000})").failed);
  EXPECT_TRUE(call("{}").failed);
}

}  // namespace
}  // namespace rouse
