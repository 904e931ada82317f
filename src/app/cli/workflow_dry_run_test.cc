#include "app/cli/workflow_dry_run.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "app/cli/workflow_check.h"
#include "base/files.h"
#include "lifecycle/workflow/workflow_book.h"

namespace rouse::cli {
namespace {

std::shared_ptr<const Workflow> loaded(std::string_view text) {
  LoadedWorkflow out = load_workflow("mine.yaml", text);
  for (const WorkflowProblem& problem : out.problems) ADD_FAILURE() << problem.str();
  return std::make_shared<const Workflow>(std::move(out.workflow).value());  // or it throws
}

std::shared_ptr<const Workflow> headless() { return loaded(shipped_workflows().front().text); }

std::string error_of(const DryWish& wish) {
  const auto tried = dry_run(wish);
  return tried ? "no error" : tried.error().message;
}

const DryPart* part(const std::vector<DryPart>& parts, std::string_view text) {
  const auto found = std::ranges::find(parts, text, &DryPart::text);
  return found == parts.end() ? nullptr : &*found;
}

constexpr std::string_view kEdit =
    R"({"tool_name": "write_file", "tool_input": {"path": "a.py"}, "project": {"git": true}})";

TEST(WorkflowDryRun, AnEditWithoutATaskIsRefusedAndTheRuleThatDidItShowsItsParts) {
  const auto report =
      dry_run({.workflow = headless(), .event = "on_before_tool", .data = std::string(kEdit)});
  ASSERT_TRUE(report) << report.error();
  EXPECT_EQ(report->decision, "block");
  EXPECT_EQ(report->source, "claude_sdk");
  EXPECT_EQ(report->tool_class, "edit");
  EXPECT_NE(report->reason->find("Claim a task"), std::string::npos);
  ASSERT_EQ(report->steps.size(), 1U);
  EXPECT_EQ(report->steps[0].outcome, "blocked");
  ASSERT_EQ(report->steps[0].rules.size(), 1U) << "only rules that speak of this tool";
  const DryPart* git = part(report->steps[0].rules[0].parts, "project.git");
  ASSERT_NE(git, nullptr);
  EXPECT_EQ(git->value, "true");
  ASSERT_EQ(report->variables.size(), 1U);
  EXPECT_EQ(report->variables[0].name, "_tool_block_pending");
  EXPECT_EQ(report->variables[0].after, boost::json::value(true));
}

TEST(WorkflowDryRun, VariablesCanBeSetAndTheAliasOfATriggerIsFine) {
  const auto report = dry_run({.workflow = headless(),
                               .event = "on_tool_call",
                               .data = std::string(kEdit),
                               .set = {"plan_mode=true"}});
  ASSERT_TRUE(report) << report.error();
  EXPECT_EQ(report->decision, "allow");
  EXPECT_EQ(report->event, "on_before_tool");
}

TEST(WorkflowDryRun, AGivenTaskIsTheClaimedOne) {
  const auto edit = dry_run({.workflow = headless(),
                             .event = "on_before_tool",
                             .data = R"({"tool_name": "write_file", "project": {"git": true},
                                         "task": {"number": 7, "title": "Mend it"}})"});
  ASSERT_TRUE(edit) << edit.error();
  EXPECT_EQ(edit->decision, "allow");
  const auto stop =
      dry_run({.workflow = headless(), .event = "on_stop", .data = R"({"project": {"git": true},
                                         "task": {"number": 7, "title": "Mend it"}})"});
  ASSERT_TRUE(stop) << stop.error();
  EXPECT_EQ(stop->decision, "block");
  EXPECT_NE(stop->reason->find("Task #7 (Mend it)"), std::string::npos) << *stop->reason;
  EXPECT_GT(stop->steps_left, 0) << "what stands behind a refusal is not reached";
}

TEST(WorkflowDryRun, WhatActsInTheWorldIsNamedAndLeftOut) {
  const auto report = dry_run(
      {.workflow = headless(), .event = "on_before_agent", .data = R"({"prompt": "hello"})"});
  ASSERT_TRUE(report) << report.error();
  const auto step = std::ranges::find(report->steps, "memory_sync_import", &DryStep::action);
  ASSERT_NE(step, report->steps.end());
  EXPECT_EQ(step->outcome, "not run");
  const std::string text = dry_run_text(*report);
  EXPECT_NE(text.find("_session_initialized: false -> true"), std::string::npos) << text;
}

TEST(WorkflowDryRun, ARuleSeesTheVariablesAsTheStepsBeforeItLeftThem) {
  const auto report = dry_run({.workflow = loaded(R"yaml(
name: mine
variables: {on: false}
triggers:
  on_before_tool:
    - {action: set_variable, name: on, value: true}
    - action: block_tools
      rules: [{tools: [shell], when: "variables.on", reason: "no"}]
)yaml"),
                               .event = "on_before_tool",
                               .data = R"({"tool_name": "shell"})"});
  ASSERT_TRUE(report) << report.error();
  ASSERT_EQ(report->steps.size(), 2U);
  ASSERT_EQ(report->steps[1].rules.size(), 1U);
  EXPECT_EQ(report->steps[1].rules[0].parts[0].value, "true");
  EXPECT_EQ(report->reason, "no");
}

TEST(WorkflowDryRun, DirtyFilesComeFromTheData) {
  const auto workflow = loaded(R"yaml(
name: mine
triggers:
  on_stop:
    - {action: block_stop, when: "session_has_dirty_files()", reason: "commit first"}
)yaml");
  const auto dirty = dry_run({.workflow = workflow,
                              .event = "on_stop",
                              .data = R"({"project": {"git": true, "dirty_files": ["a"]}})"});
  ASSERT_TRUE(dirty) << dirty.error();
  EXPECT_EQ(dirty->reason, "commit first");
  const auto clean =
      dry_run({.workflow = workflow, .event = "on_stop", .data = R"({"project": {"git": true}})"});
  ASSERT_TRUE(clean) << clean.error();
  EXPECT_EQ(clean->decision, "allow");
}

TEST(WorkflowDryRun, WhatIsMistypedIsToldWithTheNearestName) {
  const auto workflow = headless();
  EXPECT_EQ(error_of({.workflow = workflow, .event = "on_befor_tool"}),
            "there is no event 'on_befor_tool'; did you mean 'on_before_tool'?");
  EXPECT_EQ(error_of({.workflow = workflow, .event = "on_stop", .data = R"({"promt": "x"})"}),
            "--data has an unknown key 'promt'; did you mean 'prompt'?");
  EXPECT_EQ(
      error_of({.workflow = workflow, .event = "on_stop", .data = R"({"project": {"gti": true}})"}),
      "'project' in --data has an unknown key 'gti'; did you mean 'git'?");
  EXPECT_EQ(error_of({.workflow = workflow, .event = "on_stop", .set = {"plan_mod=true"}}),
            "the workflow declares no variable 'plan_mod'; did you mean 'plan_mode'?");
  EXPECT_NE(error_of({.workflow = workflow, .event = "on_stop", .set = {"plan_mode=yes"}})
                .find("the value must be JSON"),
            std::string::npos);
  EXPECT_NE(error_of({.workflow = workflow, .event = "on_stop", .set = {"plan_mode"}})
                .find("write NAME=JSON"),
            std::string::npos);
  EXPECT_NE(error_of({.workflow = workflow, .event = "on_before_tool"}).find("\"tool_name\""),
            std::string::npos);
  EXPECT_NE(error_of({.workflow = workflow, .event = "on_stop", .source = "whatsapp"})
                .find("its sources are claude_sdk"),
            std::string::npos);
  EXPECT_NE(error_of({.workflow = workflow, .event = "on_stop", .data = "{"}).find("not JSON"),
            std::string::npos);
  EXPECT_NE(error_of({.workflow = workflow, .event = "on_stop", .data = R"({"prompt": 3})"})
                .find("'prompt'"),
            std::string::npos);
}

// Whole, and cut off anywhere: what loads runs dry to its end, what does not says where.
TEST(WorkflowDryRun, EverySeedOfTheFuzzerEndsForEveryTrigger) {
  const std::string folder = std::string(ROUSE_SOURCE_DIR) + "/tests/fuzz/corpus/workflow_fuzz/";
  constexpr std::size_t kEvery = 61;  // bytes
  int ran = 0;
  for (const std::string name : {"headless.yaml", "small.yaml", "gates.yaml", "broken.yaml"}) {
    const auto whole = read_file(folder + name, kWorkflowBytes);
    ASSERT_TRUE(whole) << whole.error();
    for (std::size_t cut = 0; cut < whole->size(); cut += kEvery) {
      const std::string text = whole->substr(0, whole->size() - cut);
      LoadedWorkflow made = load_workflow(name, text);
      ASSERT_EQ(made.workflow.has_value(), made.problems.empty());
      if (!made.workflow) continue;
      const auto workflow = std::make_shared<const Workflow>(std::move(*made.workflow));
      for (const TriggerInfo& info : kTriggers) {
        const auto report = dry_run({.workflow = workflow,
                                     .event = std::string(info.name),
                                     .data = R"({"tool_name": "call_tool", "prompt": "roof",
                                         "tool_input": {"server": "files", "tool": "read"}})"});
        ASSERT_TRUE(report) << report.error();
        ASSERT_TRUE(report->decision != "block" || info.can_block);
        ++ran;
      }
    }
  }
  EXPECT_GT(ran, 14);
}

TEST(WorkflowCheck, RousesOwnAreFoundByName) {
  const auto found = named_workflow("/nonexistent", "headless-lifecycle");
  ASSERT_TRUE(found) << found.error();
  EXPECT_EQ(found->text, shipped_workflows().front().text);
  const auto missing = named_workflow("/nonexistent", "headless-lifecicle");
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message.find("did you mean 'headless-lifecycle'"), std::string::npos);
}

}  // namespace
}  // namespace rouse::cli
