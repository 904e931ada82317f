#include "gateway/routes/task_routes.h"

#include <charconv>

#include "gateway/routes/asked_workspace.h"

namespace rouse {
namespace {

std::optional<std::string> iso_or_none(const std::optional<WallTime>& time) {
  return time ? std::optional(to_iso(*time)) : std::nullopt;
}

TaskView view_of(TaskItem task) {
  return {.number = task.number,
          .title = std::move(task.title),
          .detail = std::move(task.detail),
          .state = std::move(task.state),
          .claimed_by = std::move(task.claimed_by),
          .reason = std::move(task.reason),
          .project = std::move(task.project),
          .commits = std::move(task.commits),
          .from = std::move(task.provenance),
          .conversation_id = std::move(task.conversation),
          .turn_id = std::move(task.turn),
          .created_at = to_iso(task.created),
          .updated_at = to_iso(task.updated),
          .ended_at = iso_or_none(task.ended)};
}

Result<std::int64_t> to_number(std::string_view text, std::string_view what) {
  std::int64_t number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed == std::errc{} && end == text.data() + text.size() && number > 0) return number;
  return fail(Errc::kInvalid, fmt::format("{} must be the number of a task, like 7", what));
}

}  // namespace

void TaskRoutes::add_to(RouteTable& table) {
  table.add(answer<TaskPage>(
      {.pattern = "/api/tasks",
       .summary = "What is to be done, and what was",
       .tag = "tasks",
       .query = {workspace_parameter(),
                 {"state", "open, claimed, done, closed, or active for the first two; else all"},
                 {"project", "Only of this project"},
                 {"limit", "How many, 1 to 200"},
                 {"cursor", "next_cursor of the page before"}}},
      [this](Call& call) { return list(call); }));
  table.add(answer<TaskView>({.pattern = "/api/tasks/{number}",
                              .summary = "One task",
                              .tag = "tasks",
                              .query = {workspace_parameter()}},
                             [this](Call& call) { return get(call); }));
  table.add(exchange<TaskAsk, TaskView>(
      {.method = "POST",
       .pattern = "/api/tasks",
       .summary = "Add a task",
       .tag = "tasks",
       .success = 201,
       .query = {workspace_parameter()}},
      [this](Call& call, TaskAsk wanted) { return add(call, std::move(wanted)); }));
  table.add(exchange<TaskPatch, TaskView>(
      {.method = "PATCH",
       .pattern = "/api/tasks/{number}",
       .summary = "Claim, complete or close a task; the first claim wins",
       .tag = "tasks",
       .query = {workspace_parameter()}},
      [this](Call& call, TaskPatch wanted) { return change(call, std::move(wanted)); }));
}

Task<Result<TaskPage>> TaskRoutes::list(Call& call) {
  CO_TRY(const auto workspace, asked_workspace(call, workspaces_));
  CO_TRY(const std::size_t limit, call.limit());
  TaskFilter filter{.state = call.query("state").value_or(""), .project = call.query("project")};
  if (!filter.state.empty() && !TaskBook::is_filter(filter.state)) {
    co_return fail(Errc::kInvalid, "'state' must be one of: open, claimed, done, closed, active");
  }
  if (const auto cursor = call.query("cursor")) {
    CO_TRY(filter.before, to_number(*cursor, "'cursor'"));
  }
  CO_TRY(auto found, co_await book_.page(workspace, std::move(filter), limit + 1));
  TaskPage out;
  const bool more = found.size() > limit;
  if (more) found.pop_back();
  for (TaskItem& task : found) out.items.push_back(view_of(std::move(task)));
  if (more) out.next_cursor = std::to_string(out.items.back().number);
  co_return out;
}

Result<TaskView> TaskRoutes::get(Call& call) {
  TRY(const auto workspace, asked_workspace(call, workspaces_));
  TRY(const std::int64_t number, to_number(call.parameters.at(0), "the path's last part"));
  TRY(TaskItem task, book_.get(workspace, number));
  return view_of(std::move(task));
}

Task<Result<TaskView>> TaskRoutes::add(Call& call, TaskAsk wanted) {
  CO_TRY(const auto workspace, asked_workspace(call, workspaces_));
  CO_TRY(TaskItem task, co_await book_.add(workspace, {.title = std::move(wanted.title),
                                                       .detail = wanted.detail.value_or(""),
                                                       .project = std::move(wanted.project)}));
  co_return view_of(std::move(task));
}

Task<Result<TaskView>> TaskRoutes::change(Call& call, TaskPatch wanted) {
  CO_TRY(const auto workspace, asked_workspace(call, workspaces_));
  CO_TRY(const std::int64_t number, to_number(call.parameters.at(0), "the path's last part"));
  TaskChange change{.number = number,
                    .step = parse_task_step(wanted.action).value_or(TaskStep::kClaim),
                    .by = wanted.by.value_or(call.principal.name),
                    .reason = std::move(wanted.reason),
                    .commits = std::move(wanted.commits).value_or(std::vector<std::string>{})};
  CO_TRY(TaskItem task, co_await book_.change(workspace, std::move(change)));
  co_return view_of(std::move(task));
}

}  // namespace rouse
