#include "app/cli/workflow_reading.h"

#include <gtest/gtest.h>

namespace rouse::cli {
namespace {

Firing fired(std::string at, std::string decision) {
  Firing out{.at = std::move(at),
             .turn_id = "turn_1",
             .event = "on_before_tool",
             .workflow = "mine",
             .decision = std::move(decision),
             .reason = {},
             .tool = "shell",
             .micros = 41,
             .actions = {}};
  if (out.decision == "block") {
    out.reason = "no\x1b[2J force";
    out.actions.push_back({"block_tools", 12, "blocked", "line 14"});
  }
  return out;
}

TEST(WorkflowReading, ATraceEndsWithTheNewestAndCannotSteerTheTerminal) {  // SC-10
  EXPECT_EQ(firings_text({fired("2026-11-15T09:12:00.000Z", "block"),
                          fired("2026-11-15T09:11:00.000Z", "allow")}),
            "2026-11-15 09:11  on_before_tool   allow   mine  shell  41 µs\n"
            "2026-11-15 09:12  on_before_tool   block   mine  shell  41 µs\n"
            "    refused: no[2J force\n"
            "    line 12 block_tools: blocked (line 14)\n");
}

TEST(WorkflowReading, TheStoryCountsAndSaysWhatWasRefused) {
  EXPECT_EQ(rules_story({}), "");
  EXPECT_EQ(rules_story({fired("2026-11-15T09:12:00.000Z", "block"),
                         fired("2026-11-15T09:11:00.000Z", "allow")}),
            "Rules in this conversation:\n"
            "  mine fired 2 times, refused once\n"
            "2026-11-15 09:12  shell was refused: no[2J force\n");
  Firing stop = fired("2026-11-15T09:12:00.000Z", "block");
  stop.tool = std::nullopt;
  EXPECT_NE(rules_story({stop}).find("the end of the turn was refused"), std::string::npos);
}

TEST(WorkflowReading, TheListSaysWhatIsInForceAndWhatIsWrong) {
  WorkflowView own;
  own.name = "headless-lifecycle";
  own.state = "active";
  own.shipped = true;
  own.sources = {"claude_sdk"};
  WorkflowView broken;
  broken.name = "mine";
  broken.file = "workflows/mine.yaml";
  broken.state = "broken";
  broken.problems.push_back({"workflows/mine.yaml", 3, 5, "there is no trigger 'on_sotp'"});
  EXPECT_EQ(workflow_table({{own, broken}}),
            "NAME                STATE                 FOR         FILE\n"
            "headless-lifecycle  active                claude_sdk  (rouse's own)\n"
            "mine                broken, not in force  everybody   workflows/mine.yaml\n"
            "! workflows/mine.yaml:3:5: there is no trigger 'on_sotp'\n");
}

}  // namespace
}  // namespace rouse::cli
