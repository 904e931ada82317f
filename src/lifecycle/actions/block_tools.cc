// The gate before a tool. Its rules are looked at in their order, and the first that fits refuses
// the call. A rule that can't be decided refuses it, too: an unknown is no permission.
#include <algorithm>

#include <fmt/format.h>

#include "lifecycle/actions/all_actions.h"

namespace rouse::actions {
namespace {

bool means_this_tool(const ActionArguments& rule, const LifecycleEvent& event) {
  const boost::json::value* tools = rule.value("tools");
  if (tools != nullptr &&
      std::ranges::any_of(tools->get_array(), [&](const boost::json::value& name) {
        return names_this_tool(name.get_string(), event);
      })) {
    return true;
  }
  if (event.tool != "call_tool" || !rule.has("mcp_tools")) return false;
  return std::ranges::any_of(rule.texts("mcp_tools"), [&](const std::string& name) {
    const auto colon = name.find(':');
    if (colon == std::string::npos) return name == event.mcp_tool;
    return (name.substr(0, colon) == event.mcp_server || name.starts_with("*:")) &&
           (name.substr(colon + 1) == event.mcp_tool || name.ends_with(":*"));
  });
}

// Patterns speak of what a shell runs, and of nothing else.
bool fits_command(const ActionArguments& rule, const LifecycleEvent& event) {
  const CommandPattern* wanted = rule.pattern("command_pattern");
  const CommandPattern* unless = rule.pattern("command_not_pattern");
  if (wanted == nullptr && unless == nullptr) return true;
  if (event.tool_class != "shell") return false;
  const auto* command = event.tool_input.if_contains("command");
  const std::string_view text = command != nullptr && command->is_string()
                                    ? std::string_view(command->as_string())
                                    : std::string_view();
  if (wanted != nullptr && !wanted->found_in(text)) return false;
  return unless == nullptr || !unless->found_in(text);
}

Task<Result<std::string>> reason_of(ActionCall& call, const ActionArguments& rule) {
  const TextTemplate* words = rule.words("reason");
  if (words == nullptr) co_return fmt::format("Tool '{}' is blocked.", call.event.tool);
  co_return co_await render(call, *words);
}

Task<Result<void>> run(ActionCall& call) {
  for (const ActionArguments& rule : call.arguments.items("rules")) {
    if (!means_this_tool(rule, call.event) || !fits_command(rule, call.event)) continue;
    if (const Expression* when = rule.when("when")) {
      if (call.scope.lacks(when->uses())) co_await call.scope.gather(when->uses());
      const auto holds = when->holds(call.scope);
      if (!holds) {
        call.end.detail = fmt::format("line {}: {}", rule.line(), holds.error().message);
        call.end.block = fmt::format(
            "Tool '{}' is blocked: the rule in line {} could not be decided ({}). Say so to the "
            "owner instead of trying again.",
            call.event.tool, rule.line(), holds.error().message);
        break;
      }
      if (!*holds) continue;
    }
    auto reason = co_await reason_of(call, rule);
    call.end.block =
        reason ? std::move(*reason) : fmt::format("Tool '{}' is blocked.", call.event.tool);
    call.end.detail = fmt::format("line {}", rule.line());
    break;
  }
  if (call.end.block && call.variables.find("_tool_block_pending") != nullptr) {
    call.variables.set("_tool_block_pending", true);
  }
  co_return Result<void>{};
}

}  // namespace

ActionKind block_tools() {
  return {.name = "block_tools",
          .help =
              "Refuses calls of tools (on_before_tool). The first rule that fits refuses; a rule "
              "whose expression fails refuses, too. A call that was refused sets the variable "
              "_tool_block_pending, where there is one.",
          .arguments = {{"rules",
                         ArgumentKind::kItems,
                         true,
                         "The rules, in their order.",
                         {},
                         {{"tools", ArgumentKind::kTexts, false,
                           "Tools by their names here, or by names that coding agents know (Edit, "
                           "Bash, close_task …; see below)."},
                          {"mcp_tools", ArgumentKind::kTexts, false,
                           "Tools of MCP servers, as server:tool; '*' stands for every one."},
                          {"command_pattern", ArgumentKind::kPattern, false,
                           "Only commands of a shell in which this is found: a POSIX regular "
                           "expression with \\b, \\s, \\w, \\d and (?:…)."},
                          {"command_not_pattern", ArgumentKind::kPattern, false,
                           "Not those in which this is found."},
                          {"when", ArgumentKind::kWhen, false, "Only if this holds."},
                          {"reason", ArgumentKind::kTemplate, false,
                           "What the model is told: what to do instead."}}}},
          .run = run,
          .gate = true};
}

}  // namespace rouse::actions
