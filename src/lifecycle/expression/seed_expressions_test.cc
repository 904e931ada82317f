// Every condition and template that the seed and the facts about its sister workflow need (S4-08,
// S4-C2 to S4-C6), against values that make it true and values that make it false.
#include <gtest/gtest.h>

#include "lifecycle/expression/expression.h"
#include "lifecycle/expression/scope_for_tests.h"
#include "lifecycle/expression/template.h"

namespace rouse {
namespace {

struct SeedCondition {
  std::string_view when, holds, fails;
};

const SeedCondition kSeedConditions[] = {
    // S4-08: the first run
    {"not variables.get('_session_initialized')", R"({"variables": {}})",
     R"({"variables": {"_session_initialized": true}})"},
    // S4-C2: a title once
    {"session.title is None", R"({"session": {"title": null}})", R"({"session": {"title": "x"}})"},
    // S4-C3: a task before an edit
    {"variables.get('require_task_before_edit') and not variables.get('task_claimed') and not "
     "(variables.get('plan_mode') or is_plan_file(tool_input.get('file_path', ''), source))",
     R"({"variables": {"require_task_before_edit": true}, "tool_input": {"file_path": "/a.cc"}, "source": "claude_sdk"})",
     R"({"variables": {"require_task_before_edit": true}, "tool_input": {"file_path": "/plans/a.md"}, "source": "claude_sdk"})"},
    {"variables.get('plan_mode') and tool_input.get('file_path', '').endswith('.md')",
     R"({"variables": {"plan_mode": true}, "tool_input": {"file_path": "a.md"}})",
     R"({"variables": {"plan_mode": true}, "tool_input": {}})"},
    // S4-C3: disclosure in order
    {"variables.get('enforce_tool_schema_check') and not variables.get('servers_listed')",
     R"({"variables": {"enforce_tool_schema_check": true, "servers_listed": false}})",
     R"({"variables": {"enforce_tool_schema_check": true, "servers_listed": true}})"},
    {"(tool_input.get('server_name') or tool_input.get('server')) not in "
     "variables.get('listed_servers', [])",
     R"({"tool_input": {"server": "a"}, "variables": {"listed_servers": ["b"]}})",
     R"({"tool_input": {"server_name": "a"}, "variables": {"listed_servers": ["a"]}})"},
    {"tool_input.get('tool_name') not in ['list_mcp_servers', 'list_tools', 'get_tool_schema', "
     "'search_tools', 'recommend_tools', 'list_skills', 'get_skill', 'search_skills'] and "
     "tool_input.get('arguments') and tool_key not in variables.get('unlocked_tools', [])",
     R"({"tool_input": {"tool_name": "x", "arguments": {"a": 1}}, "tool_key": "s:x", "variables": {}})",
     R"({"tool_input": {"tool_name": "x", "arguments": {"a": 1}}, "tool_key": "s:x", "variables": {"unlocked_tools": ["s:x"]}})"},
    // S4-C3: a commit before a close
    {"variables.get('require_commit_before_close') and not task_has_commits and not "
     "tool_input.get('commit_sha') and tool_input.get('reason') not in ['already_implemented', "
     "'obsolete', 'duplicate', 'wont_fix', 'out_of_repo']",
     R"({"variables": {"require_commit_before_close": true}, "task_has_commits": false, "tool_input": {"reason": "done"}})",
     R"({"variables": {"require_commit_before_close": true}, "task_has_commits": false, "tool_input": {"reason": "obsolete"}})"},
    {"tool_input.get('skip_validation') and (tool_input.get('commit_sha') or task_has_commits)",
     R"({"tool_input": {"skip_validation": true}, "task_has_commits": true})",
     R"({"tool_input": {"skip_validation": true}, "task_has_commits": false})"},
    {"variables.get('stop_attempts', 0) > 0 and variables.get('task_claimed')",
     R"({"variables": {"stop_attempts": 1, "task_claimed": true}})", R"({"variables": {}})"},
    {"variables.get('require_uv')", R"({"variables": {"require_uv": true}})",
     R"({"variables": {"require_uv": false}})"},
    // S4-C5: after a tool
    {"event.data.get('tool_name') == 'EnterPlanMode'",
     R"({"event": {"data": {"tool_name": "EnterPlanMode"}}})", R"({"event": {"data": {}}})"},
    {"tool_name in ['close_task'] and tool_input.get('commit_sha') and not tool_failed",
     R"({"tool_name": "close_task", "tool_input": {"commit_sha": "a"}, "tool_failed": false})",
     R"({"tool_name": "close_task", "tool_input": {"commit_sha": "a"}, "tool_failed": true})"},
    // S4-C6: stop gates
    {"variables.get('_tool_block_pending') and variables.get('stop_attempts', 0) < "
     "variables.get('max_stop_attempts', 3)",
     R"({"variables": {"_tool_block_pending": true, "stop_attempts": 2}})",
     R"({"variables": {"_tool_block_pending": true, "stop_attempts": 3}})"},
    {"task_has_commits and not variables.get('pre_existing_errors_triaged') and not "
     "variables.get('interactive_mode') and int(variables.get('stop_attempts', '0')) < 3",
     R"({"task_has_commits": true, "variables": {"stop_attempts": "1"}})",
     R"({"task_has_commits": true, "variables": {"interactive_mode": true}})"},
    {"variables.get('task_claimed') and task.status not in ['closed', 'review'] and not plan_mode "
     "and stop_attempts < 3",
     R"({"variables": {"task_claimed": true}, "task": {"status": "open"}, "plan_mode": false, "stop_attempts": 0})",
     R"({"variables": {"task_claimed": true}, "task": {"status": "review"}, "plan_mode": false, "stop_attempts": 0})"},
    // S4-C8: what came later
    {"any(server in prompt.lower() for server in variables.get('listed_servers', []))",
     R"({"prompt": "Ask GitHub", "variables": {"listed_servers": ["github"]}})",
     R"({"prompt": "Ask nobody", "variables": {}})"},
    {"prompt.strip().startswith('/') and len(prompt) < 100", R"({"prompt": "  /clear "})",
     R"({"prompt": "hello"})"},
};

TEST(SeedExpressions, EveryConditionHoldsAndFailsAsItShould) {  // S4-08, S4-C2 to S4-C6, S4-C8
  for (const SeedCondition& one : kSeedConditions) {
    const auto parsed = Expression::parse(one.when);
    ASSERT_TRUE(parsed) << one.when << "\n" << parsed.error().message;
    TestScope holds(one.holds), fails(one.fails);
    const auto yes = parsed->holds(holds), no = parsed->holds(fails);
    ASSERT_TRUE(yes) << one.when << "\n" << yes.error().message;
    ASSERT_TRUE(no) << one.when << "\n" << no.error().message;
    EXPECT_TRUE(*yes) << one.when;
    EXPECT_FALSE(*no) << one.when;
  }
}

TEST(SeedExpressions, EveryTemplateRenders) {  // S4-08, S4-C4
  TestScope scope(
      R"({"skills_list": "- commit\n- review", "task_context": null, "tool_name": "Edit",
                      "project": {"name": "rouse"}, "variables": {"listed_servers": ["a", "b"]}})");
  const auto rendered = [&](std::string_view text) {
    const auto parsed = TextTemplate::parse(text);
    if (!parsed) return parsed.error().message;
    const auto out = parsed->render(scope);
    return out ? *out : out.error().message;
  };
  EXPECT_EQ(rendered("{{ skills_list }}\n"), "- commit\n- review\n");
  EXPECT_EQ(rendered("{{ task_context }}\n"), "\n");
  EXPECT_EQ(rendered("## Pre-Existing Error/Warning/Failure Policy\n"),
            "## Pre-Existing Error/Warning/Failure Policy\n");
  EXPECT_EQ(rendered("Tool '{{ tool_name }}' is blocked."), "Tool 'Edit' is blocked.");
  EXPECT_EQ(rendered("git commit -m \"[{{ project.name }}-#N] description\""),
            "git commit -m \"[rouse-#N] description\"");
  EXPECT_EQ(rendered("Listed: {{ variables.listed_servers | join(', ') }}"), "Listed: a, b");
}

}  // namespace
}  // namespace rouse
