// How long something took, in microseconds: for traces that people read. Nothing is decided by it,
// so it is no part of Clock and stands still in the simulator.
#pragma once

#include <cstdint>

namespace rouse {

using Stopwatch = std::int64_t (*)();  // microseconds since some moment

std::int64_t real_microseconds();
inline std::int64_t no_microseconds() { return 0; }

}  // namespace rouse
