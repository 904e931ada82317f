#include <array>

#include <fmt/format.h>

#include "base/day_hours.h"
#include "base/local_time.h"
#include "schedule/time/cron_words.h"
#include "schedule/time/schedule.h"

namespace rouse {
namespace {

struct UnitName {
  Millis length;
  std::string_view name;
};
constexpr std::array<UnitName, 5> kUnits{{{days(1), "day"},
                                          {hours(1), "hour"},
                                          {minutes(1), "minute"},
                                          {seconds(1), "second"},
                                          {millis(1), "millisecond"}}};

// In the largest unit that says it exactly: 90 minutes, not 1.5 hours.
std::string period_words(Millis period) {
  for (const UnitName& unit : kUnits) {
    if (period.count <= 0 || period.count % unit.length.count != 0) continue;
    const std::int64_t count = period.count / unit.length.count;
    return count == 1 ? fmt::format("every {}", unit.name)
                      : fmt::format("every {} {}s", count, unit.name);
  }
  return "never";
}

std::string clock_text(const LocalTime& time) {
  return clock_words(time) + (time.second == 0 ? "" : fmt::format(":{:02}", time.second));
}

std::string_view short_weekday(const LocalTime& time) {
  return weekday_name(time.weekday).substr(0, 3);
}

// "16 Nov 2026", cut out of "Monday, 16 November 2026".
std::string short_date(const LocalTime& time) {
  const std::string words = date_words(time);
  const std::size_t day = words.find(' ') + 1;
  const std::size_t month = words.find(' ', day) + 1;
  return words.substr(day, month + 3 - day) + fmt::format(" {}", time.year);
}

}  // namespace

std::string schedule_words(const Schedule& schedule) {
  if (schedule.kind == ScheduleKind::kEvery) {
    const auto hours = parse_day_hours(schedule.expr);
    return period_words(schedule.every) + (hours ? " " + hours_words(*hours) : "");
  }
  if (schedule.kind == ScheduleKind::kAt) {
    const LocalTime time = local_time(schedule.at, schedule.zone);
    return "once on " + date_words(time) + " at " + clock_text(time);
  }
  const auto cron = parse_cron(schedule.expr);
  return cron ? cron_words(*cron) : "never";
}

std::string due_words(WallTime due, std::string_view zone, WallTime now) {
  const LocalTime here = local_time(due, zone);
  const LocalTime utc = local_time(due, "UTC");
  const bool far = due - now > days(6) || now - due > days(6);
  std::string out(short_weekday(here));
  if (far) out += " " + short_date(here);
  out += fmt::format(" {} {}", clock_text(here), zone);
  if (zone == "UTC") return out;
  out += " (";
  if (utc.day != here.day) out += fmt::format("{} ", short_weekday(utc));
  return out + clock_text(utc) + " UTC)";
}

}  // namespace rouse
