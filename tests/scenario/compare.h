// Compares an answer with what a scenario expects, byte-shape for byte-shape: the same fields, no
// others, in the same order, the same types and values. Only white space between them is free.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/scenario/placeholder.h"

namespace rouse::scenario {

// Whether the expected text is JSON with sound blanks; asked when the scenario is read.
Result<void> check_expected(std::string_view expected);

// What differs, one line each ("session.turn_count: expected 1, got 0"); empty if nothing does.
// Learns the names of the blanks that fit.
std::vector<std::string> differences(std::string_view expected, std::string_view got, Names& names);

// JSON for a person to read: indented, as it was if it is no JSON.
std::string readable(std::string_view json);

}  // namespace rouse::scenario
