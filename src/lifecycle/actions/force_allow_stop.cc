#include "lifecycle/actions/all_actions.h"

namespace rouse::actions {
namespace {

Task<Result<void>> run(ActionCall& call) {
  call.end.force_allow = true;
  call.end.detail = "the turn may end";
  co_return Result<void>{};
}

}  // namespace

ActionKind force_allow_stop() {
  return {.name = "force_allow_stop",
          .help = "Lets the turn end, whatever the rules after this one say (on_stop).",
          .arguments = {},
          .run = run};
}

}  // namespace rouse::actions
