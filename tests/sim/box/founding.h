// The standard world before anything happens: 20 people, 50 jobs in odd zones, 4 heartbeats. It is
// founded once for each day it may begin on; every run of that day starts from the same disk.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/sim/automation_life.h"
#include "tests/sim/box/house.h"

namespace rouse::sim {

// Any schedule a person could think of, by dice.
Schedule some_schedule(std::uint64_t dice, WallTime now);
JobWish some_job(std::uint64_t dice, WallTime now);

struct Founded {
  sqlite::FaultDisk::Image disk;
  DueBook dues;
  WallTime wall;
};
const Founded& founded(std::uint64_t seed);  // throws if even that fails

}  // namespace rouse::sim
