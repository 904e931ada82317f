#include "lifecycle/actions/all_actions.h"

namespace rouse::actions {
namespace {

Task<Result<void>> run(ActionCall& call) {
  const LifecycleEvent& event = call.event;
  if (event.tool_class != "task" || event.tool_failed) co_return Result<void>{};
  const auto* number = event.tool_input.if_contains("number");
  const std::int64_t named = number != nullptr && number->is_int64() ? number->as_int64() : 0;
  if (names_this_tool("claim_task", event) && named != 0) {
    rouse::set_variable(call, "claimed_task", named);
  }
  const bool ended = names_this_tool("close_task", event) &&
                     (named == 0 || named == call.variables.number("claimed_task"));
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
