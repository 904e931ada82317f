#include <fmt/format.h>

#include "lifecycle/actions/all_actions.h"

namespace rouse::actions {
namespace {

Task<Result<void>> run(ActionCall& call) {
  const std::string name = call.arguments.text("name");
  const boost::json::value* now = call.variables.find(name);
  if (now != nullptr && !now->is_int64() && !now->is_null()) {
    co_return fail(Errc::kInvalid, fmt::format("the variable {} is no whole number", name));
  }
  const std::int64_t before = call.variables.number(name);
  const std::int64_t by = call.arguments.number("by", 1);
  std::int64_t sum = 0;
  if (__builtin_add_overflow(before, by, &sum)) sum = before;
  rouse::set_variable(call, name, sum);
  co_return Result<void>{};
}

}  // namespace

ActionKind increment_variable() {
  return {.name = "increment_variable",
          .help = "Adds to a variable that is a whole number.",
          .arguments = {{"name", ArgumentKind::kVariable, true, "The variable."},
                        {"by", ArgumentKind::kNumber, false, "How much; 1 if it is not said."}},
          .run = run};
}

}  // namespace rouse::actions
