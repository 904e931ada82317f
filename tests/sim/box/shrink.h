// Finds the fewest events of a plan that still break the same invariant: halves and smaller pieces
// are left out as long as the rest still fails (delta debugging). What is left is a story that a
// person can read, and a file that keeps the bug from coming back.
#pragma once

#include <functional>
#include <string>

#include "tests/sim/box/box.h"

namespace rouse::sim {

// Does this plan still fail in the same way?
using StillFails = std::function<bool(const Plan&)>;
Plan shrink(Plan plan, const Failure& failure, const StillFails& still_fails, int tries = 400);

// Plays a plan in a process of its own, so that one that crashes is a failure like any other.
Outcome play_apart(const Plan& plan);

}  // namespace rouse::sim
