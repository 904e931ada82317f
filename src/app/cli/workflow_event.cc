#include "app/cli/workflow_event.h"

#include <algorithm>
#include <array>

#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"

namespace rouse::cli {
namespace {

constexpr std::string_view kSomeFolder = "/project";

struct ToolAndClass {
  std::string_view tool, tool_class;
};
// A dry run has no registry; tests/e2e/workflow_cli.test.ts looks that the server agrees.
constexpr std::array<ToolAndClass, 33> kClasses{{
    {"write_file", "edit"},
    {"read_file", "read"},
    {"list_files", "read"},
    {"shell", "shell"},
    {"http_fetch", "network"},
    {"tasks", "task"},
    {"notify", "task"},
    {"cron", "task"},
    {"save_memory", "edit"},
    {"forget_memory", "edit"},
    {"update_instructions", "edit"},
    {"search_memory", "read"},
    {"search_conversations", "read"},
    {"load_skill", "read"},
    {"calculate", "read"},
    {"current_time", "read"},
    {"list_mcp_servers", "read"},
    {"list_tools", "read"},
    {"get_tool_schema", "read"},
    {"call_tool", "network"},
    {"Edit", "edit"},
    {"Write", "edit"},
    {"MultiEdit", "edit"},
    {"NotebookEdit", "edit"},
    {"Bash", "shell"},
    {"Read", "read"},
    {"Glob", "read"},
    {"Grep", "read"},
    {"WebFetch", "network"},
    {"AskUserQuestion", "ask"},
    {"EnterPlanMode", "plan"},
    {"ExitPlanMode", "plan"},
    {"close_task", "task"},
}};

template <class T>
Result<void> only_known_keys(const boost::json::value& given, std::string_view where) {
  if (!given.is_object()) return {};  // the reader says what is wrong
  std::vector<std::string_view> known;
  for (const ShapeField& one : shape_of<T>().all()) known.push_back(one.name);
  for (const auto& one : given.get_object()) {
    const std::string_view key = one.key();
    if (std::ranges::find(known, key) != known.end()) continue;
    const auto near = nearest(key, known);
    return fail(Errc::kInvalid,
                fmt::format("{} has an unknown key '{}'; {}", where, key,
                            near ? fmt::format("did you mean '{}'?", *near)
                                 : fmt::format("known are {}", fmt::join(known, ", "))));
  }
  return {};
}

template <class T>
Result<void> only_known_within(const boost::json::value& all, std::string_view key) {
  const auto* part = all.is_object() ? all.get_object().if_contains(key) : nullptr;
  if (part == nullptr) return {};
  return only_known_keys<T>(*part, fmt::format("'{}' in --data", key));
}

bool is_about_a_tool(Trigger trigger) {
  return trigger == Trigger::kBeforeTool || trigger == Trigger::kAfterTool;
}

Result<void> put_tool(LifecycleEvent& event, const GivenEvent& given) {
  if (!given.tool_name) {
    if (!is_about_a_tool(event.trigger)) return {};
    return fail(Errc::kInvalid,
                fmt::format("{} is about a tool: name it with --data "
                            R"('{{"tool_name": "write_file", "tool_input": {{"path": "a.txt"}}}}')",
                            trigger_name(event.trigger)));
  }
  const boost::json::value input = given.tool_input.value_or(boost::json::object{});
  if (!input.is_object()) {
    return fail(Errc::kInvalid, "'tool_input' in --data must be an object: the tool's arguments");
  }
  set_tool(event, *given.tool_name,
           given.tool_class.value_or(std::string(class_of_tool(*given.tool_name))),
           boost::json::serialize(input));
  return {};
}

}  // namespace

std::string_view class_of_tool(std::string_view name) {
  const auto* found = std::ranges::find(kClasses, name, &ToolAndClass::tool);
  return found == kClasses.end() ? std::string_view() : found->tool_class;
}

Result<GivenEvent> read_given_event(std::string_view json) {
  auto parsed = parse_json(json);
  if (!parsed) return fail(wrap("--data is not JSON", std::move(parsed).error()));
  if (!parsed->is_object()) {
    return fail(Errc::kInvalid, R"(--data must be an object, as in '{"tool_name": "shell"}')");
  }
  TRY_VOID(only_known_keys<GivenEvent>(*parsed, "--data"));
  TRY_VOID(only_known_within<GivenProject>(*parsed, "project"));
  TRY_VOID(only_known_within<GivenTask>(*parsed, "task"));
  TRY_VOID(only_known_within<GivenTurn>(*parsed, "turn"));
  auto given = from_json<GivenEvent>(*parsed);
  if (!given) return fail(wrap("--data", std::move(given).error()));
  return given;
}

Result<LifecycleEvent> event_of(const GivenEvent& given, Trigger trigger, std::string source) {
  LifecycleEvent event{.trigger = trigger, .turn = {}, .source = std::move(source)};
  TRY_VOID(put_tool(event, given));
  event.tool_result = given.tool_result.value_or("");
  event.tool_failed = given.tool_failed.value_or(false);
  event.prompt = given.prompt.value_or("");
  event.answer = given.answer.value_or("");
  event.reason = given.reason.value_or("");
  const GivenTurn turn = given.turn.value_or(GivenTurn{});
  event.turn.kind = turn.kind.value_or("user");
  event.turn.transport =
      turn.transport.value_or(event.source == kSdkSource ? "terminal" : event.source);
  event.turn.tainted = turn.tainted.value_or(false);
  if (given.project)
    event.turn.project_folder = given.project->path.value_or(std::string(kSomeFolder));
  return event;
}

}  // namespace rouse::cli
