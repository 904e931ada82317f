#include "tests/sim/box/shrink.h"

#include <algorithm>
#include <vector>

#include "tests/sim/box/crew.h"

namespace rouse::sim {

Plan shrink(Plan plan, const Failure& failure, const StillFails& still_fails, int tries) {
  Plan shorter = plan;
  std::erase_if(shorter.events, [&](const Event& event) { return event.at_ms > failure.at_ms; });
  if (shorter.events.size() < plan.events.size() && still_fails(shorter)) plan = shorter;
  for (std::size_t piece = std::max<std::size_t>(plan.events.size() / 2, 1); tries > 0;) {
    bool less = false;
    for (std::size_t from = 0; from < plan.events.size() && tries > 0; --tries) {
      Plan without = plan;
      const auto begin = without.events.begin() + static_cast<std::ptrdiff_t>(from);
      const auto left = static_cast<std::ptrdiff_t>(std::min(piece, plan.events.size() - from));
      without.events.erase(begin, begin + left);
      if (still_fails(without)) {
        plan = std::move(without);
        less = true;
      } else {
        from += piece;
      }
    }
    if (piece == 1 && !less) break;
    piece = std::max<std::size_t>(piece / 2, 1);
  }
  return plan;
}

Outcome play_apart(const Plan& plan) {
  Outcome out;
  Crew crew({plan}, 1);
  crew.work([&](const Plan&, Outcome outcome) {
    out = std::move(outcome);
    return true;
  });
  return out;
}

}  // namespace rouse::sim
