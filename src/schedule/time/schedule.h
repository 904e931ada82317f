// When an automation is due, as a value: once at an instant, every so often, or by a cron
// expression in a zone. Everything here is arithmetic: no clock, no store. A due instant is a whole
// millisecond of wall time; the same schedule asked twice gives the same answer, so the ledger and
// whoever asks "why?" a year later agree (design.md, 4).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace rouse {

enum class ScheduleKind : std::uint8_t { kAt, kEvery, kCron };
std::string_view schedule_kind_name(ScheduleKind kind);  // "at", "every", "cron"
std::optional<ScheduleKind> parse_schedule_kind(std::string_view name);

struct Schedule {
  ScheduleKind kind = ScheduleKind::kCron;
  WallTime at = {};      // kAt
  Millis every = {};     // kEvery: due at anchor + every, anchor + 2 every, …
  WallTime anchor = {};  // kEvery
  // kCron: as it was written. kEvery: "" or the hours of the day it keeps to, "07:00-23:00" (from
  // the first, before the second; "22:00-06:00" passes midnight). Then it is due at the opening and
  // every so often after it, each day anew.
  std::string expr = {};
  std::string zone = "UTC";  // IANA name; of kAt and a kEvery without hours only for showing times
  friend bool operator==(const Schedule&, const Schedule&) = default;
};

inline constexpr Millis kShortestPeriod = seconds(1);

// Can it be kept? The error names what is wrong and where: the position in a cron expression, an
// unknown zone, an expression that never matches, a period below kShortestPeriod, an instant that
// is no later than `now`.
Result<void> check_schedule(const Schedule& schedule, WallTime now);

// The first due instant strictly after `after`; none if there is none any more. A schedule that
// check_schedule() refuses has none.
std::optional<WallTime> next_due(const Schedule& schedule, WallTime after);
std::vector<WallTime> next_dues(const Schedule& schedule, WallTime after, std::size_t count);

// The due instants in (after, until], counted; it stops after `limit` of them, which the caller
// sees by count == limit and goes on after `last`. `every` costs no walk.
struct DueSpan {
  std::int64_t count = 0;
  WallTime first = {}, last = {};
};
DueSpan dues_between(const Schedule& schedule, WallTime after, WallTime until, std::int64_t limit);

// For people: "every weekday at 10:00 and 14:00", "every 2 hours", "once on Monday, 16 November
// 2026 at 08:00"; the zone is said by whoever shows it.
std::string schedule_words(const Schedule& schedule);
// "Mon 08:00 Europe/Berlin (06:00 UTC)"; with the date when it is more than six days from `now`.
std::string due_words(WallTime due, std::string_view zone, WallTime now);

}  // namespace rouse
