#include "lifecycle/actions/all_actions.h"
#include "lifecycle/actions/task_words.h"

namespace rouse::actions {
namespace {

// The number that the call names, or 0.
std::int64_t number_in(const LifecycleEvent& event) {
  const auto* number = event.tool_input.if_contains("number");
  return number != nullptr && number->is_int64() ? number->as_int64() : 0;
}

// The tool takes a title in place of a number; it is looked up as the tool did.
std::int64_t claimed_by(ActionCall& call) {
  if (const std::int64_t number = number_in(call.event); number != 0) return number;
  const auto* title = call.event.tool_input.if_contains("title");
  if (title == nullptr || !title->is_string() || call.hands.tasks == nullptr) return 0;
  const auto found =
      call.hands.tasks->number_of(call.event.turn.workspace, std::string(title->as_string()));
  return found ? *found : 0;
}

// Was it the claimed task that ended? By a title it can't be looked up any more, but its own state
// tells.
bool has_ended(ActionCall& call) {
  if (const std::int64_t number = number_in(call.event); number != 0) {
    return number == call.variables.number("claimed_task");
  }
  const auto claimed = claimed_task(call);
  return !claimed || !*claimed || (*claimed)->state != "claimed";
}

Task<Result<void>> run(ActionCall& call) {
  const LifecycleEvent& event = call.event;
  if (event.tool_class != "task" || event.tool_failed) co_return Result<void>{};
  if (names_this_tool("claim_task", event)) {
    if (const std::int64_t number = claimed_by(call); number != 0) {
      rouse::set_variable(call, "claimed_task", number);
    }
  }
  const bool ended = names_this_tool("close_task", event) && has_ended(call);
  if (ended && call.arguments.flag("clear_on_close", true)) {
    rouse::set_variable(call, "claimed_task", 0);
  }
  co_return Result<void>{};
}

}  // namespace

ActionKind track_claimed_task() {
  return {.name = "track_claimed_task",
          .help =
              "Remembers the task that was claimed: sets claimed_task to its number, and to 0 "
              "when it is completed or closed (on_after_tool).",
          .arguments = {{"clear_on_close", ArgumentKind::kFlag, false,
                         "Whether it is forgotten when it ends; true if it is not said."}},
          .run = run};
}

}  // namespace rouse::actions
