// Time as people read it: a day of the week, a date and a clock in some zone, and the zone of a
// place that somebody named ("Tokyo", "new york"). Zones are names of the IANA database; one that
// is unknown counts as UTC here, because whoever stores a zone has checked it (time_zone.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"

namespace rouse {

struct LocalTime {
  std::int64_t year = 1970;
  int month = 1, day = 1, hour = 0, minute = 0, second = 0;
  int weekday = 4;   // 1 is Monday, 7 is Sunday
  int offset_s = 0;  // east of UTC
  friend bool operator==(const LocalTime&, const LocalTime&) = default;
};

LocalTime local_time(WallTime time, std::string_view zone);

// The instant at which a clock in the zone shows this hour and minute, `days` after the day of
// `time`. A time that a clock change skips is the instant after the gap.
WallTime at_local_clock(WallTime time, std::string_view zone, int days, int hour, int minute);

std::string date_words(const LocalTime& time);                         // "Sunday, 15 November 2026"
std::string clock_words(const LocalTime& time);                        // "04:40"
std::string zone_words(std::string_view zone, const LocalTime& time);  // "Asia/Tokyo, UTC+9"
std::string_view weekday_name(int weekday);                            // 1: "Monday"

// The zone of a place: the name of a zone in any case, its city, or a well-known other place.
std::optional<std::string> zone_of_place(std::string_view place);

}  // namespace rouse
