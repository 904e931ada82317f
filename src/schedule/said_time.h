// Times and lengths as people and models write them into an argument or a file, which is looser
// than what rouse itself writes (base/time.h): a local time without an offset, "90s" instead of
// milliseconds.
#pragma once

#include <string_view>

#include "base/time.h"

namespace rouse {

// "2026-11-16T09:00", with seconds or without, with a blank in place of the T. An offset or a Z
// says which instant it is; without one it is what a clock in the zone shows.
Result<WallTime> parse_said_time(std::string_view text, std::string_view zone);

// "90s", "30m", "2h", "1d"
Result<Millis> parse_said_length(std::string_view text);

}  // namespace rouse
