#include "base/day_hours.h"

#include <array>
#include <charconv>

#include <fmt/format.h>

#include "base/local_time.h"

namespace rouse {
namespace {

constexpr int kDay = 24 * 60;

std::optional<int> two_digits(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && !text.empty() && text.size() <= 2 && value >= 0 ? std::optional(value)
                                                                  : std::nullopt;
}

Result<int> clock_of(std::string_view text) {
  const std::size_t colon = text.find(':');
  const auto hour = two_digits(text.substr(0, colon));
  const auto minute = colon == std::string_view::npos || text.size() != colon + 3
                          ? std::nullopt
                          : two_digits(text.substr(colon + 1));
  if (hour && minute && *minute < 60 && *hour * 60 + *minute <= kDay) return *hour * 60 + *minute;
  return fail(Errc::kInvalid,
              fmt::format("'{}' is not a time of day; write it like 07:00", text.substr(0, 20)));
}

struct Span {
  WallTime from, to;
};

// Of the day that lies so many days after that of `time`.
Span span_of(const DayHours& hours, std::string_view zone, WallTime time, int day) {
  const auto at = [&](int minute) {
    return at_local_clock(time, zone, day + minute / kDay, minute % kDay / 60, minute % 60);
  };
  return {at(hours.from), at(hours.to > hours.from ? hours.to : hours.to + kDay)};
}

}  // namespace

Result<DayHours> parse_day_hours(std::string_view from, std::string_view to) {
  DayHours hours;
  TRY(hours.from, clock_of(from));
  TRY(hours.to, clock_of(to));
  if (hours.from % kDay == hours.to % kDay) {
    return fail(Errc::kInvalid, fmt::format("{} to {} is no time at all, or the whole day: leave "
                                            "the hours out for the whole day",
                                            from, to));
  }
  return hours;
}

Result<DayHours> parse_day_hours(std::string_view text) {
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) {
    return fail(Errc::kInvalid, fmt::format("'{}' is not a part of the day; write it like "
                                            "07:00-23:00",
                                            text.substr(0, 40)));
  }
  return parse_day_hours(text.substr(0, dash), text.substr(dash + 1));
}

std::string hours_text(const DayHours& hours) {
  return fmt::format("{:02}:{:02}-{:02}:{:02}", hours.from / 60, hours.from % 60, hours.to / 60,
                     hours.to % 60);
}

std::string hours_words(const DayHours& hours) {
  return fmt::format("between {:02}:{:02} and {:02}:{:02}", hours.from / 60, hours.from % 60,
                     hours.to / 60, hours.to % 60);
}

bool is_within(const DayHours& hours, std::string_view zone, WallTime time) {
  for (const int day : {-1, 0}) {
    const Span span = span_of(hours, zone, time, day);
    if (span.from <= time && time < span.to) return true;
  }
  return false;
}

WallTime end_of_hours(const DayHours& hours, std::string_view zone, WallTime time) {
  for (const int day : {-1, 0}) {
    const Span span = span_of(hours, zone, time, day);
    if (time < span.to) return span.to;
  }
  return span_of(hours, zone, time, 1).to;
}

std::optional<WallTime> next_within(const DayHours& hours, std::string_view zone, Millis every,
                                    WallTime after) {
  for (const int day : {-1, 0, 1, 2}) {
    const Span span = span_of(hours, zone, after, day);
    const std::int64_t passed = after < span.from ? 0 : (after - span.from).count / every.count + 1;
    const WallTime due = span.from + every * passed;
    if (due < span.to) return due;
  }
  return std::nullopt;
}

}  // namespace rouse
