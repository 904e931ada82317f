#include <array>

#include "base/text.h"
#include "lifecycle/actions/all_actions.h"

namespace rouse::actions {
namespace {

constexpr std::array<std::string_view, 4> kEntered{"plan mode is active", "plan mode is on",
                                                   "you are in plan mode", "enter plan mode"};
constexpr std::array<std::string_view, 4> kLeft{"exited plan mode", "exit plan mode",
                                                "plan mode is off", "leave plan mode"};
constexpr std::size_t kLookedAt = 64 * 1024;

Task<Result<void>> run(ActionCall& call) {
  // What untrusted words say about the mode doesn't count.
  if (call.event.turn.tainted) co_return Result<void>{};
  const std::string said = lower_ascii(utf8_prefix(call.event.prompt, kLookedAt));
  if (said.find("plan mode") == said.npos) co_return Result<void>{};  // as all of them say it
  // The last word on it counts.
  std::size_t entered = 0, left = 0;
  for (const auto words : kEntered) {
    if (const auto at = said.rfind(words); at != said.npos) entered = std::max(entered, at + 1);
  }
  for (const auto words : kLeft) {
    if (const auto at = said.rfind(words); at != said.npos) left = std::max(left, at + 1);
  }
  if (entered != left) rouse::set_variable(call, "plan_mode", entered > left);
  co_return Result<void>{};
}

}  // namespace

ActionKind detect_plan_mode_from_context() {
  return {.name = "detect_plan_mode_from_context",
          .help =
              "Sets plan_mode by what the prompt says of it (\"plan mode is active\", \"exit "
              "plan mode\"), if it says anything (on_before_agent).",
          .arguments = {},
          .run = run};
}

}  // namespace rouse::actions
