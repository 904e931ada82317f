#include "schedule/said_time.h"

#include <charconv>
#include <string>

#include <absl/time/civil_time.h>
#include <absl/time/time.h>
#include <fmt/format.h>

#include "base/text.h"
#include "base/time_zone.h"
#include "schedule/time/cron.h"

namespace rouse {
namespace {

constexpr std::size_t kShortestTime = 16, kLongestTime = 40;
constexpr std::int64_t kMostUnits = 1'000'000;

// A year of four digits, so that nothing here overflows.
bool may_be_time(std::string_view text) {
  return text.size() >= kShortestTime && text.size() <= kLongestTime && text[0] >= '0' &&
         text[0] <= '9' && text[4] == '-' && text[10] == 'T';
}

}  // namespace

Result<WallTime> parse_said_time(std::string_view said, std::string_view zone) {
  std::string text(trim(said));
  if (text.size() > 10 && text[10] == ' ') text[10] = 'T';
  if (may_be_time(text)) {
    for (const char* format : {"%Y-%m-%d%ET%H:%M:%E*S%Ez", "%Y-%m-%d%ET%H:%M%Ez"}) {
      absl::Time instant;
      if (absl::ParseTime(format, text, &instant, nullptr)) {
        return WallTime{absl::ToUnixMillis(instant)};
      }
    }
    absl::CivilSecond shown;
    absl::TimeZone there;
    if (absl::ParseLenientCivilTime(text, &shown)) {
      if (!is_time_zone(zone) || !absl::LoadTimeZone(std::string(zone), &there)) {
        return fail(Errc::kInvalid,
                    fmt::format("'{}' is not a time zone; they look like Europe/Berlin",
                                zone.substr(0, 80)));
      }
      return WallTime{absl::ToUnixMillis(instant_of(there, shown))};
    }
  }
  return fail(Errc::kInvalid, fmt::format("'{}' is not a time like 2026-11-16T09:00 (local) or "
                                          "2026-11-16T08:00:00Z",
                                          utf8_prefix(said, kLongestTime)));
}

Result<Millis> parse_said_length(std::string_view said) {
  const std::string_view text = trim(said);
  std::int64_t count = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), count);
  const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  if (failed == std::errc{} && count > 0 && count <= kMostUnits) {
    if (unit == "s") return seconds(count);
    if (unit == "m") return minutes(count);
    if (unit == "h") return hours(count);
    if (unit == "d") return days(count);
  }
  return fail(Errc::kInvalid, fmt::format("'{}' is not a length of time like 90s, 30m, 2h or 1d",
                                          utf8_prefix(said, kLongestTime)));
}

}  // namespace rouse
