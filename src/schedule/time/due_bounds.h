// The years that a schedule can reach: those that an ISO time can write, so that no sum of times
// ever overflows.
#pragma once

#include "base/time.h"

namespace rouse {

inline constexpr WallTime kEarliestDue{-62'135'596'800'000};  // 0001-01-01T00:00:00.000Z
inline constexpr WallTime kLatestDue{253'402'300'799'999};    // 9999-12-31T23:59:59.999Z

}  // namespace rouse
