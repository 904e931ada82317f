// Whether an automation can be kept as it is wished: each check says what is wrong and where. What
// could never work is refused when it is asked for, not found out at night (CR-29).
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "schedule/job.h"

namespace rouse {

Result<void> check_job(const Job& job, WallTime now);

// Neither done nor unreadable: it can be paused and resumed.
Result<void> check_lives(const Job& job);

// What a job without a name is called: the beginning of its message.
std::string name_from(std::string_view message);

}  // namespace rouse
