// Every rule of the workflows that ship: it blocks where it must, and lets pass where it must.
#include "lifecycle/rules_for_tests.h"

namespace rouse {
namespace {

class ShippedRules : public RulesTest, public testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    RulesTest::SetUp();
    use(GetParam());
  }
};
INSTANTIATE_TEST_SUITE_P(Both, ShippedRules,
                         testing::Values("headless-lifecycle", "session-lifecycle"));

// A test shows that a plain chat is never blocked by the gates for coding.
TEST_P(ShippedRules, APlainChatIsNeverBlocked) {
  for (const bool without_git : {false, true}) {
    folder_ = without_git ? "/notes" : "";
    git_.repository = false;
    EXPECT_EQ(calls("write_file", "edit", R"({"path":"notes.txt","text":"x"})"), "");
    EXPECT_EQ(calls("shell", "shell", R"({"command":"python3 x.py; pip install y"})"), "");
    EXPECT_EQ(calls("tasks", "task", R"({"action":"complete","number":1})"), "");
    EXPECT_EQ(calls("tasks", "task", R"({"action":"close","number":1,"reason":"done"})"), "");
    EXPECT_EQ(calls("ask", "ask", "{}"), "");
    EXPECT_EQ(calls("read_file", "read", R"({"path":"x"})"), "");
    EXPECT_EQ(stops(), "");
    claim("buy milk");
    EXPECT_EQ(stops(), "");
    variables_.set("claimed_task", 0);
  }
}

TEST_P(ShippedRules, Rule1AListOfTheAgentsOwnIsNeverKept) {
  folder_ = "";
  for (const char* tool :
       {"TodoWrite", "TodoRead", "TaskCreate", "TaskUpdate", "TaskList", "TaskGet"}) {
    EXPECT_NE(calls(tool, "", "{}"), "") << tool;
  }
  EXPECT_EQ(calls("tasks", "task", R"({"action":"list"})"), "");
}

TEST_P(ShippedRules, Rule2CodeIsChangedForATask) {
  const char* edit = R"({"path":"src/a.cc","text":"x"})";
  EXPECT_EQ(calls("write_file", "edit", edit),
            "Claim a task before you change files of this project: tasks with action claim and its "
            "number. If there is none for this, add one first.");
  EXPECT_EQ(calls("write_file", "edit", R"({"path":"plans/new.md","text":"x"})"), "");
  EXPECT_NE(calls("write_file", "edit", R"({"path":"plans/new.cc","text":"x"})"), "");
  EXPECT_EQ(calls("save_memory", "edit", R"({"text":"x"})"), "");  // no file of the project
  variables_.set("plan_mode", true);
  EXPECT_EQ(calls("write_file", "edit", edit), "");
  variables_.set("plan_mode", false);
  claim("the change");
  EXPECT_EQ(calls("write_file", "edit", edit), "");
  variables_.set("claimed_task", 0);
  variables_.set("require_task_before_edit", false);
  EXPECT_EQ(calls("write_file", "edit", edit), "");
}

TEST_P(ShippedRules, Rules3To5NothingIsCalledBeforeItWasLookedAt) {
  folder_ = "";
  const char* list = R"({"server":"files"})";
  const char* schema = R"({"server":"files","tool":"read"})";
  const char* call = R"({"server":"files","tool":"read","arguments":{"path":"x"}})";
  EXPECT_EQ(calls("list_mcp_servers", "read", "{}"), "");
  EXPECT_EQ(calls("list_tools", "read", list),
            "Call list_mcp_servers first, to see which servers there are.");
  EXPECT_EQ(calls("get_tool_schema", "read", schema),
            "Call list_tools for the server 'files' first, to see what it has.");
  EXPECT_EQ(calls("call_tool", "network", call),
            "Read the schema first: get_tool_schema with server 'files' and tool 'read'.");
  called("list_mcp_servers", "read", "{}");
  EXPECT_EQ(calls("list_tools", "read", list), "");
  called("list_tools", "read", list);
  EXPECT_EQ(calls("get_tool_schema", "read", schema), "");
  EXPECT_NE(calls("get_tool_schema", "read", R"({"server":"other","tool":"read"})"), "");
  called("get_tool_schema", "read", schema, true);  // a lookup that failed unlocks nothing
  EXPECT_NE(calls("call_tool", "network", call), "");
  called("get_tool_schema", "read", schema);
  EXPECT_EQ(calls("call_tool", "network", call), "");
  EXPECT_EQ(calls("call_tool", "network",
                  R"({"server_name":"files","tool_name":"read","arguments":"{\"path\":\"x\"}"})"),
            "");
  EXPECT_NE(calls("call_tool", "network", R"({"server":"files","tool":"write","arguments":{}})"),
            "");
  for (const char* tool : {"list_tools", "get_tool_schema", "search_tools", "recommend_tools",
                           "list_skills", "get_skill", "search_skills", "list_mcp_servers"}) {
    EXPECT_EQ(calls("call_tool", "network", fmt::format(R"({{"server":"x","tool":"{}"}})", tool)),
              "")
        << tool;
  }
  variables_.set("enforce_tool_schema_check", false);
  EXPECT_EQ(calls("call_tool", "network", R"({"server":"files","tool":"write","arguments":{}})"),
            "");
}

TEST_P(ShippedRules, CompactionMakesTheAgentLookAgain) {
  folder_ = "";
  called("list_mcp_servers", "read", "{}");
  called("list_tools", "read", R"({"server":"files"})");
  called("get_tool_schema", "read", R"({"server":"files","tool":"read"})");
  variables_.set("memories_extracted", true);
  variables_.add("_injected_memories", "note_1");
  run(event(Trigger::kPreCompact));
  EXPECT_EQ(*variables_.find("unlocked_tools"), boost::json::array{});
  EXPECT_EQ(*variables_.find("listed_servers"), boost::json::array{});
  EXPECT_FALSE(variables_.is("servers_listed"));
  EXPECT_FALSE(variables_.is("memories_extracted"));
  EXPECT_EQ(*variables_.find("_injected_memories"), boost::json::array{});
  EXPECT_NE(calls("list_tools", "read", R"({"server":"files"})"), "");
}

TEST_P(ShippedRules, Rule6ATaskOfAProjectEndsWithACommit) {
  claim("the change");
  EXPECT_NE(calls("tasks", "task", R"({"action":"complete","number":1})"), "");
  EXPECT_NE(calls("tasks", "task", R"({"action":"close","number":1,"reason":"done"})"), "");
  EXPECT_EQ(calls("tasks", "task", R"({"action":"complete","number":1,"commits":["abc1234"]})"),
            "");
  for (const char* reason :
       {"already_implemented", "obsolete", "duplicate", "wont_fix", "out_of_repo"}) {
    EXPECT_EQ(calls("tasks", "task",
                    fmt::format(R"({{"action":"close","number":1,"reason":"{}"}})", reason)),
              "")
        << reason;
  }
  EXPECT_EQ(calls("tasks", "task", R"({"action":"add","title":"more"})"), "");
  variables_.set("require_commit_before_close", false);
  EXPECT_EQ(calls("tasks", "task", R"({"action":"complete","number":1})"), "");
}

TEST_P(ShippedRules, Rule7NoValidationIsSkippedWhereThereAreCommits) {
  claim("the change");
  EXPECT_NE(calls("tasks", "task",
                  R"({"action":"complete","number":1,"commits":["a"],"skip_validation":true})"),
            "");
  EXPECT_EQ(calls("tasks", "task",
                  R"({"action":"complete","number":1,"commits":["a"],"skip_validation":false})"),
            "");
}

TEST_P(ShippedRules, Rule8WhoWasSentBackDoesTheWorkInsteadOfAsking) {
  EXPECT_EQ(calls("ask", "ask", "{}"), "");
  claim("the change");
  EXPECT_EQ(calls("ask", "ask", "{}"), "");
  variables_.set("stop_attempts", 1);
  EXPECT_NE(calls("ask", "ask", "{}"), "");
  variables_.set("claimed_task", 0);
  EXPECT_EQ(calls("ask", "ask", "{}"), "");
}

TEST_P(ShippedRules, Rule9PythonRunsInItsOwnEnvironment) {
  const auto runs = [&](std::string_view command) {
    return calls("shell", "shell", fmt::format(R"({{"command":"{}"}})", command));
  };
  for (const char* bad : {"python x.py", "python3 -m x", "pip install y", "cd a && pip3 install y",
                          "ls; python x.py", "sudo pip install y", "(python x.py)"}) {
    EXPECT_NE(runs(bad), "") << bad;
  }
  for (const char* good : {"uv run python x.py", "uv pip install y", "ls python", "echo pip",
                           "pipx list", "pythonic", "make test"}) {
    EXPECT_EQ(runs(good), "") << good;
  }
  variables_.set("require_uv", false);
  EXPECT_EQ(runs("python x.py"), "");
}

TEST_P(ShippedRules, AnExpressionThatRaisesInAGateBlocks) {
  variables_.set("claimed_task", 4);
  hands_.tasks = nullptr;  // nobody can say what task that is
  EXPECT_NE(calls("write_file", "edit", R"({"path":"a.cc"})").find("could not be decided"),
            std::string::npos);
  EXPECT_EQ(calls("read_file", "read", R"({"path":"a.cc"})"), "");
}

TEST_P(ShippedRules, WhoWasRefusedIsSentBackTwiceAndThenMayEnd) {
  folder_ = "";
  EXPECT_NE(calls("list_tools", "read", R"({"server":"files"})"), "");
  EXPECT_TRUE(variables_.is("_tool_block_pending"));
  EXPECT_NE(stops(), "");
  EXPECT_NE(stops(), "");
  EXPECT_EQ(stops(), "");
  called("list_mcp_servers", "read", "{}");  // it did what was asked for
  EXPECT_EQ(variables_.number("stop_attempts"), 0);
  EXPECT_EQ(stops(), "");
}

TEST_P(ShippedRules, AClaimedTaskIsFinishedBeforeTheEnd) {
  const auto number = claim("the change");
  EXPECT_EQ(stops(), fmt::format("Task #{} (the change) is still yours: finish it and close it, or "
                                 "say what keeps you from it.",
                                 number));
  variables_.set("plan_mode", true);
  EXPECT_EQ(stops(), "");
  variables_.set("plan_mode", false);
  EXPECT_TRUE(world_.run(
      tasks_->change(Workspaces::default_id(), {.number = number, .step = TaskStep::kComplete})));
  EXPECT_EQ(stops(), "");
}

TEST_P(ShippedRules, ErrorsThatWereMetAreLookedAtBeforeTheEnd) {
  const auto number = claim("the change", {"abc1234"});
  EXPECT_TRUE(world_.run(
      tasks_->change(Workspaces::default_id(),
                     {.number = number, .step = TaskStep::kComplete, .commits = {"abc1234"}})));
  EXPECT_NE(stops(), "");
  variables_.set("pre_existing_errors_triaged", true);
  EXPECT_EQ(stops(), "");
  variables_.set("pre_existing_errors_triaged", false);
  if (variables_.find("interactive_mode") == nullptr) return;
  variables_.set("stop_attempts", 0);
  variables_.set("interactive_mode", true);  // somebody is there to look
  EXPECT_EQ(stops(), "");
}

TEST_P(ShippedRules, WhatIsWorthRememberingIsAskedForOnce) {
  claim("the change");
  const auto nudge =
      called("tasks", "task", R"({"action":"complete","number":1,"commits":["abc1234"]})");
  EXPECT_NE(nudge.answer.inject.find("save_memory"), std::string::npos);
  EXPECT_EQ(variables_.number("claimed_task"), 0);
  EXPECT_NE(stops().find("save_memory"), std::string::npos);
  EXPECT_EQ(stops(), "");
  EXPECT_TRUE(variables_.is("memories_extracted"));
}

TEST_P(ShippedRules, AClaimIsRemembered) {
  called("tasks", "task", R"({"action":"claim","number":7})", true);
  EXPECT_EQ(variables_.number("claimed_task"), 0);
  called("tasks", "task", R"({"action":"claim","number":7})");
  EXPECT_EQ(variables_.number("claimed_task"), 7);
  hands_.tasks = nullptr;
  folder_ = "";
  called("tasks", "task", R"({"action":"complete","number":9})");
  EXPECT_EQ(variables_.number("claimed_task"), 7);
  called("tasks", "task", R"({"action":"close","number":7,"reason":"obsolete"})");
  EXPECT_EQ(variables_.number("claimed_task"), 0);
}

TEST_P(ShippedRules, EachPromptBeginsAnew) {
  variables_.set("stop_attempts", 2);
  variables_.set("_tool_block_pending", true);
  variables_.set("pre_existing_errors_triaged", true);
  prompted("go on");
  EXPECT_EQ(variables_.number("stop_attempts"), 0);
  EXPECT_FALSE(variables_.is("_tool_block_pending"));
  EXPECT_FALSE(variables_.is("pre_existing_errors_triaged"));
}

TEST_P(ShippedRules, PlanModeIsEnteredAndLeft) {
  called("enter_plan_mode", "plan", "{}");
  EXPECT_TRUE(variables_.is("plan_mode"));
  called("exit_plan_mode", "plan", "{}");
  EXPECT_FALSE(variables_.is("plan_mode"));
  prompted("Plan mode is active. Don't edit.");
  EXPECT_TRUE(variables_.is("plan_mode"));
  prompted("what else?");
  EXPECT_TRUE(variables_.is("plan_mode"));
  prompted("plan mode is on; no, exit plan mode now");
  EXPECT_FALSE(variables_.is("plan_mode"));
}

TEST(HeadlessLifecycle, InitialisesOnceBeforeTheFirstPromptAndSetsTheFlagLast) {
  VirtualClock clock;
  WorkflowBook book(clock);
  const auto& headless = *(*book.current())[0];
  ASSERT_EQ(headless.name, "headless-lifecycle");
  EXPECT_EQ(headless.sources, (std::vector<std::string>{"claude_sdk"}));
  EXPECT_EQ(headless.priority, 10);
  EXPECT_EQ(headless.steps(Trigger::kSessionStart), nullptr);
  EXPECT_EQ(headless.steps(Trigger::kSessionEnd), nullptr);
  std::string first_run;
  for (const WorkflowStep& step : *headless.steps(Trigger::kBeforeAgent)) {
    if (!step.when || step.when->text() != "not variables.get('_session_initialized')") break;
    first_run += std::string(step.action->name) + " " + step.arguments.text("name") +
                 step.arguments.text("source") + "; ";
  }
  EXPECT_EQ(first_run,
            "set_variable plan_mode; capture_baseline_dirty_files ; memory_sync_import ; "
            "task_sync_import ; inject_context skills; inject_context task_context; "
            "inject_context ; set_variable _session_initialized; ");
}

// "the seed's tool names … are aliases of classes, each tested"
TEST(ToolNames, EachNameOfACodingAgentStandsForAClass) {
  const auto means = [](std::string_view name, std::string tool, std::string_view tool_class,
                        std::string_view arguments = "{}") {
    LifecycleEvent event;
    set_tool(event, std::move(tool), tool_class, arguments);
    return names_this_tool(name, event);
  };
  for (const char* name : {"Edit", "Write", "MultiEdit", "NotebookEdit"}) {
    EXPECT_TRUE(means(name, "write_file", "edit")) << name;
    EXPECT_FALSE(means(name, "read_file", "read")) << name;
  }
  EXPECT_TRUE(means("Bash", "shell", "shell"));
  EXPECT_FALSE(means("Bash", "write_file", "edit"));
  for (const char* name : {"Read", "Glob", "Grep"}) {
    EXPECT_TRUE(means(name, "list_files", "read")) << name;
    EXPECT_FALSE(means(name, "shell", "shell")) << name;
  }
  EXPECT_TRUE(means("WebFetch", "http_fetch", "network"));
  EXPECT_FALSE(means("WebFetch", "read_file", "read"));
  EXPECT_TRUE(means("AskUserQuestion", "ask", "ask"));
  EXPECT_FALSE(means("AskUserQuestion", "shell", "shell"));
  EXPECT_TRUE(means("EnterPlanMode", "enter_plan_mode", "plan"));
  EXPECT_FALSE(means("EnterPlanMode", "exit_plan_mode", "plan"));
  EXPECT_TRUE(means("ExitPlanMode", "exit_plan_mode", "plan"));
  EXPECT_FALSE(means("ExitPlanMode", "enter_plan_mode", "plan"));
  EXPECT_TRUE(means("create_task", "tasks", "task", R"({"action":"add"})"));
  EXPECT_TRUE(means("claim_task", "tasks", "task", R"({"action":"claim"})"));
  EXPECT_TRUE(means("close_task", "tasks", "task", R"({"action":"close"})"));
  EXPECT_TRUE(means("close_task", "tasks", "task", R"({"action":"complete"})"));
  EXPECT_FALSE(means("close_task", "tasks", "task", R"({"action":"list"})"));
  EXPECT_FALSE(means("claim_task", "shell", "shell", R"({"action":"claim"})"));
  for (const ToolAlias& alias : tool_aliases()) {
    EXPECT_FALSE(means(alias.name, "calculator", "")) << alias.name;
    EXPECT_TRUE(means(alias.name, std::string(alias.name), "")) << alias.name;
  }
}

}  // namespace
}  // namespace rouse
