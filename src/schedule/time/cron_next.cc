#include <algorithm>
#include <bit>

#include "schedule/time/cron.h"
#include "schedule/time/due_bounds.h"

namespace rouse {
namespace {

using absl::CivilSecond;
using ZoneInfo = absl::TimeZone::TimeInfo;

// Longer than anything that repeats in the calendar takes to come back (ever_matches()).
constexpr std::int64_t kYearsAhead = 48;

int next_bit(std::uint64_t bits, int from) {
  if (from > 63) return -1;
  const std::uint64_t left = bits >> from << from;
  return left == 0 ? -1 : std::countr_zero(left);
}

struct ClockTime {
  int hour, minute, second;
};

// The first time of a day that fits, at `from` or later.
std::optional<ClockTime> next_clock_time(const Cron& cron, ClockTime from) {
  const int first_minute = next_bit(cron.minutes, 0);
  const int first_second = next_bit(cron.seconds, 0);
  if (next_bit(cron.hours, from.hour) == from.hour) {
    if (next_bit(cron.minutes, from.minute) == from.minute) {
      const int second = next_bit(cron.seconds, from.second);
      if (second >= 0) return ClockTime{from.hour, from.minute, second};
    }
    const int minute = next_bit(cron.minutes, from.minute + 1);
    if (minute >= 0) return ClockTime{from.hour, minute, first_second};
  }
  const int hour = next_bit(cron.hours, from.hour + 1);
  if (hour < 0) return std::nullopt;
  return ClockTime{hour, first_minute, first_second};
}

CivilSecond on_day(std::int64_t year, int month, int day, ClockTime time) {
  return CivilSecond(year, month, day, time.hour, time.minute, time.second);
}

// The first date and time that fits, at `from` or later, on a calendar without zones.
std::optional<CivilSecond> next_shown(const Cron& cron, CivilSecond from, std::int64_t last_year) {
  std::int64_t year = from.year();
  int month = from.month();
  int day = from.day();
  ClockTime time{from.hour(), from.minute(), from.second()};
  while (year <= last_year) {
    if ((cron.months >> month & 1) != 0) {
      const std::uint32_t fitting = matching_days(cron, year, month);
      if ((fitting >> day & 1) != 0) {
        const auto same_day = next_clock_time(cron, time);
        if (same_day) return on_day(year, month, day, *same_day);
      }
      const int later = next_bit(fitting, day + 1);
      if (later >= 0) return on_day(year, month, later, *next_clock_time(cron, {0, 0, 0}));
    }
    day = 0;  // before any day: the whole month is ahead
    const int next_month = next_bit(cron.months, month + 1);
    if (next_month < 0) ++year;
    month = next_month < 0 ? next_bit(cron.months, 0) : next_month;
  }
  return std::nullopt;
}

// Fixed times happen once a day. Seen from `at`, the time to go on from is the one after what the
// clock showed a second ago: at the end of a gap that is the gap's start, whose times are due now;
// and in the second pass of a repeated hour it is the end of that hour, whose times have been.
CivilSecond first_fixed_time(const absl::TimeZone& zone, absl::Time at) {
  const CivilSecond shown = absl::ToCivilSecond(at - absl::Seconds(1), zone) + 1;
  const ZoneInfo info = zone.At(shown);
  if (info.kind != ZoneInfo::REPEATED || at < info.trans) return shown;
  return absl::ToCivilSecond(info.trans - absl::Seconds(1), zone) + 1;
}

std::optional<absl::Time> next_fixed(const Cron& cron, const absl::TimeZone& zone, absl::Time at) {
  const CivilSecond from = first_fixed_time(zone, at);
  const auto shown = next_shown(cron, from, from.year() + kYearsAhead);
  if (!shown) return std::nullopt;
  return instant_of(zone, *shown);
}

// Everything else follows the clock as it runs: what it skips isn't due, what it shows twice is
// due twice.
std::optional<absl::Time> next_running(const Cron& cron, const absl::TimeZone& zone,
                                       absl::Time at) {
  const std::int64_t last_year = absl::ToCivilYear(at, zone).year() + kYearsAhead;
  for (;;) {
    const CivilSecond now_shown = absl::ToCivilSecond(at, zone);
    const auto shown = next_shown(cron, now_shown, last_year);
    if (!shown) return std::nullopt;
    const ZoneInfo here = zone.At(now_shown);
    const ZoneInfo there = zone.At(*shown);
    const bool first_pass = here.kind == ZoneInfo::REPEATED && at < here.trans;
    if (first_pass && there.pre >= here.trans) {
      at = here.trans;  // nothing more in the first pass: look at the second
    } else if (there.kind == ZoneInfo::SKIPPED) {
      at = there.trans;
    } else {
      return there.pre >= at ? there.pre : there.post;
    }
  }
}

std::uint32_t day_bit(int day) { return 1U << day; }

// The working day nearest to a day, within its month. `weekday` is that day's.
int near_workday(int day, int weekday, int length) {
  if (weekday == 6) return day == 1 ? 3 : day - 1;
  if (weekday == 0) return day == length ? day - 2 : day + 1;
  return day;
}

std::uint32_t days_of_month(const Cron& cron, int first_weekday, int length) {
  auto days = static_cast<std::uint32_t>(cron.days);
  for (int before = 0; before < length; ++before) {
    if ((cron.days_before_last >> before & 1) != 0) days |= day_bit(length - before);
  }
  for (int day = 1; cron.workdays_near != 0 && day <= length; ++day) {
    if ((cron.workdays_near >> day & 1) == 0) continue;
    days |= day_bit(near_workday(day, (first_weekday + day - 1) % 7, length));
  }
  if (cron.last_workday) {
    days |= day_bit(near_workday(length, (first_weekday + length - 1) % 7, length));
  }
  return days;
}

std::uint32_t days_of_week(const Cron& cron, int first_weekday, int length) {
  std::uint32_t days = 0;
  for (int day = 1; day <= length; ++day) {
    const int weekday = (first_weekday + day - 1) % 7;
    const int nth = (day + 6) / 7;
    const bool fits = (cron.weekdays >> weekday & 1) != 0 ||
                      (cron.nth_weekdays >> (8 * nth + weekday) & 1) != 0 ||
                      (day + 7 > length && (cron.last_weekdays >> weekday & 1) != 0);
    if (fits) days |= day_bit(day);
  }
  return days;
}

}  // namespace

std::uint32_t matching_days(const Cron& cron, std::int64_t year, int month) {
  const absl::CivilDay first(year, month, 1);
  const int length = static_cast<int>(absl::CivilDay(absl::CivilMonth(first) + 1) - first);
  const std::uint32_t all = (1U << length << 1) - 2;
  if (cron.any_day && cron.any_weekday) return all;
  const int first_weekday = (static_cast<int>(absl::GetWeekday(first)) + 1) % 7;
  std::uint32_t days = 0;
  if (!cron.any_day) days |= days_of_month(cron, first_weekday, length);
  if (!cron.any_weekday) days |= days_of_week(cron, first_weekday, length);
  return days & all;
}

absl::Time instant_of(const absl::TimeZone& zone, absl::CivilSecond shown) {
  const ZoneInfo info = zone.At(shown);
  return info.kind == ZoneInfo::SKIPPED ? info.trans : info.pre;
}

std::optional<WallTime> next_match(const Cron& cron, const absl::TimeZone& zone, WallTime after) {
  if (after >= kLatestDue) return std::nullopt;
  const absl::Time from = absl::FromUnixMillis(std::max(after, kEarliestDue).unix_ms);
  const absl::Time at = absl::FromUnixSeconds(absl::ToUnixSeconds(from) + 1);
  const auto due = cron.fixed_time ? next_fixed(cron, zone, at) : next_running(cron, zone, at);
  if (!due) return std::nullopt;
  const WallTime time{absl::ToUnixMillis(*due)};
  return time > kLatestDue ? std::nullopt : std::optional(time);
}

}  // namespace rouse
