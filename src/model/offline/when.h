// When something shall happen, as a person says it: "in 20 minutes", "tomorrow at 9", "every
// weekday at 9". What is understood is a value; only instant_of() asks what time it is now. An hour
// from 1 to 6 that says neither am nor pm is one of the afternoon; a day without an hour means
// nine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"

namespace rouse::offline {

// Exactly one of after, clock, every and cron is what it is about.
struct When {
  std::optional<Millis> after;  // "in 20 minutes"
  struct ClockTime {
    int days_ahead = -1;  // -1: the next time a clock shows it
    int weekday = 0;      // 1 is Monday; 0: none was said
    int hour = 9, minute = 0;
    friend bool operator==(const ClockTime&, const ClockTime&) = default;
  };
  std::optional<ClockTime> clock;             // "tomorrow at 9"
  std::optional<std::int64_t> every_seconds;  // "every 2 hours"
  std::string cron;                           // "every weekday at 9": "0 9 * * 1-5"
  std::string words;                          // said back: "every weekday at 09:00"
  [[nodiscard]] bool repeats() const { return every_seconds.has_value() || !cron.empty(); }
  friend bool operator==(const When&, const When&) = default;
};

struct FoundWhen {
  When when;
  std::size_t from = 0, to = 0;  // where it stands in the text
};

// In a text in small letters: at its beginning, else at its end, else the first anywhere.
std::optional<FoundWhen> find_when(std::string_view low);

// The instant of something that happens once.
WallTime instant_of(const When& when, WallTime now, std::string_view zone);

}  // namespace rouse::offline
