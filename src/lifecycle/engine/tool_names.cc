// The names that coding agents have for tools, as classes of ours.
#include <algorithm>
#include <array>
#include <span>

#include "lifecycle/engine/event.h"

namespace rouse {
namespace {

bool of_class(const LifecycleEvent& event, std::string_view tool_class) {
  return event.tool_class == tool_class;
}

// The word for what a task tool is asked to do: claim, complete, close …
bool does(const LifecycleEvent& event, std::initializer_list<std::string_view> words) {
  if (event.tool != "tasks") return false;
  const auto* action = event.tool_input.if_contains("action");
  return action != nullptr && action->is_string() &&
         std::ranges::any_of(words, [&](std::string_view word) {
           return word == std::string_view(action->as_string());
         });
}

bool plan(const LifecycleEvent& event, std::string_view word) {
  return event.tool_class == "plan" && event.tool.find(word) != std::string::npos;
}

constexpr std::array<ToolAlias, 21> kAliases{{
    {"Edit", "every tool of class edit",
     [](const LifecycleEvent& event) { return of_class(event, "edit"); }},
    {"Write", "every tool of class edit",
     [](const LifecycleEvent& event) { return of_class(event, "edit"); }},
    {"MultiEdit", "every tool of class edit",
     [](const LifecycleEvent& event) { return of_class(event, "edit"); }},
    {"NotebookEdit", "every tool of class edit",
     [](const LifecycleEvent& event) { return of_class(event, "edit"); }},
    {"Bash", "every tool of class shell",
     [](const LifecycleEvent& event) { return of_class(event, "shell"); }},
    {"Read", "every tool of class read",
     [](const LifecycleEvent& event) { return of_class(event, "read"); }},
    {"Glob", "every tool of class read",
     [](const LifecycleEvent& event) { return of_class(event, "read"); }},
    {"Grep", "every tool of class read",
     [](const LifecycleEvent& event) { return of_class(event, "read"); }},
    {"WebFetch", "every tool of class network",
     [](const LifecycleEvent& event) { return of_class(event, "network"); }},
    {"AskUserQuestion", "every tool of class ask",
     [](const LifecycleEvent& event) { return of_class(event, "ask"); }},
    {"EnterPlanMode", "a tool of class plan that enters it",
     [](const LifecycleEvent& event) { return plan(event, "enter"); }},
    {"ExitPlanMode", "a tool of class plan that leaves it",
     [](const LifecycleEvent& event) { return plan(event, "exit"); }},
    {"create_task", "the task tool, adding one",
     [](const LifecycleEvent& event) { return does(event, {"add"}); }},
    {"claim_task", "the task tool, claiming one",
     [](const LifecycleEvent& event) { return does(event, {"claim"}); }},
    {"close_task", "the task tool, completing or closing one",
     [](const LifecycleEvent& event) { return does(event, {"complete", "close"}); }},
    {"TodoWrite", "a list of the agent's own, which is not kept",
     [](const LifecycleEvent& event) { return event.tool == "TodoWrite"; }},
    {"TodoRead", "a list of the agent's own, which is not kept",
     [](const LifecycleEvent& event) { return event.tool == "TodoRead"; }},
    {"TaskCreate", "a list of the agent's own, which is not kept",
     [](const LifecycleEvent& event) { return event.tool == "TaskCreate"; }},
    {"TaskUpdate", "a list of the agent's own, which is not kept",
     [](const LifecycleEvent& event) { return event.tool == "TaskUpdate"; }},
    {"TaskList", "a list of the agent's own, which is not kept",
     [](const LifecycleEvent& event) { return event.tool == "TaskList"; }},
    {"TaskGet", "a list of the agent's own, which is not kept",
     [](const LifecycleEvent& event) { return event.tool == "TaskGet"; }},
}};

}  // namespace

std::span<const ToolAlias> tool_aliases() { return kAliases; }

bool names_this_tool(std::string_view name, const LifecycleEvent& event) {
  if (name == event.tool) return true;
  const auto alias = std::ranges::find_if(kAliases, [&](const ToolAlias& one) {
    return one.name.size() == name.size() && one.name == name;  // most differ in length
  });
  return alias != kAliases.end() && alias->fits(event);
}

}  // namespace rouse
