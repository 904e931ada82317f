#include "tool/mcp/mcp_server.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "tool/mcp/fake_mcp_for_tests.h"

namespace rouse {
namespace {

using CallResult = Result<McpCallResult>;

class McpServerTest : public testing::Test, protected FakeMcpHouse {
 protected:
  void SetUp() override { servers.configure({named("one")}); }
  std::shared_ptr<McpServer> one() { return servers.find("one"); }
  CallResult call(std::string arguments = R"({"a":1,"b":2})", std::string tool = "add") {
    return wait(one()->call(std::move(tool), std::move(arguments), {}));
  }
  std::string error_of(const CallResult& result) { return result ? "" : result.error().message; }
  std::string state() { return one()->state().state; }
  std::size_t sent(std::string_view what) {
    return static_cast<std::size_t>(std::ranges::count_if(
        far.received, [&](const std::string& text) { return text.starts_with(what); }));
  }
};

TEST_F(McpServerTest, NothingRunsBeforeItIsNeededAndTheFirstUseStartsIt) {
  settle();
  EXPECT_EQ(far.starts, 0);
  EXPECT_EQ(state(), "idle");
  const auto result = call();
  ASSERT_TRUE(result) << error_of(result);
  EXPECT_EQ(result->text, "done");
  EXPECT_EQ(state(), "ready");
  EXPECT_EQ(one()->state().tools, 2u);
  EXPECT_EQ(far.received[0].find("initialize {\"protocolVersion\":\"2025-06-18\""), 0u);
  EXPECT_EQ(far.received[1], "notifications/initialized null");
  EXPECT_EQ(far.received[2], "tools/list null");
  EXPECT_EQ(far.received[3], R"(tools/call {"name":"add","arguments":{"a":1,"b":2}})");
  ASSERT_TRUE(call());
  EXPECT_EQ(far.starts, 1);
  EXPECT_EQ(sent("tools/list"), 1u);
}

TEST_F(McpServerTest, AVersionNobodyKnowsIsSaid) {
  far.version = "2042-01-01";
  EXPECT_TRUE(error_of(call()).contains("it speaks version '2042-01-01' of MCP"));
}

TEST_F(McpServerTest, ToolsComeInPagesAndAreRememberedUntilTheyChange) {
  far.page_size = 1;
  auto list = wait(one()->tools({}));
  ASSERT_TRUE(list);
  EXPECT_EQ((*list)->tools.size(), 2u);
  EXPECT_EQ(sent("tools/list"), 2u);
  ASSERT_TRUE(wait(one()->tools({})));
  EXPECT_EQ(sent("tools/list"), 2u);
  far.tools.push_back({{"name", "third"}});
  ASSERT_TRUE(far.open[0]->say(R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})"));
  list = wait(one()->tools({}));
  EXPECT_EQ((*list)->tools.size(), 3u);
}

TEST_F(McpServerTest, OverHttpTheListIsAskedForAnewSinceNobodySaysThatItChanged) {
  far.over_http = true;
  ASSERT_TRUE(wait(one()->tools({})));
  ASSERT_TRUE(wait(one()->tools({})));
  EXPECT_EQ(sent("tools/list"), 2u);
  ASSERT_TRUE(call());
  EXPECT_EQ(sent("tools/list"), 2u);
}

TEST_F(McpServerTest, ArgumentsAreCheckedBeforeTheyLeave) {
  const std::string error = error_of(call(R"({"a":"x"})"));
  EXPECT_TRUE(error.contains("'a' must be a whole number")) << error;
  EXPECT_TRUE(error.contains("'b' is missing")) << error;
  EXPECT_EQ(sent("tools/call"), 0u);
  EXPECT_TRUE(error_of(call("[]")).contains("one JSON object"));
}

TEST_F(McpServerTest, AMisspeltToolIsToldTheNearest) {
  EXPECT_EQ(error_of(call("{}", "remove_al")),
            "the MCP server one: it has no tool 'remove_al'; did you mean 'remove_all'?");
  EXPECT_TRUE(error_of(call("{}", "zzz")).contains("ask list_tools"));
}

TEST_F(McpServerTest, WhatTheServerAsksIsAnswered) {
  ASSERT_TRUE(call());
  ASSERT_TRUE(far.open[0]->say(R"({"jsonrpc":"2.0","id":"p","method":"ping"})"));
  ASSERT_TRUE(far.open[0]->say(R"({"jsonrpc":"2.0","id":9,"method":"roots/list"})"));
  settle();
  EXPECT_EQ(far.received[far.received.size() - 2], R"({"jsonrpc":"2.0","id":"p","result":{}})");
  EXPECT_TRUE(far.received.back().contains("-32601")) << far.received.back();
}

TEST_F(McpServerTest, ACallThatTakesTooLongEndsAndTheServerIsTold) {
  far.answers_at_once = false;
  std::optional<CallResult> result;
  loop.spawn("call", keep(one()->call("add", R"({"a":1,"b":2})", {}), result));
  settle();
  pass(millis(59'999));
  EXPECT_FALSE(result);
  pass(millis(1));
  ASSERT_TRUE(result);
  EXPECT_EQ(error_of(*result),
            "the MCP server one: it did not answer within 1 min; outcome unknown: it may have "
            "happened");
  EXPECT_TRUE(far.received.back().starts_with("notifications/cancelled {\"requestId\":3"))
      << far.received.back();
  EXPECT_EQ(state(), "ready");
  EXPECT_TRUE(one()->state().last_error.contains("did not answer"));
  // What comes late is for nobody.
  EXPECT_TRUE(far.open[0]->say(mcp_answer(far.open[0]->call_id, boost::json::object{})));
}

TEST_F(McpServerTest, AStopEndsACallAndTheServerIsTold) {
  far.answers_at_once = false;
  std::stop_source stop;
  std::optional<CallResult> result;
  loop.spawn("call", keep(one()->call("add", R"({"a":1,"b":2})", stop.get_token()), result));
  settle();
  stop.request_stop();
  settle();
  ASSERT_TRUE(result);
  EXPECT_TRUE(error_of(*result).contains("it was stopped"));
  EXPECT_TRUE(far.received.back().contains("notifications/cancelled"));
}

TEST_F(McpServerTest, ACrashEndsTheCallSaysWhyAndItIsStartedAgain) {
  far.answers_at_once = false;
  std::optional<CallResult> result;
  loop.spawn("call", keep(one()->call("add", R"({"a":1,"b":2})", {}), result));
  settle();
  far.words = "panic: no memory";
  far.open[0]->crash("it ended with exit status 3");
  settle();
  ASSERT_TRUE(result);
  EXPECT_EQ(error_of(*result),
            "the MCP server one: it ended with exit status 3; it said: panic: no memory; outcome "
            "unknown: it may have happened");
  EXPECT_EQ(state(), "waiting");
  EXPECT_EQ(far.closes, 1);
  EXPECT_EQ(error_of(call()),
            "the MCP server one: it is being restarted, try again in 1 s. It failed: it ended with "
            "exit status 3; it said: panic: no memory");
  far.answers_at_once = true;
  pass(seconds(1));
  EXPECT_EQ(state(), "ready");
  EXPECT_EQ(one()->state().restarts, 1);
  EXPECT_TRUE(call());
}

// SC-10
TEST_F(McpServerTest, ASecretInItsLastWordsIsShownInNoState) {
  redactor.set_secrets({"very-secret-key"});
  ASSERT_TRUE(call());
  far.open[0]->crash("it said: the key very-secret-key is wrong");
  EXPECT_EQ(one()->state().last_error, "it said: the key [redacted] is wrong");
}

TEST_F(McpServerTest, AfterFiveCrashesInARowItIsLeftAlone) {
  far.refuses_to_start = true;
  EXPECT_TRUE(error_of(call()).contains("there is no program 'x'"));
  EXPECT_EQ(far.starts, 1);
  for (const std::int64_t rest : {1, 2, 4, 8}) {
    EXPECT_EQ(state(), "waiting");
    pass(seconds(rest) - millis(1));
    const int before = far.starts;
    pass(millis(1));
    EXPECT_EQ(far.starts, before + 1);
  }
  EXPECT_EQ(state(), "broken");
  EXPECT_TRUE(error_of(call()).contains("it failed 5 times in a row and is left alone for 5 min"));
  pass(hours(1));
  EXPECT_EQ(far.starts, 5);  // nobody asked
  far.refuses_to_start = false;
  EXPECT_TRUE(call());
  EXPECT_EQ(state(), "ready");
}

TEST_F(McpServerTest, ASettingsReloadForgivesAServerThatWasLeftAlone) {
  far.refuses_to_start = true;
  (void)call();
  for (int i = 0; i < kMcpCrashes; ++i) pass(seconds(10));
  ASSERT_EQ(state(), "broken");
  servers.configure({named("one")});
  far.refuses_to_start = false;
  EXPECT_TRUE(call());
}

TEST_F(McpServerTest, AGoodCallForgetsEarlierCrashes) {
  for (int i = 0; i < 12; ++i) {
    ASSERT_TRUE(call()) << i;
    far.open.back()->crash("again");
    settle();
    pass(seconds(1));
    ASSERT_EQ(state(), "ready") << i;
  }
}

TEST_F(McpServerTest, AServerThatOnlyListsBeforeItCrashesIsStillLeftAlone) {
  for (int i = 0; i < kMcpCrashes; ++i) {
    ASSERT_TRUE(wait(one()->tools({}))) << i;
    far.open.back()->crash("again");
    settle();
    pass(seconds(20));
  }
  EXPECT_EQ(state(), "broken");
}

TEST_F(McpServerTest, OneThatDoesNotSayHelloIsGivenUp) {
  far.silent_start = true;
  std::optional<CallResult> result;
  loop.spawn("call", keep(one()->call("add", "{}", {}), result));
  settle();
  EXPECT_EQ(state(), "starting");
  pass(seconds(54));
  ASSERT_TRUE(result);
  EXPECT_TRUE(error_of(*result).contains("it did not answer within 54 s")) << error_of(*result);
  EXPECT_EQ(state(), "waiting");
  EXPECT_EQ(far.closes, 1);
}

TEST_F(McpServerTest, AMessageThatIsNoneIsSaidToWhoeverCarriesIt) {
  ASSERT_TRUE(call());
  EXPECT_FALSE(far.open[0]->say("{\"jsonrpc\":"));
  EXPECT_TRUE(far.open[0]->say(R"({"jsonrpc":"2.0","id":777,"result":{}})"));  // to nothing
}

TEST_F(McpServerTest, TenMinutesWithoutAUseStopIt) {
  ASSERT_TRUE(call());
  pass(minutes(9));
  ASSERT_TRUE(call());
  pass(minutes(9));
  EXPECT_EQ(state(), "ready");
  pass(minutes(1));
  EXPECT_EQ(state(), "idle");
  EXPECT_EQ(far.closes, 1);
  EXPECT_EQ(one()->state().tools, 2u);  // as far as we know
  ASSERT_TRUE(call());
  EXPECT_EQ(far.starts, 2);
  EXPECT_EQ(one()->state().restarts, 0);
}

TEST_F(McpServerTest, AServerThatForgotUsIsGreetedAgain) {
  far.over_http = true;
  ASSERT_TRUE(call());
  far.forgets = 1;
  ASSERT_TRUE(call());
  EXPECT_EQ(far.starts, 2);
  far.forgets = 2;
  EXPECT_FALSE(call());
}

TEST_F(McpServerTest, WhoeverComesDuringTheStartWaitsForIt) {
  far.silent_start = true;
  std::optional<CallResult> first, second;
  loop.spawn("call", keep(one()->call("add", R"({"a":1,"b":2})", {}), first));
  loop.spawn("call", keep(one()->call("add", R"({"a":1,"b":2})", {}), second));
  settle();
  ASSERT_TRUE(far.open[0]->say(
      R"({"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2024-11-05","capabilities":{"tools":{}}}})"));
  settle();
  ASSERT_TRUE(first && second);
  EXPECT_TRUE(*first && *second);
  EXPECT_EQ(far.starts, 1);
}

TEST_F(McpServerTest, OneThatIsSwitchedOffOrLacksASecretSaysSo) {
  auto off = named("one");
  off.enabled = false;
  servers.configure({off});
  EXPECT_FALSE(servers.any());
  EXPECT_TRUE(error_of(call()).contains("switched off"));
  auto lacking = named("one");
  lacking.trouble = "the environment variable X is not set";
  servers.configure({lacking});
  EXPECT_EQ(state(), "off");
  EXPECT_TRUE(error_of(call()).contains("variable X is not set"));
  servers.configure({named("one")});
  EXPECT_TRUE(call());
}

// Live reload.
TEST_F(McpServerTest, ChangedServersAreRestartedRemovedOnesStoppedAndOthersStay) {
  servers.configure({named("one"), named("two"), named("three")});
  for (const char* name : {"one", "two", "three"}) {
    ASSERT_TRUE(wait(servers.find(name)->tools({})));
  }
  const auto kept = servers.find("one");
  auto patient = named("one");
  patient.timeout = seconds(5);
  auto moved = named("two");
  moved.place.command.emplace_back("--more");
  servers.configure({patient, moved});
  settle();
  EXPECT_EQ(far.closes, 2);
  EXPECT_EQ(servers.find("one"), kept);
  EXPECT_EQ(kept->state().state, "ready");
  EXPECT_EQ(kept->settings().timeout, seconds(5));
  EXPECT_EQ(servers.find("two")->state().state, "idle");
  EXPECT_EQ(servers.find("three"), nullptr);
  std::optional<bool> stopped;
  loop.spawn("stop", [](McpServers& all, std::optional<bool>& done) -> Task<void> {
    co_await all.stop();
    done = true;
  }(servers, stopped));
  settle();
  EXPECT_TRUE(stopped);
  EXPECT_EQ(far.closes, 3);
  EXPECT_TRUE(error_of(call()).contains("stopped"));
}

TEST_F(McpServerTest, MoreToolsThanTheBoundAreLeftOut) {
  far.tools.clear();
  for (std::size_t i = 0; i < kMcpTools + 5; ++i)
    far.tools.push_back({{"name", std::to_string(i)}});
  far.page_size = 600;
  const auto list = wait(one()->tools({}));
  EXPECT_EQ((*list)->tools.size(), kMcpTools);
  EXPECT_EQ((*list)->left_out, 5u);
}

}  // namespace
}  // namespace rouse
