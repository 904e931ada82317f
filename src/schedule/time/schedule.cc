#include "schedule/time/schedule.h"

#include <algorithm>
#include <array>

#include <absl/time/time.h>
#include <fmt/format.h>

#include "base/day_hours.h"
#include "base/time_zone.h"
#include "schedule/time/cron.h"
#include "schedule/time/due_bounds.h"

namespace rouse {
namespace {

constexpr std::array<std::string_view, 3> kKindNames{"at", "every", "cron"};

// A schedule made ready to be asked many times.
class DueClock {
 public:
  static Result<DueClock> of(const Schedule& schedule);
  [[nodiscard]] std::optional<WallTime> next(WallTime after) const;

 private:
  explicit DueClock(const Schedule& schedule) : schedule_(schedule) {}
  const Schedule& schedule_;
  Cron cron_;
  std::optional<DayHours> hours_;  // kEvery
  absl::TimeZone zone_;
};

Result<void> check_period(const Schedule& schedule) {
  if (schedule.every < kShortestPeriod) {
    return fail(Errc::kInvalid, fmt::format("a period is at least {}, not {} ms",
                                            to_words(kShortestPeriod), schedule.every.count));
  }
  if (schedule.anchor < kEarliestDue || schedule.anchor > kLatestDue) {
    return fail(Errc::kInvalid, "a period starts between the years 1 and 9999");
  }
  return {};
}

struct NamedZone {
  std::string name;
  absl::TimeZone zone;
};

// Thousands of jobs that are due at once share a few zones, and checking a name asks the disk: the
// last zone is remembered, which changes the cost of an answer and never the answer.
Result<absl::TimeZone> find_zone(const std::string& name) {
  thread_local NamedZone last{"UTC", absl::UTCTimeZone()};
  if (name == last.name) return last.zone;
  absl::TimeZone zone;
  if (is_time_zone(name) && absl::LoadTimeZone(name, &zone)) {
    last = {name, zone};
    return zone;
  }
  return fail(Errc::kInvalid,
              fmt::format("there is no time zone '{}'; use a name like Europe/Berlin or UTC",
                          name.substr(0, 64)));
}

Result<DueClock> DueClock::of(const Schedule& schedule) {
  DueClock clock(schedule);
  if (schedule.kind == ScheduleKind::kCron) {
    TRY(clock.cron_, parse_cron(schedule.expr));
    TRY(clock.zone_, find_zone(schedule.zone));
  }
  if (schedule.kind == ScheduleKind::kEvery) TRY_VOID(check_period(schedule));
  if (schedule.kind == ScheduleKind::kEvery && !schedule.expr.empty()) {
    TRY(clock.hours_, parse_day_hours(schedule.expr));
    TRY_VOID(find_zone(schedule.zone));
  }
  return clock;
}

// How many whole periods fit between the anchor and a time; none before it.
std::int64_t periods_until(const Schedule& schedule, WallTime time) {
  const Millis passed = std::min(time, kLatestDue) - schedule.anchor;
  return passed.count < 0 ? 0 : passed.count / schedule.every.count;
}

std::optional<WallTime> nth_period(const Schedule& schedule, std::int64_t n) {
  const Millis left = kLatestDue - schedule.anchor;
  if (n > left.count / schedule.every.count) return std::nullopt;
  return schedule.anchor + schedule.every * n;
}

std::optional<WallTime> DueClock::next(WallTime after) const {
  switch (schedule_.kind) {
    case ScheduleKind::kAt:
      return schedule_.at > after ? std::optional(schedule_.at) : std::nullopt;
    case ScheduleKind::kEvery:
      after = std::max(after, schedule_.anchor);
      if (hours_) return next_within(*hours_, schedule_.zone, schedule_.every, after);
      return nth_period(schedule_, periods_until(schedule_, after) + 1);
    case ScheduleKind::kCron:
      return next_match(cron_, zone_, after);
  }
  return std::nullopt;
}

DueSpan periods_between(const Schedule& schedule, WallTime after, WallTime until,
                        std::int64_t limit) {
  const std::int64_t before = periods_until(schedule, std::max(after, schedule.anchor));
  const std::int64_t last = periods_until(schedule, std::max(until, schedule.anchor));
  const std::int64_t count = std::min(last - before, limit);
  if (count <= 0) return {};
  return {count, schedule.anchor + schedule.every * (before + 1),
          schedule.anchor + schedule.every * (before + count)};
}

}  // namespace

std::string_view schedule_kind_name(ScheduleKind kind) {
  return kKindNames.at(static_cast<std::size_t>(kind));
}

std::optional<ScheduleKind> parse_schedule_kind(std::string_view name) {
  const auto* const found = std::ranges::find(kKindNames, name);
  if (found == kKindNames.end()) return std::nullopt;
  return static_cast<ScheduleKind>(found - kKindNames.begin());
}

Result<void> check_schedule(const Schedule& schedule, WallTime now) {
  TRY_VOID(find_zone(schedule.zone));
  TRY(const DueClock clock, DueClock::of(schedule));
  if (schedule.kind == ScheduleKind::kAt && schedule.at > kLatestDue) {
    return fail(Errc::kInvalid, "that is after the year 9999");
  }
  if (clock.next(now)) return {};
  if (schedule.kind == ScheduleKind::kAt) {
    return fail(Errc::kInvalid,
                fmt::format("{} is in the past; it is {} now", to_iso(schedule.at), to_iso(now)));
  }
  return fail(Errc::kInvalid, fmt::format("never due in {}: its clocks always skip that time, or "
                                          "it is after the year 9999",
                                          schedule.zone));
}

std::optional<WallTime> next_due(const Schedule& schedule, WallTime after) {
  const auto clock = DueClock::of(schedule);
  return clock ? clock->next(after) : std::nullopt;
}

std::vector<WallTime> next_dues(const Schedule& schedule, WallTime after, std::size_t count) {
  std::vector<WallTime> dues;
  const auto clock = DueClock::of(schedule);
  while (clock && dues.size() < count) {
    const auto due = clock->next(dues.empty() ? after : dues.back());
    if (!due) break;
    dues.push_back(*due);
  }
  return dues;
}

DueSpan dues_between(const Schedule& schedule, WallTime after, WallTime until, std::int64_t limit) {
  const auto clock = DueClock::of(schedule);
  if (!clock) return {};
  if (schedule.kind == ScheduleKind::kEvery && schedule.expr.empty()) {
    return periods_between(schedule, after, until, limit);
  }
  DueSpan span;
  for (auto due = clock->next(after); due && *due <= until && span.count < limit;
       due = clock->next(*due)) {
    if (span.count++ == 0) span.first = *due;
    span.last = *due;
  }
  return span;
}

}  // namespace rouse
