// A cron expression as a value, and the instants it names in a zone. Five fields (minute, hour, day
// of month, month, day of week), or six with the second in front; docs/schedules.md has the syntax.
//
// A field is a set of bits, so finding the next match jumps from month to day to hour and never
// walks the minutes between. What the clocks of the zone do to a match is decided here and nowhere
// else (docs/adr/0015-cron-semantics.md): an expression whose minute and hour fields hold no `*`
// names fixed times of the day, each of which happens once a day whatever the clocks do; any other
// follows the clock of each real second.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <absl/time/time.h>

#include "base/time.h"

namespace rouse {

inline constexpr std::size_t kLongestCron = 256;

// Bit n of a set stands for n itself; weekdays count from Sunday, 0.
struct Cron {
  std::uint64_t seconds = 1;  // only second 0, if the field isn't written
  std::uint64_t minutes = 0;
  std::uint64_t hours = 0;
  std::uint64_t days = 0;
  std::uint64_t months = 0;
  std::uint64_t weekdays = 0;
  std::uint32_t days_before_last = 0;  // L is bit 0, L-3 is bit 3
  std::uint32_t workdays_near = 0;     // 15W
  std::uint32_t last_weekdays = 0;     // 5L
  std::uint64_t nth_weekdays = 0;      // 1#2: the bit 8 * 2 + 1
  bool last_workday = false;           // LW
  bool any_day = false, any_weekday = false;
  bool fixed_time = false;
  friend bool operator==(const Cron&, const Cron&) = default;
};

// The error names the column (from 1) and what may stand there. An expression that no day of any
// year fits is refused.
Result<Cron> parse_cron(std::string_view text);

// The first instant strictly after `after` that the expression names in the zone: a whole second.
// None after the year 9999, and for the odd expression that names only times which the clocks of
// this zone always skip.
std::optional<WallTime> next_match(const Cron& cron, const absl::TimeZone& zone, WallTime after);

// The instant at which a clock in the zone shows this time: the first of two, and for one that the
// clocks skip, the moment after the gap.
absl::Time instant_of(const absl::TimeZone& zone, absl::CivilSecond shown);

// The days of a month that fit, as bits 1 to 31.
std::uint32_t matching_days(const Cron& cron, std::int64_t year, int month);

}  // namespace rouse
