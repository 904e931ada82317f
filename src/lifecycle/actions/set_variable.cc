#include "lifecycle/actions/all_actions.h"

namespace rouse::actions {
namespace {

Task<Result<void>> run(ActionCall& call) {
  rouse::set_variable(call, call.arguments.value("name")->get_string(),
                      *call.arguments.value("value"));
  co_return Result<void>{};
}

}  // namespace

ActionKind set_variable() {
  return {.name = "set_variable",
          .help = "Gives a variable of the session a value.",
          .arguments = {{"name", ArgumentKind::kVariable, true, "The variable."},
                        {"value", ArgumentKind::kValue, true, "Its new value."}},
          .run = run};
}

}  // namespace rouse::actions
