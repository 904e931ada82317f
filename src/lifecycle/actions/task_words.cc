#include "lifecycle/actions/task_words.h"

#include <fmt/format.h>

#include "agent/prompt/text_cut.h"

namespace rouse::actions {
namespace {

constexpr std::size_t kOpenTasks = 5;
constexpr std::size_t kDetailCharacters = 1'000;

bool is_untrusted(const TaskItem& task) { return task.provenance == kFromUntrusted; }

Result<std::optional<std::string>> project_key(const ActionCall& call) {
  if (call.hands.kernel == nullptr) return std::nullopt;
  const TurnContext& turn = call.event.turn;
  TRY(const Conversation conversation,
      call.hands.kernel->conversations().get(turn.workspace, turn.conversation));
  return conversation.project;
}

}  // namespace

Result<std::optional<TaskItem>> claimed_task(const ActionCall& call) {
  const std::int64_t number = call.variables.number("claimed_task");
  if (number == 0) return std::nullopt;
  TRY(TaskBook * tasks, need(call.hands.tasks, "the list of tasks"));
  auto found = tasks->get(call.event.turn.workspace, number);
  if (!found && found.error().is(TaskErrc::kNotFound)) return std::nullopt;
  if (!found) return fail(std::move(found).error());
  return std::optional(std::move(*found));
}

std::string task_line(const TaskItem& task) {
  if (is_untrusted(task)) {
    return fmt::format("#{} (its words come from outside; the task tool shows them)", task.number);
  }
  return fmt::format("#{} {}", task.number, task.title);
}

Task<Result<std::string>> task_context(ActionCall& call) {
  CO_TRY(TaskBook * tasks, need(call.hands.tasks, "the list of tasks"));
  CO_TRY(const auto claimed, claimed_task(call));
  CO_TRY(auto project, project_key(call));
  CO_TRY(const std::vector<TaskItem> open,
         co_await tasks->page(call.event.turn.workspace,
                              {.state = "open", .project = std::move(project)}, kOpenTasks));
  std::string out;
  if (claimed) {
    out = fmt::format("The task of this session: {} ({})\n", task_line(*claimed), claimed->state);
    if (!claimed->detail.empty() && !is_untrusted(*claimed)) {
      const std::string_view shown = first_characters(claimed->detail, kDetailCharacters);
      out += fmt::format("{}{}\n", shown, shown.size() < claimed->detail.size() ? "…" : "");
    }
  }
  if (!open.empty()) {
    out += fmt::format("{}Open tasks:\n", out.empty() ? "" : "\n");
    for (const TaskItem& task : open) out += fmt::format("- {}\n", task_line(task));
  }
  co_return out;
}

}  // namespace rouse::actions
