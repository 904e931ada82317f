#include "base/time.h"

#include <chrono>

#include <fmt/format.h>

namespace rouse {
namespace {

// Reads exactly n digits at text[pos]; -1 if they are not all digits.
int digits(std::string_view text, std::size_t pos, std::size_t n) {
  if (pos + n > text.size()) return -1;
  int value = 0;
  for (std::size_t i = pos; i < pos + n; ++i) {
    if (text[i] < '0' || text[i] > '9') return -1;
    value = value * 10 + (text[i] - '0');
  }
  return value;
}

}  // namespace

std::string to_iso(WallTime time) {
  using namespace std::chrono;
  const sys_time<milliseconds> point{milliseconds(time.unix_ms)};
  const auto day = floor<std::chrono::days>(point);
  const year_month_day date{day};
  const hh_mm_ss clock{point - day};
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", int(date.year()),
                     unsigned(date.month()), unsigned(date.day()), clock.hours().count(),
                     clock.minutes().count(), clock.seconds().count(), clock.subseconds().count());
}

Result<WallTime> from_iso(std::string_view text) {
  using namespace std::chrono;
  const auto bad = [&] {
    return fail(Errc::kInvalid, fmt::format("'{}' is not a time like 2026-11-15T04:40:00.000Z",
                                            text.substr(0, 40)));
  };
  if (text.size() < 20 || text[4] != '-' || text[7] != '-' || text[10] != 'T' || text[13] != ':' ||
      text[16] != ':' || text.back() != 'Z') {
    return bad();
  }
  const int y = digits(text, 0, 4), mo = digits(text, 5, 2), d = digits(text, 8, 2);
  const int h = digits(text, 11, 2), mi = digits(text, 14, 2), s = digits(text, 17, 2);
  int ms = 0;
  if (text.size() == 24 && text[19] == '.') {
    ms = digits(text, 20, 3);
  } else if (text.size() != 20) {
    return bad();
  }
  const year_month_day date{year(y), month(static_cast<unsigned>(mo)),
                            day(static_cast<unsigned>(d))};
  if (y < 0 || mo < 0 || d < 0 || !date.ok() || h < 0 || h > 23 || mi < 0 || mi > 59 || s < 0 ||
      s > 59 || ms < 0) {
    return bad();
  }
  const auto point = sys_days(date).time_since_epoch() + std::chrono::hours(h) +
                     std::chrono::minutes(mi) + std::chrono::seconds(s) + milliseconds(ms);
  return WallTime{duration_cast<milliseconds>(point).count()};
}

std::string to_words(Millis length) {
  const std::int64_t ms = length.count < 0 ? 0 : length.count;
  const std::int64_t s = ms / 1000;
  if (ms < 1000) return fmt::format("{} ms", ms);
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) {
    return s % 60 ? fmt::format("{} min {} s", s / 60, s % 60) : fmt::format("{} min", s / 60);
  }
  const std::int64_t min = s / 60;
  if (min < 24 * 60) {
    return min % 60 ? fmt::format("{} h {} min", min / 60, min % 60)
                    : fmt::format("{} h", min / 60);
  }
  const std::int64_t h = min / 60;
  return h % 24 ? fmt::format("{} d {} h", h / 24, h % 24) : fmt::format("{} d", h / 24);
}

}  // namespace rouse
