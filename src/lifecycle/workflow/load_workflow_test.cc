#include <gtest/gtest.h>

#include "lifecycle/workflow/workflow_book.h"

namespace rouse {
namespace {

std::string problems_of(std::string_view text) {
  std::string out;
  for (const WorkflowProblem& problem : load_workflow("w.yaml", text).problems) {
    out += problem.str() + "\n";
  }
  return out;
}

std::string with_step(std::string_view step) {
  return "name: w\nvariables:\n  plan_mode: false\n  count: 0\ntriggers:\n  on_stop:\n    - " +
         std::string(step);
}

TEST(Workflow, IsLoadedAsItIsWritten) {
  const auto loaded = load_workflow("w.yaml", R"yaml(
name: my-rules
description: "Mine"
type: lifecycle
sources: [claude_sdk, whatsapp]
settings:
  priority: 20
variables:
  tries: 0
  words: []
triggers:
  on_prompt_submit:
    - action: set_variable
      when: "not variables.get('tries')"
      name: tries
      value: 3
  on_stop:
)yaml");
  ASSERT_TRUE(loaded.workflow) << loaded.problems.front().str();
  const Workflow& workflow = *loaded.workflow;
  EXPECT_EQ(workflow.name, "my-rules");
  EXPECT_EQ(workflow.priority, 20);
  EXPECT_TRUE(workflow.is_for("whatsapp"));
  EXPECT_FALSE(workflow.is_for("telegram"));
  EXPECT_EQ(workflow.variables.at("words"), boost::json::array{});
  const auto* steps = workflow.steps(Trigger::kBeforeAgent);  // by its other name
  ASSERT_TRUE(steps != nullptr);
  ASSERT_EQ(steps->size(), 1U);
  EXPECT_EQ(steps->front().line, 13);
  EXPECT_EQ(steps->front().arguments.text("name"), "tries");
  EXPECT_EQ(*steps->front().arguments.value("value"), 3);
}

// "unknown action, argument, variable, trigger or a broken expression is an error with file, line
// and the nearest valid name"
TEST(Workflow, SaysWhatIsWrongAndWhereAndWhatWasMeant) {
  EXPECT_EQ(problems_of(with_step("action: set_varable\n      name: count\n      value: 1\n")),
            "w.yaml:7:15: there is no action 'set_varable'; did you mean 'set_variable'?\n");
  EXPECT_EQ(problems_of(with_step("action: set_variable\n      nam: count\n      value: 1\n")),
            "w.yaml:8:7: 'nam' is no key of action set_variable; did you mean 'name'?\n"
            "w.yaml:7:7: action set_variable needs 'name'\n");
  EXPECT_EQ(problems_of(with_step("action: set_variable\n      name: conut\n      value: 1\n")),
            "w.yaml:8:13: the workflow declares no variable 'conut'; did you mean 'count'?\n");
  EXPECT_EQ(problems_of("name: w\ntriggers:\n  on_before_tol: []\n"),
            "w.yaml:3:3: there is no trigger 'on_before_tol'; did you mean 'on_before_tool'?\n");
  EXPECT_EQ(
      problems_of(with_step("action: force_allow_stop\n      when: \"not (\"\n")).substr(0, 13),
      "w.yaml:8:13: ");
  EXPECT_EQ(
      problems_of(with_step("action: force_allow_stop\n      when: variables.get('plan_mod')\n")),
      "w.yaml:8:13: column 15: 'variables' has no 'plan_mod'; did you mean 'plan_mode'?\n");
  EXPECT_EQ(problems_of(with_step("action: force_allow_stop\n      when: tool_nam == 'x'\n")),
            "w.yaml:8:13: column 1: the name 'tool_nam' is not known; did you mean 'tool_name'?\n");
  EXPECT_EQ(
      problems_of(with_step("action: block_stop\n      reason: \"{{ nope }}\"\n")).substr(0, 14),
      "w.yaml:8:15: c");
  EXPECT_EQ(problems_of("name: w\n"), "w.yaml:1:1: 'triggers' is missing: it would do nothing\n");
  EXPECT_EQ(problems_of("name: w\ntype: step\ntriggers: {}\n"),
            "w.yaml:2:7: type is 'lifecycle', the only kind there is, not 'step'\n");
  EXPECT_EQ(problems_of("name: W!\ntriggers: {}\n"),
            "w.yaml:1:7: a name has 1 to 64 of a-z, 0-9, '-' and '_'\n");
}

TEST(Workflow, RefusesABadPatternWhenItIsLoaded) {
  const std::string rule =
      "name: w\ntriggers:\n  on_before_tool:\n    - action: block_tools\n      rules:\n"
      "        - tools: [Bash]\n          command_pattern: ";
  EXPECT_EQ(problems_of(rule + "'(pip'\n").substr(0, 58),
            "w.yaml:7:28: '(pip' is no regular expression: Unmatched ( ");
  EXPECT_EQ(problems_of(rule + "'(?!uv)pip'\n"),
            "w.yaml:7:28: '(?!' is not known here: of the groups that begin with '(?' there is "
            "only '(?:'\n");
  EXPECT_EQ(problems_of(rule + "'(?:^|;)\\s*pip\\d?\\b'\n"), "");
}

TEST(CommandPattern, FitsWhatItSays) {
  const auto pattern = *CommandPattern::parse(R"((?:^|[;&|])\s*pip\d?\b)");
  EXPECT_TRUE(pattern.found_in("pip install x"));
  EXPECT_TRUE(pattern.found_in("cd a; pip3 install x"));
  EXPECT_TRUE(pattern.found_in(std::string_view("a\0; pip x", 9)));  // a NUL hides nothing
  EXPECT_FALSE(pattern.found_in("uv pip install x"));
  EXPECT_FALSE(pattern.found_in("pipeline"));
  EXPECT_TRUE(CommandPattern::parse(R"([\d\s]x)")->found_in("1x"));
  EXPECT_TRUE(CommandPattern::parse("[]a]x")->found_in("]x"));
}

TEST(WorkflowBook, HasWhatShipsAndLetsAFileStandInForIt) {
  VirtualClock clock;
  WorkflowBook book(clock);
  EXPECT_EQ(book.current()->size(), 2U);
  for (const WorkflowState& state : book.states()) {
    EXPECT_TRUE(state.problems.empty()) << state.problems.front().str();
    EXPECT_TRUE(state.shipped);
  }
  EXPECT_TRUE(book.use({{"headless-lifecycle.yaml", "name: mine\ntriggers: {}\n"}}).empty());
  EXPECT_EQ(book.current()->size(), 2U);
  EXPECT_EQ(book.states()[0].name, "mine");
  EXPECT_FALSE(book.states()[0].shipped);
  EXPECT_TRUE(book.use({{"headless-lifecycle.yaml", "\n"}}).empty());  // switched off
  EXPECT_EQ(book.current()->size(), 1U);
  EXPECT_TRUE(book.states()[0].off);
}

TEST(WorkflowBook, KeepsTheLastGoodVersionOfAFileThatBroke) {
  VirtualClock clock;
  WorkflowBook book(clock);
  EXPECT_TRUE(book.use({{"a.yaml", "name: a\nsettings: {priority: 1}\ntriggers: {}\n"}}).empty());
  const auto before = book.current();
  const auto problems = book.use({{"a.yaml", "name: a\ntriggers: {on_stopp: []}\n"}});
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems[0].str(),
            "workflows/a.yaml:2:12: there is no trigger 'on_stopp'; did you mean 'on_stop'?");
  EXPECT_EQ((*book.current())[0], (*before)[0]);
  EXPECT_TRUE(book.states()[0].in_force());
  EXPECT_TRUE(book.use({}).empty());  // the file is gone, and so are its rules
  EXPECT_EQ(book.current()->size(), 2U);
}

TEST(WorkflowBook, TakesANameOnlyOnce) {
  VirtualClock clock;
  WorkflowBook book(clock);
  const std::vector<WorkflowFile> two{{"a.yaml", "name: same\ntriggers: {}\n"},
                                      {"b.yaml", "name: same\ntriggers: {}\n"}};
  ASSERT_EQ(book.use(two).size(), 1U);
  EXPECT_EQ(book.use(two).size(), 1U);
  EXPECT_EQ(
      book.states()[1].clash->str(),
      "workflows/b.yaml:1:1: workflows/a.yaml is called 'same', too; this one is not in force");
  EXPECT_TRUE(book.use({two[1]}).empty());
  EXPECT_EQ(book.current()->size(), 3U);
}

}  // namespace
}  // namespace rouse
