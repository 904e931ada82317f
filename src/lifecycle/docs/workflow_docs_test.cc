#include "lifecycle/docs/workflow_docs.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "lifecycle/engine/event.h"
#include "lifecycle/engine/scope.h"
#include "lifecycle/workflow/workflow.h"

namespace rouse {
namespace {

TEST(WorkflowDocs, ThePageIsWhatTheTablesSay) {
  const auto page = read_file(std::string(ROUSE_SOURCE_DIR) + "/docs/workflows.md", 1 << 20);
  ASSERT_TRUE(page) << page.error();
  EXPECT_TRUE(*page == workflow_docs())
      << "docs/workflows.md is stale. Refresh it with: rouse workflow docs > docs/workflows.md";
}

TEST(WorkflowDocs, EveryNameIsOnThePage) {
  const std::string page = workflow_docs();
  for (const ActionKind& action : all_actions()) {
    EXPECT_NE(page.find("\n### " + std::string(action.name) + "\n"), page.npos) << action.name;
    EXPECT_TRUE(action.help.ends_with('.')) << action.name << " is explained in sentences";
    for (const ArgumentInfo& info : action.arguments) {
      EXPECT_NE(page.find("| `" + std::string(info.name) + "`"), page.npos) << info.name;
      EXPECT_FALSE(info.help.empty()) << action.name << " " << info.name;
    }
  }
  for (const TriggerInfo& info : kTriggers) {
    EXPECT_NE(page.find("`" + std::string(info.name) + "`"), page.npos) << info.name;
  }
  for (const ScopeName& one : scope_values()) {
    EXPECT_NE(page.find("| `" + std::string(one.name) + "` |"), page.npos) << one.name;
  }
  for (const ScopeName& one : scope_functions()) {
    EXPECT_NE(page.find("| `" + std::string(one.name) + "` |"), page.npos) << one.name;
  }
  for (const ToolAlias& one : tool_aliases()) {
    EXPECT_NE(page.find("`" + std::string(one.name) + "`"), page.npos) << one.name;
  }
}

TEST(WorkflowDocs, TheExampleOnThePageLoads) {
  const std::string page = workflow_docs();
  const std::string_view begin = "```yaml\n";
  const auto first = page.find(begin) + begin.size();
  const std::string example = page.substr(first, page.find("```", first) - first);
  const LoadedWorkflow loaded = load_workflow("example.yaml", example);
  for (const WorkflowProblem& problem : loaded.problems) ADD_FAILURE() << problem.str();
  ASSERT_TRUE(loaded.workflow);
  EXPECT_EQ(loaded.workflow->name, "no-force-push");
}

}  // namespace
}  // namespace rouse
