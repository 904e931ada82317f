#include "agent/task/task_tool.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/json.h"
#include "base/text.h"
#include "tool/visible_text.h"

namespace rouse {
namespace {

constexpr std::size_t kListed = 50;
constexpr std::size_t kShownTitleBytes = 160;

struct TaskArguments {
  std::string action;
  std::optional<std::string> title, detail, reason, project;
  std::optional<std::int64_t> number;
  std::optional<std::vector<std::string>> commits;
};
auto shape(const TaskArguments*) {
  return fields(
      field("action", &TaskArguments::action, ""), field("title", &TaskArguments::title, ""),
      field("detail", &TaskArguments::detail, ""), field("reason", &TaskArguments::reason, ""),
      field("project", &TaskArguments::project, ""), field("number", &TaskArguments::number, ""),
      field("commits", &TaskArguments::commits, ""));
}

bool is_untrusted(const TaskItem& task) { return task.provenance == kFromUntrusted; }

std::string line_of(const TaskItem& task) {
  std::string line = fmt::format("#{} {}", task.number, utf8_prefix(task.title, kShownTitleBytes));
  if (task.state == "claimed") line += " (claimed by " + task.claimed_by.value_or("?") + ")";
  if (task.project) line += " [" + *task.project + "]";
  if (!task.detail.empty()) line += " …";
  return line + '\n';
}

ToolResult lines_of(std::vector<TaskItem> newest_first) {
  if (newest_first.empty()) return {.text = "no open tasks"};
  ToolResult out;
  if (newest_first.size() > kListed) {
    newest_first.pop_back();
    out.text = fmt::format("(the {} newest)\n", kListed);
  }
  for (auto task = newest_first.rbegin(); task != newest_first.rend(); ++task) {
    out.text += line_of(*task);
    out.untrusted = out.untrusted || is_untrusted(*task);
  }
  return out;
}

ToolResult in_full(const TaskItem& task) {
  std::string text = fmt::format("#{} {}\nstate: {}\n", task.number, task.title, task.state);
  if (task.claimed_by) text += fmt::format("claimed by: {}\n", *task.claimed_by);
  if (task.project) text += fmt::format("project: {}\n", *task.project);
  if (task.reason) text += fmt::format("reason: {}\n", *task.reason);
  if (!task.commits.empty()) text += fmt::format("commits: {}\n", fmt::join(task.commits, ", "));
  if (!task.detail.empty()) text += fmt::format("\n{}\n", task.detail);
  return {.text = std::move(text), .untrusted = is_untrusted(task)};
}

ToolResult changed(const TaskItem& task) {
  ToolResult out{.text = fmt::format("task #{} is {}: {}", task.number,
                                     task.state == "claimed" ? "yours" : task.state, task.title)};
  out.untrusted = is_untrusted(task);
  if (task.state == "claimed" && !task.detail.empty()) out.text += "\n\n" + task.detail;
  return out;
}

}  // namespace

const ToolInfo& TaskTool::info() const {
  static const ToolInfo info{
      .name = "tasks",
      .description = "The user's tasks. Claim one before you work on it; close needs a reason.",
      .schema =
          R"({"type":"object","properties":{"action":{"enum":["add","list","claim","complete",)"
          R"("close"]},"title":{"type":"string"},"detail":{"type":"string"},"number":)"
          R"({"type":"integer"},"reason":{"type":"string"},"commits":{"type":"array","items":)"
          R"({"type":"string"}},"project":{"type":"string"}},"required":["action"]})",
      .tool_class = ToolClass::kTask,
      .side_effects = true};
  return info;
}

bool TaskTool::changes(const ToolCall& call) const {
  const auto asked = decode_json<TaskArguments>(call.arguments);
  return !asked || asked->action != "list";
}

ApprovalAsk TaskTool::ask_for(const ToolCall& call) const {
  ApprovalAsk ask = Tool::ask_for(call);
  const auto asked = decode_json<TaskArguments>(call.arguments);
  if (!asked) return ask;
  ask.summary = visible_text(asked->action, kShownTitleBytes) + " the task";
  if (asked->number) ask.summary += fmt::format(" #{}", *asked->number);
  if (asked->title) {
    ask.summary += fmt::format(" \"{}\"", visible_text(*asked->title, kShownTitleBytes));
  }
  return ask;
}

Task<ToolResult> TaskTool::run(ToolCall call, std::stop_token stop) {
  Result<ToolResult> result = co_await act(std::move(call));
  if (!result) co_return ToolResult{.text = std::move(result).error().message, .failed = true};
  co_return std::move(*result);
}

Task<Result<ToolResult>> TaskTool::act(ToolCall call) {
  CO_TRY(TaskArguments asked, decode_json<TaskArguments>(call.arguments));
  if (asked.action == "add") {
    TaskDraft draft{.title = asked.title.value_or(""),
                    .detail = asked.detail.value_or(""),
                    .project = std::move(asked.project),
                    .provenance = std::string(call.tainted ? kFromUntrusted : kFromAgent),
                    .conversation = call.conversation.str(),
                    .turn = call.turn.str()};
    CO_TRY(const TaskItem made, co_await book_.add(call.workspace, std::move(draft)));
    co_return ToolResult{.text = fmt::format("task #{} added: {}", made.number, made.title)};
  }
  if (asked.action == "list") {
    if (asked.number) {
      CO_TRY(const TaskItem task, book_.get(call.workspace, *asked.number));
      co_return in_full(task);
    }
    TaskFilter active{.state = "active", .project = std::move(asked.project)};
    CO_TRY(auto found, co_await book_.page(call.workspace, std::move(active), kListed + 1));
    co_return lines_of(std::move(found));
  }
  const auto step = parse_task_step(asked.action);
  if (!step) {
    co_return fail(Errc::kInvalid, "'action' must be one of: add, list, claim, complete, close");
  }
  TaskChange change{.step = *step,
                    .by = call.agent.empty() ? std::string(kNamelessAgent) : call.agent,
                    .reason = std::move(asked.reason),
                    .commits = std::move(asked.commits).value_or(std::vector<std::string>{}),
                    .tainted = call.tainted};
  if (asked.number) {
    change.number = *asked.number;
  } else if (asked.title) {
    CO_TRY(change.number, book_.number_of(call.workspace, *asked.title));
  } else {
    co_return fail(Errc::kInvalid, fmt::format("'number' is missing: which task to {}? \"list\" "
                                               "tells them",
                                               asked.action));
  }
  CO_TRY(const TaskItem task, co_await book_.change(call.workspace, std::move(change)));
  co_return changed(task);
}

}  // namespace rouse
