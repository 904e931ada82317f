// What is checked after each event: only the rows that came since the last look, so it costs
// little. A new life begins anew with all there is.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "store/database.h"
#include "tests/sim/box/outside.h"

namespace rouse::sim {

// How far the checks that only look at what is new have come.
struct Seen {
  std::int64_t message = 0, inbound = 0, activity = 0, notification = 0, turn = 0;
  std::map<std::string, std::int64_t, std::less<>> last_seq;    // by conversation
  std::map<std::string, std::int64_t, std::less<>> last_event;  // by workspace
  std::map<std::string, std::string, std::less<>> kept;  // inbound: the message's id, its turn
  std::set<std::string, std::less<>> thoughts;
  std::size_t brought = 0;
};

void check_fresh_rows(Database& database, Outside& outside, Seen& seen);

// No beat outside of its hours, by a calendar that is not the product's. A clock that was set tells
// nothing about them.
bool beats_can_be_judged(const Outside& outside);

}  // namespace rouse::sim
