#include "tool/registry.h"

#include <functional>
#include <stdexcept>

#include <gtest/gtest.h>

#include "base/text.h"
#include "tool/calculator.h"
#include "tool/clock_tool.h"

namespace rouse {
namespace {

// A tool that does what the test says.
class ScriptedTool final : public Tool {
 public:
  using Script = std::function<Task<ToolResult>(ToolCall, std::stop_token)>;
  ScriptedTool(ToolInfo info, Script script) : info_(std::move(info)), script_(std::move(script)) {}
  [[nodiscard]] const ToolInfo& info() const override { return info_; }
  Task<ToolResult> run(ToolCall call, std::stop_token stop) override {
    return script_(std::move(call), std::move(stop));
  }

 private:
  ToolInfo info_;
  Script script_;
};

ToolInfo named(std::string name, bool side_effects = false) {
  return {.name = std::move(name),
          .description = "",
          .schema = R"({"type": "object"})",
          .side_effects = side_effects};
}

Task<ToolResult> says(std::string text) { co_return ToolResult{.text = std::move(text)}; }
Task<ToolResult> breaks() {
  throw std::runtime_error("the wire is cut");
  co_return ToolResult{};
}
Task<ToolResult> takes(Clock& clock, Millis length, std::stop_token stop, bool& heard_stop) {
  heard_stop = !co_await clock.wait_for(length, stop);
  co_return ToolResult{.text = "done"};
}
Task<ToolResult> ignores_stops(Clock& clock, Millis length) {
  co_await clock.wait_for(length);
  co_return ToolResult{.text = "far too late"};
}

Task<void> keep(Task<ToolResult> task, std::optional<ToolResult>& out) {
  out = co_await std::move(task);
}

class ToolRegistryTest : public testing::Test {
 protected:
  void add(ToolInfo info, ScriptedTool::Script script) {
    registry_.add(std::make_unique<ScriptedTool>(std::move(info), std::move(script)));
  }
  void settle() {
    while (loop_.poll() > 0) {
    }
  }
  void start(const std::string& name, std::string arguments = "{}", std::stop_token stop = {}) {
    ToolCall call;
    call.arguments = std::move(arguments);
    call.zone = "Europe/Berlin";
    result_.reset();
    loop_.spawn("tool", keep(registry_.run(name, std::move(call), std::move(stop)), result_));
    settle();
  }
  ToolResult run(const std::string& name, std::string arguments = "{}") {
    start(name, std::move(arguments));
    EXPECT_TRUE(result_) << name << " has not ended";
    return result_.value_or(ToolResult{});
  }

  Loop loop_;
  VirtualClock clock_;
  ToolRegistry registry_{clock_};
  std::optional<ToolResult> result_;
};

TEST_F(ToolRegistryTest, RunsAToolByItsName) {
  add(named("echo"), [](ToolCall call, std::stop_token) { return says(call.arguments); });
  const ToolResult result = run("echo", R"({"a": 1})");
  EXPECT_FALSE(result.failed);
  EXPECT_EQ(result.text, R"({"a": 1})");
  EXPECT_EQ(clock_.waiting(), 0U);  // a tool that is done at once costs no timer
}

TEST_F(ToolRegistryTest, ListsToolsInTheOrderOfTheirNames) {
  add(named("zebra"), [](ToolCall, std::stop_token) { return says(""); });
  add(named("ant"), [](ToolCall, std::stop_token) { return says(""); });
  ASSERT_EQ(registry_.all().size(), 2U);
  EXPECT_EQ(registry_.all()[0]->name, "ant");
  EXPECT_EQ(registry_.all()[1]->name, "zebra");
  EXPECT_NE(registry_.find("ant"), nullptr);
  EXPECT_EQ(registry_.find("bee"), nullptr);
}

TEST_F(ToolRegistryTest, TwoToolsOfOneNameOrABrokenSchemaAreBugs) {
  registry_.add(std::make_unique<Calculator>());
  EXPECT_THROW(registry_.add(std::make_unique<Calculator>()), std::logic_error);
  ToolInfo broken = named("broken");
  broken.schema = "{";
  EXPECT_THROW(add(broken, [](ToolCall, std::stop_token) { return says(""); }), std::logic_error);
}

TEST_F(ToolRegistryTest, AnUnknownToolIsAFailedResultThatHelps) {
  EXPECT_EQ(run("calculate").text, "there is no tool 'calculate', nor any other");
  registry_.add(std::make_unique<Calculator>());
  registry_.add(std::make_unique<ClockTool>(clock_));
  const ToolResult near = run("calculat");
  EXPECT_TRUE(near.failed);
  EXPECT_EQ(near.text, "there is no tool 'calculat'; did you mean 'calculate'?");
  EXPECT_EQ(run("send_email").text,
            "there is no tool 'send_email'; there are calculate, current_time");
}

TEST_F(ToolRegistryTest, WrongArgumentsNeverReachTheTool) {
  registry_.add(std::make_unique<Calculator>());
  const ToolResult wrong = run("calculate", R"({"expression": 5})");
  EXPECT_TRUE(wrong.failed);
  EXPECT_EQ(wrong.text,
            "'expression' must be text of 1 to 1000 characters, you sent 5; call it again with "
            "that put right");
  EXPECT_TRUE(run("calculate", "2+2").failed);
  EXPECT_TRUE(run("calculate", "").text.starts_with("the arguments are not JSON"));
  EXPECT_TRUE(registry_.check("calculate", R"({"expression": "1"})"));
  EXPECT_FALSE(registry_.check("calculate", "{}"));
}

TEST_F(ToolRegistryTest, AnExceptionIsAFailedResult) {
  add(named("reader"), [](ToolCall, std::stop_token) { return breaks(); });
  add(named("writer", true), [](ToolCall, std::stop_token) { return breaks(); });
  const ToolResult read = run("reader");
  EXPECT_TRUE(read.failed);
  EXPECT_EQ(read.text, "reader broke (the wire is cut); it changed nothing");
  EXPECT_EQ(run("writer").text,
            "writer broke (the wire is cut); outcome unknown: it may have happened");
}

TEST_F(ToolRegistryTest, ADeadlineEndsAToolAndTellsIt) {
  bool heard_stop = false;
  add(named("slow"),
      [&](ToolCall, std::stop_token stop) { return takes(clock_, hours(1), stop, heard_stop); });
  start("slow");
  clock_.advance(kToolDeadline - millis(1));
  settle();
  EXPECT_FALSE(result_);
  clock_.advance(millis(1));
  settle();
  ASSERT_TRUE(result_);
  EXPECT_TRUE(result_->failed);
  EXPECT_EQ(result_->text, "slow did not end within 2 min; it changed nothing");
  EXPECT_TRUE(heard_stop);
  EXPECT_EQ(clock_.waiting(), 0U);
}

TEST_F(ToolRegistryTest, ADeadlineOfASideEffectLeavesItsOutcomeUnknown) {
  add(named("pay", true),
      [&](ToolCall, std::stop_token) { return ignores_stops(clock_, hours(1)); });
  start("pay");
  clock_.advance(kToolDeadline);
  settle();
  ASSERT_TRUE(result_);
  EXPECT_EQ(result_->text, "pay did not end within 2 min; outcome unknown: it may have happened");
  clock_.advance(hours(1));  // what comes late changes nothing
  settle();
  EXPECT_TRUE(result_->failed);
}

TEST_F(ToolRegistryTest, AToolWithinItsDeadlineLeavesNoTimer) {
  bool heard_stop = false;
  add(named("brief"),
      [&](ToolCall, std::stop_token stop) { return takes(clock_, seconds(5), stop, heard_stop); });
  start("brief");
  clock_.advance(seconds(5));
  settle();
  ASSERT_TRUE(result_);
  EXPECT_EQ(result_->text, "done");
  EXPECT_EQ(clock_.waiting(), 0U);
}

TEST_F(ToolRegistryTest, AStopEndsACallAtOnce) {
  std::stop_source stop;
  add(named("pay", true),
      [&](ToolCall, std::stop_token) { return ignores_stops(clock_, hours(1)); });
  start("pay", "{}", stop.get_token());
  EXPECT_FALSE(result_);
  stop.request_stop();
  settle();
  ASSERT_TRUE(result_);
  EXPECT_EQ(result_->text, "pay was stopped; outcome unknown: it may have happened");
  start("pay", "{}", stop.get_token());
  ASSERT_TRUE(result_);
  EXPECT_EQ(result_->text, "pay was not started: the turn was stopped");
  clock_.advance(hours(1));
  settle();
}

TEST_F(ToolRegistryTest, ALongResultIsCutBetweenCharactersAndSaysSo) {
  std::string text;
  while (text.size() < 100 * 1024) text += "€";
  add(named("long"), [&](ToolCall, std::stop_token) { return says(text); });
  const ToolResult result = run("long");
  EXPECT_FALSE(result.failed);
  EXPECT_LE(result.text.size(), kToolResultBytes);
  EXPECT_TRUE(is_utf8(result.text));
  EXPECT_TRUE(result.text.ends_with("\n[cut: the first 64 KB of 100 KB; ask for less at a time]"));
}

TEST_F(ToolRegistryTest, BytesThatAreNoTextAreReplaced) {
  add(named("bytes"), [](ToolCall, std::stop_token) { return says("a\xFF\xC3 b é \xE2\x82"); });
  EXPECT_EQ(run("bytes").text, "a\uFFFD\uFFFD b é \uFFFD\uFFFD");
}

TEST_F(ToolRegistryTest, TheCalculatorCalculates) {
  registry_.add(std::make_unique<Calculator>());
  EXPECT_EQ(run("calculate", R"j({"expression": " 12 * (3 + 4) "})j").text, "12 * (3 + 4) = 84");
  const ToolResult zero = run("calculate", R"({"expression": "3/0"})");
  EXPECT_TRUE(zero.failed);
  EXPECT_EQ(zero.text, "3/0: division by zero");
}

TEST_F(ToolRegistryTest, TheClockTellsTimeHereAndElsewhere) {
  registry_.add(std::make_unique<ClockTool>(clock_));
  EXPECT_EQ(run("current_time").text, "Thursday, 1 January 2026, 01:00 (Europe/Berlin, UTC+1)");
  EXPECT_EQ(run("current_time", R"({"zone": "tokyo"})").text,
            "Thursday, 1 January 2026, 09:00 (Asia/Tokyo, UTC+9)");
  EXPECT_EQ(run("current_time", R"({"zone": "UTC"})").text,
            "Thursday, 1 January 2026, 00:00 (UTC)");
  const ToolResult nowhere = run("current_time", R"({"zone": "Atlantis"})");
  EXPECT_TRUE(nowhere.failed);
  EXPECT_EQ(nowhere.text, "there is no time zone 'Atlantis'; use a name such as Europe/Berlin");
}

}  // namespace
}  // namespace rouse
