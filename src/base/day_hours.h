// A part of each day in some zone: from its opening, before its end, "07:00-23:00"; one that ends
// before it opens passes midnight. Quiet hours and active hours are both this.
//
// On a day of a clock change an opening that is skipped is the instant after the gap, one that
// comes twice is the first of both; in between real time passes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"

namespace rouse {

struct DayHours {
  int from = 0, to = 0;  // minutes after midnight; never equal
  friend bool operator==(const DayHours&, const DayHours&) = default;
};

// "07:00-23:00", "22:00-24:00"; the same twice is refused: nobody can say whether that is always or
// never (HB-10).
Result<DayHours> parse_day_hours(std::string_view text);
Result<DayHours> parse_day_hours(std::string_view from, std::string_view to);
std::string hours_text(const DayHours& hours);   // "07:00-23:00"
std::string hours_words(const DayHours& hours);  // "between 07:00 and 23:00"

bool is_within(const DayHours& hours, std::string_view zone, WallTime time);
// The end of the hours that `time` lies in, or of the next ones.
WallTime end_of_hours(const DayHours& hours, std::string_view zone, WallTime time);

// The first instant after `after` that is an opening or any number of periods later, within.
std::optional<WallTime> next_within(const DayHours& hours, std::string_view zone, Millis every,
                                    WallTime after);

}  // namespace rouse
