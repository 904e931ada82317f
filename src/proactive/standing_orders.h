// heartbeat-prompt.md: what the agent shall look after, in a person's words (S2-28). Each line, or
// item of a list, is one order:
//
// - `check: failed_runs` is looked at without a model and costs nothing (checks.h);
// - free text that ends with `(on change)` needs a model, but only if something has happened;
// - other free text depends on the time, as far as anybody can tell: it costs a call each beat.
//
// Headings, blank lines and comments are nobody's order (HB-4). A check that doesn't exist is told
// to the person and does nothing; the others go on.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace rouse {

enum class CheckKind : std::uint8_t {
  kFailedRuns,
  kOverdueReminders,
  kOverdueTasks,
  kUnansweredQuestions,
  kIdleApprovals,
  kCommand,
};
std::string_view check_name(CheckKind kind);  // "failed_runs" …

struct CheckOrder {
  CheckKind kind = CheckKind::kFailedRuns;
  Millis age = {};           // how old it must be, or how far back to look
  std::string command = {};  // kCommand
  friend bool operator==(const CheckOrder&, const CheckOrder&) = default;
};

struct StandingOrders {
  std::vector<CheckOrder> checks = {};
  std::vector<std::string> on_change = {}, always = {};  // free text
  std::vector<std::string> problems = {};                // for a person, with the line's number
  std::string hash = {};  // of the orders themselves: a new comment changes nothing
  [[nodiscard]] bool needs_model() const { return !on_change.empty() || !always.empty(); }
};

inline constexpr std::size_t kChecksOfOrders = 20;
inline constexpr std::size_t kCommandsOfOrders = 5;

StandingOrders parse_standing_orders(std::string_view text);

// What holds until a person writes their own: checks and `(on change)` lines only, so that an idle
// day costs nothing.
std::string_view shipped_orders();

}  // namespace rouse
