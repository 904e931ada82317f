// Points in time and lengths of time, as small values that cannot be mixed up. Wall time is what a
// clock on the wall says (milliseconds since 1970 UTC); it steps. Mono time only grows and is what
// deadlines are made of; it means nothing outside this process.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <string>

#include "base/result.h"

namespace rouse {

struct Millis {
  std::int64_t count = 0;
  friend auto operator<=>(const Millis&, const Millis&) = default;
  friend constexpr Millis operator+(Millis a, Millis b) { return {a.count + b.count}; }
  friend constexpr Millis operator-(Millis a, Millis b) { return {a.count - b.count}; }
  friend constexpr Millis operator*(Millis a, std::int64_t k) { return {a.count * k}; }
};
constexpr Millis millis(std::int64_t n) { return {n}; }
constexpr Millis seconds(std::int64_t n) { return {n * 1000}; }
constexpr Millis minutes(std::int64_t n) { return {n * 60'000}; }
constexpr Millis hours(std::int64_t n) { return {n * 3'600'000}; }
constexpr Millis days(std::int64_t n) { return {n * 86'400'000}; }

struct WallTime {
  std::int64_t unix_ms = 0;
  friend auto operator<=>(const WallTime&, const WallTime&) = default;
  friend constexpr WallTime operator+(WallTime t, Millis d) { return {t.unix_ms + d.count}; }
  friend constexpr WallTime operator-(WallTime t, Millis d) { return {t.unix_ms - d.count}; }
  friend constexpr Millis operator-(WallTime a, WallTime b) { return {a.unix_ms - b.unix_ms}; }
};

struct MonoTime {
  std::int64_t ms = 0;
  friend auto operator<=>(const MonoTime&, const MonoTime&) = default;
  friend constexpr MonoTime operator+(MonoTime t, Millis d) { return {t.ms + d.count}; }
  friend constexpr Millis operator-(MonoTime a, MonoTime b) { return {a.ms - b.ms}; }
};
inline constexpr MonoTime kNever{std::numeric_limits<std::int64_t>::max()};

// "2026-11-15T04:40:00.000Z", always with milliseconds and Z, and back.
std::string to_iso(WallTime time);
Result<WallTime> from_iso(std::string_view text);

// "2 h 5 min", "45 s", "120 ms": for people.
std::string to_words(Millis length);

}  // namespace rouse
