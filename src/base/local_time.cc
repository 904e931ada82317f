#include "base/local_time.h"

#include <array>
#include <cstdlib>

#include <absl/time/civil_time.h>
#include <absl/time/time.h>
#include <fmt/format.h>

#include "base/text.h"
#include "base/time_zone.h"

namespace rouse {
namespace {

absl::TimeZone load_zone(std::string_view name) {
  absl::TimeZone zone;
  if (is_time_zone(name) && absl::LoadTimeZone(std::string(name), &zone)) return zone;
  return absl::UTCTimeZone();
}

// Places that people name and the database doesn't.
struct Place {
  std::string_view name, zone;
};
constexpr std::array<Place, 20> kPlaces{{
    {"gmt", "UTC"},
    {"uk", "Europe/London"},
    {"england", "Europe/London"},
    {"germany", "Europe/Berlin"},
    {"munich", "Europe/Berlin"},
    {"france", "Europe/Paris"},
    {"spain", "Europe/Madrid"},
    {"italy", "Europe/Rome"},
    {"japan", "Asia/Tokyo"},
    {"china", "Asia/Shanghai"},
    {"beijing", "Asia/Shanghai"},
    {"india", "Asia/Kolkata"},
    {"mumbai", "Asia/Kolkata"},
    {"delhi", "Asia/Kolkata"},
    {"nyc", "America/New_York"},
    {"boston", "America/New_York"},
    {"washington", "America/New_York"},
    {"san francisco", "America/Los_Angeles"},
    {"seattle", "America/Los_Angeles"},
    {"california", "America/Los_Angeles"},
}};
constexpr std::array<std::string_view, 9> kRegions{"",         "Europe/",   "America/",
                                                   "Asia/",    "Africa/",   "Australia/",
                                                   "Pacific/", "Atlantic/", "Indian/"};

// "new york" and "america/new_york" as the database writes them: New_York, America/New_York.
std::string as_zone_name(std::string_view place) {
  std::string name;
  bool starts_word = true;
  for (const char c : place) {
    const bool letter = (c >= 'a' && c <= 'z');
    name += c == ' ' ? '_' : (letter && starts_word ? static_cast<char>(c - 'a' + 'A') : c);
    starts_word = c == ' ' || c == '_' || c == '/' || c == '-';
  }
  return name;
}

}  // namespace

LocalTime local_time(WallTime time, std::string_view zone) {
  const auto info = load_zone(zone).At(absl::FromUnixMillis(time.unix_ms));
  const absl::CivilSecond& cs = info.cs;
  return {cs.year(),
          cs.month(),
          cs.day(),
          cs.hour(),
          cs.minute(),
          cs.second(),
          static_cast<int>(absl::GetWeekday(cs)) + 1,
          info.offset};
}

WallTime at_local_clock(WallTime time, std::string_view zone, int days, int hour, int minute) {
  const absl::TimeZone there = load_zone(zone);
  const absl::CivilDay day = absl::ToCivilDay(absl::FromUnixMillis(time.unix_ms), there) + days;
  const auto info =
      there.At(absl::CivilSecond(day.year(), day.month(), day.day(), hour, minute, 0));
  const bool skipped = info.kind == absl::TimeZone::TimeInfo::SKIPPED;
  return {absl::ToUnixMillis(skipped ? info.trans : info.pre)};
}

std::string_view weekday_name(int weekday) {
  constexpr std::array<std::string_view, 7> kNames{"Monday", "Tuesday",  "Wednesday", "Thursday",
                                                   "Friday", "Saturday", "Sunday"};
  return kNames.at(static_cast<std::size_t>(weekday - 1));
}

std::string date_words(const LocalTime& time) {
  constexpr std::array<std::string_view, 12> kMonths{
      "January", "February", "March",     "April",   "May",      "June",
      "July",    "August",   "September", "October", "November", "December"};
  return fmt::format("{}, {} {} {}", weekday_name(time.weekday), time.day,
                     kMonths.at(static_cast<std::size_t>(time.month - 1)), time.year);
}

std::string clock_words(const LocalTime& time) {
  return fmt::format("{:02}:{:02}", time.hour, time.minute);
}

std::string zone_words(std::string_view zone, const LocalTime& time) {
  if (zone == "UTC") return "UTC";
  const int minutes_east = time.offset_s / 60;
  std::string offset = fmt::format("UTC{:+}", minutes_east / 60);
  if (minutes_east < 0 && minutes_east > -60) offset = "UTC-0";
  if (minutes_east % 60 != 0) offset += fmt::format(":{:02}", std::abs(minutes_east % 60));
  return fmt::format("{}, {}", zone, offset);
}

std::optional<std::string> zone_of_place(std::string_view place) {
  const std::string_view given = trim(place);
  if (is_time_zone(given)) return std::string(given);
  const std::string low = lower_ascii(given);
  if (low == "utc") return "UTC";
  for (const Place& known : kPlaces) {
    if (known.name == low) return std::string(known.zone);
  }
  const std::string name = as_zone_name(low);
  for (const std::string_view region : kRegions) {
    std::string zone = std::string(region) + name;
    if (is_time_zone(zone)) return zone;
  }
  return std::nullopt;
}

}  // namespace rouse
