#include "lifecycle/actions/all_actions.h"

namespace rouse::actions {
namespace {

Task<Result<void>> run(ActionCall& call) {
  rouse::set_variable(call, "_injected_memories", boost::json::array{});
  co_return Result<void>{};
}

}  // namespace

ActionKind reset_memory_injection_tracking() {
  return {.name = "reset_memory_injection_tracking",
          .help =
              "Forgets which memories the session was told, so that they are told again: what "
              "was said before a compaction is gone.",
          .arguments = {},
          .run = run};
}

}  // namespace rouse::actions
