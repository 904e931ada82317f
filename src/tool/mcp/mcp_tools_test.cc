#include "tool/mcp/mcp_tools.h"

#include <gtest/gtest.h>

#include "tool/approval/tool_policy.h"
#include "tool/mcp/fake_mcp_for_tests.h"

namespace rouse {
namespace {

class McpToolsTest : public testing::Test, protected FakeMcpHouse {
 protected:
  void SetUp() override {
    add_mcp_tools(registry_, servers);
    servers.configure({named("one"), named("two")});
  }
  static ToolCall call(std::string arguments) {
    ToolCall out;
    out.arguments = std::move(arguments);
    out.turn_kind = "user";
    return out;
  }
  ToolResult run(const std::string& tool, std::string arguments = "{}") {
    return wait(registry_.run(tool, call(std::move(arguments)), {}));
  }
  PolicyRuling ruling(std::string arguments, bool tainted = false) {
    ToolCall one = call(std::move(arguments));
    one.tainted = tainted;
    return rule_on_call(*registry_.find("call_tool"), one, false, false, {});
  }

  ToolRegistry registry_{clock};
};

constexpr const char* kAdd = R"({"server":"one","tool":"add","arguments":{"b":2,"a":1}})";

TEST_F(McpToolsTest, WithoutAServerNoneOfThemIsOffered) {
  EXPECT_EQ(registry_.all().size(), 4u);
  servers.configure({});
  EXPECT_TRUE(registry_.all().empty());
  auto off = named("one");
  off.enabled = false;
  servers.configure({off});
  EXPECT_TRUE(registry_.all().empty());
}

TEST_F(McpToolsTest, AnAgentFindsItsWayFromTheServersToACall) {
  EXPECT_EQ(run("list_mcp_servers").text, "one (idle)\ntwo (idle)\n");
  const ToolResult tools = run("list_tools", R"({"server":"one"})");
  EXPECT_EQ(tools.text, "add: Adds two numbers.\nremove_all: Removes all\n");
  EXPECT_TRUE(tools.untrusted);
  const ToolResult schema = run("get_tool_schema", R"({"server_name":"one","tool_name":"add"})");
  EXPECT_TRUE(schema.text.contains("Adds two numbers. Slowly.")) << schema.text;
  EXPECT_TRUE(schema.text.contains(R"("required":["a","b"])")) << schema.text;
  EXPECT_TRUE(schema.untrusted);
  const ToolResult done = run("call_tool", kAdd);
  EXPECT_EQ(done.text, "done");
  EXPECT_TRUE(done.untrusted);
  EXPECT_FALSE(done.failed);
  const ToolResult again = run("list_mcp_servers");
  EXPECT_TRUE(again.text.starts_with("one (ready, 2 tools)\n  it says: Be kind to me.\n"));
  EXPECT_TRUE(again.untrusted);
}

TEST_F(McpToolsTest, ArgumentsMayBeWrittenAsText) {
  EXPECT_EQ(
      run("call_tool", R"({"server":"one","tool":"add","arguments":"{\"a\":1,\"b\":2}"})").text,
      "done");
  EXPECT_TRUE(run("call_tool", R"({"server":"one","tool":"add","arguments":"[1]"})").failed);
  EXPECT_TRUE(run("call_tool", R"({"server":"one","tool":"add"})").text.contains("'a' is missing"));
}

TEST_F(McpToolsTest, WrongNamesAreToldTheNearest) {
  EXPECT_EQ(run("list_tools", R"({"server":"on"})").text,
            "there is no MCP server 'on'; did you mean 'one'?");
  EXPECT_EQ(run("list_tools").text, "say which MCP server with 'server', one of: one, two");
  EXPECT_TRUE(run("get_tool_schema", R"({"server":"one"})").text.contains("say which tool"));
  EXPECT_TRUE(run("call_tool", R"({"server":"one","tool":"ad"})").text.contains("'add'"));
  servers.configure({named("one")});
  EXPECT_FALSE(run("list_tools").failed);  // the only one need not be named
}

TEST_F(McpToolsTest, ACallAsksUnlessTheOwnerSaidOtherwise) {
  EXPECT_EQ(ruling(kAdd).kind, PolicyRuling::Kind::kAsk);
  EXPECT_EQ(ruling(kAdd).reason, "tier");
  // It will be refused: nobody is asked.
  EXPECT_EQ(ruling(R"({"server":"three","tool":"x"})").kind, PolicyRuling::Kind::kAllow);
  auto trusted = named("one");
  trusted.calls_ask = false;
  servers.configure({trusted});
  EXPECT_EQ(ruling(kAdd).kind, PolicyRuling::Kind::kAllow);
  EXPECT_EQ(ruling(kAdd, true).reason, "tainted");
  // What it says of its own tools doesn't keep it from being called; its results are from outside.
  EXPECT_FALSE(run("list_tools").untrusted);
  EXPECT_FALSE(run("get_tool_schema", R"({"tool":"add"})").untrusted);
  EXPECT_TRUE(run("call_tool", kAdd).untrusted);
  auto reading = named("one");
  reading.read_only = {"add"};
  servers.configure({reading});
  EXPECT_EQ(ruling(kAdd, true).kind, PolicyRuling::Kind::kAllow);
  EXPECT_EQ(ruling(R"({"server":"one","tool":"remove_all"})").kind, PolicyRuling::Kind::kAsk);
}

TEST_F(McpToolsTest, AReadOnlyHintOfTheServerCountsForNothing) {
  far.tools = {{{"name", "add"}, {"annotations", {{"readOnlyHint", true}}}}};
  (void)run("list_tools", R"({"server":"one"})");
  EXPECT_EQ(ruling(kAdd).kind, PolicyRuling::Kind::kAsk);
}

// AP-4
TEST_F(McpToolsTest, AYesCoversThisVeryCallOfThisVeryServer) {
  const Tool& tool = *registry_.find("call_tool");
  const ApprovalAsk ask = tool.ask_for(call(kAdd));
  EXPECT_EQ(ask.summary, R"(call add of one with {"a":1,"b":2})");
  EXPECT_EQ(
      tool.ask_for(
              call(R"({"tool_name":"add","server_name":"one","arguments":"{\"a\":1,\"b\":2}"})"))
          .covers,
      ask.covers);
  for (const char* other : {R"({"server":"two","tool":"add","arguments":{"b":2,"a":1}})",
                            R"({"server":"one","tool":"remove_all","arguments":{"b":2,"a":1}})",
                            R"({"server":"one","tool":"add","arguments":{"b":2,"a":2}})"}) {
    EXPECT_NE(tool.ask_for(call(other)).covers, ask.covers) << other;
  }
  auto moved = named("one");
  moved.place.command = {"/bin/another"};
  servers.configure({moved});
  EXPECT_NE(tool.ask_for(call(kAdd)).covers, ask.covers);
}

TEST_F(McpToolsTest, AFailureIsToldWithTheServersWordsAndTaints) {
  far.refuses_to_start = true;
  const ToolResult got = run("call_tool", kAdd);
  EXPECT_TRUE(got.failed);
  EXPECT_TRUE(got.untrusted);
  EXPECT_TRUE(got.text.starts_with("the MCP server one: ")) << got.text;
  EXPECT_TRUE(run("list_mcp_servers").text.contains("it failed: there is no program 'x'"));
}

TEST_F(McpToolsTest, ThreeOnlyReadAndOneDurablyIntends) {
  for (const ToolInfo* info : registry_.all()) {
    EXPECT_TRUE(info->owner_only) << info->name;
    EXPECT_EQ(info->side_effects, info->name == "call_tool");
    EXPECT_EQ(info->risk == RiskTier::kAuto, info->name != "call_tool");
  }
}

}  // namespace
}  // namespace rouse
