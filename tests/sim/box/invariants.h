// What must hold in the box, read straight from the rows and compared with what the outside knows:
// the list of robustness rules, one check each. A check that fails names its invariant.
#pragma once

#include <functional>
#include <string>

#include "store/database.h"
#include "tests/sim/automation_life.h"
#include "tests/sim/box/outside.h"

namespace rouse::sim {

// Runs a check that is written with EXPECT_…; what fails breaks the invariant.
void watch(Outside& outside, const std::string& invariant, const std::function<void()>& check);

void check_conversations(Database& database, Outside& outside);
void check_letters(Database& database, Outside& outside);
void check_automations(Database& database, Outside& outside, DueBook& dues);
void check_deliveries(Database& database, Outside& outside);
void check_sinks(Database& database, Outside& outside);
void check_beats(Database& database, Outside& outside);
void check_spend(Database& database, Outside& outside);
void check_deleted(Database& database, Outside& outside);
void check_openings(Database& database, Outside& outside);
void check_rules(Database& database, Outside& outside);
void check_bounds(Database& database, Outside& outside);
void check_tools(Outside& outside);
void check_at_rest(Database& database, Outside& outside);

// All that a restart must not change.
std::uint64_t everything_that_stays(Database& database);

}  // namespace rouse::sim
