#include "lifecycle/actions/all_actions.h"

namespace rouse::actions {
namespace {

Task<Result<void>> run(ActionCall& call) {
  CO_TRY(call.end.block, co_await render(call, *call.arguments.words("reason")));
  co_return Result<void>{};
}

}  // namespace

ActionKind block_stop() {
  return {.name = "block_stop",
          .help = "Sends the model back to work when it means to end its turn (on_stop).",
          .arguments = {{"reason", ArgumentKind::kTemplate, true,
                         "What the model is told: what is missing, and how to do it."}},
          .run = run,
          .gate = true};
}

}  // namespace rouse::actions
