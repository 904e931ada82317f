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

void put_digits(char* at, std::size_t count, unsigned value) {
  for (std::size_t i = count; i-- > 0; value /= 10) at[i] = static_cast<char>('0' + value % 10);
}

}  // namespace

// Nearly every message and event carries some of these, so the digits are written by hand: a tenth
// of what a format string costs.
std::string to_iso(WallTime time) {
  using namespace std::chrono;
  const sys_time<milliseconds> point{milliseconds(time.unix_ms)};
  const auto day = floor<std::chrono::days>(point);
  const year_month_day date{day};
  const int year = int(date.year());
  const auto of_day = static_cast<unsigned>((point - day).count());
  std::string out = "0000-00-00T00:00:00.000Z";
  if (year >= 0 && year <= 9'999) {
    put_digits(out.data(), 4, static_cast<unsigned>(year));
  } else {
    out.replace(0, 4, fmt::format("{:04}", year));
  }
  char* const end = out.data() + out.size();
  put_digits(end - 19, 2, unsigned(date.month()));
  put_digits(end - 16, 2, unsigned(date.day()));
  put_digits(end - 13, 2, of_day / 3'600'000);
  put_digits(end - 10, 2, of_day / 60'000 % 60);
  put_digits(end - 7, 2, of_day / 1'000 % 60);
  put_digits(end - 4, 3, of_day % 1'000);
  return out;
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
