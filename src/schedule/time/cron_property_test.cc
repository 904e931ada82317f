// Random expressions in every zone of the tz database, at random instants and around the changes of
// its clocks. CR-23.
#include <array>
#include <bit>
#include <fstream>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "base/text.h"
#include "base/time_zone.h"
#include "schedule/time/cron.h"
#include "schedule/time/schedule.h"

namespace rouse {
namespace {

#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr int kExpressions = 25;  // the arithmetic is the same; the time it takes is not
#else
constexpr int kExpressions = 500;
#endif
constexpr int kSteps = 3;

// Zones and links, as tzdata lists them.
std::vector<std::string> zone_names() {
  std::vector<std::string> names;
  std::ifstream file("/usr/share/zoneinfo/tzdata.zi");
  for (std::string line; std::getline(file, line);) {
    const auto words = split(line, ' ');
    if (words.size() >= 2 && words[0] == "Z") names.emplace_back(words[1]);
    if (words.size() >= 3 && words[0] == "L") names.emplace_back(words[2]);
  }
  std::erase_if(names, [](const std::string& name) { return !is_time_zone(name); });
  return names;
}

class Expressions {
 public:
  explicit Expressions(Random& random) : random_(random) {}
  std::string next() {
    std::string text = chance(5) ? field(0, 59) + " " : "";
    text += field(0, 59) + " " + field(0, 23) + " " + day() + " " + field(1, 12) + " " + weekday();
    return text;
  }

 private:
  bool chance(std::uint64_t one_in) { return random_.below(one_in) == 0; }
  int pick(int min, int max) {
    return min + static_cast<int>(random_.below(static_cast<std::uint64_t>(max - min + 1)));
  }
  std::string field(int min, int max) {
    switch (random_.below(7)) {
      case 0:
      case 1:
        return "*";
      case 2:
        return fmt::format("*/{}", pick(1, max - min + 1));
      case 3: {
        const int from = pick(min, max);
        return fmt::format("{}-{}", from, pick(from, max));
      }
      case 4:
        return fmt::format("{},{},{}", pick(min, max), pick(min, max), pick(min, max));
      default:
        return fmt::format("{}", pick(min, max));
    }
  }
  std::string day() {
    switch (random_.below(10)) {
      case 0:
        return "L";
      case 1:
        return fmt::format("{}W", pick(1, 31));
      case 2:
        return fmt::format("L-{}", pick(1, 30));
      case 3:
        return "LW";
      case 4:
      case 5:
      case 6:
        return "*";
      default:
        return field(1, 31);
    }
  }
  std::string weekday() {
    switch (random_.below(8)) {
      case 0:
        return fmt::format("{}L", pick(0, 6));
      case 1:
        return fmt::format("{}#{}", pick(0, 6), pick(1, 5));
      case 2:
      case 3:
      case 4:
        return "*";
      default:
        return field(0, 6);
    }
  }
  Random& random_;
};

// Half of them within a day of a change of the clocks.
absl::Time some_instant(Random& random, const absl::TimeZone& zone) {
  const absl::Time any =
      absl::FromUnixSeconds(static_cast<std::int64_t>(random.below(300ULL * 31'556'952)) -
                            70LL * 31'556'952);  // 1900 to 2200
  absl::TimeZone::CivilTransition change;
  if (random.below(2) == 0 || !zone.NextTransition(any, &change)) return any;
  return instant_of(zone, change.from) + absl::Seconds(random.below(172'800)) - absl::Hours(24);
}

bool fits(const Cron& cron, absl::CivilSecond shown) {
  return (cron.seconds >> shown.second() & 1) != 0 && (cron.minutes >> shown.minute() & 1) != 0 &&
         (cron.hours >> shown.hour() & 1) != 0 && (cron.months >> shown.month() & 1) != 0 &&
         (matching_days(cron, shown.year(), shown.month()) >> shown.day() & 1) != 0;
}

bool ends_a_gap(const absl::TimeZone& zone, absl::Time time) {
  const absl::CivilSecond expected = absl::ToCivilSecond(time - absl::Seconds(1), zone) + 1;
  return absl::ToCivilSecond(time, zone) > expected;
}

TEST(CronProperty, NextIsLaterMonotoneAndFitsInEveryZone) {
  const std::vector<std::string> zones = zone_names();
  ASSERT_GT(zones.size(), 400U);
  SeededRandom random(23);
  Expressions expressions(random);
  for (const std::string& name : zones) {
    absl::TimeZone zone;
    ASSERT_TRUE(absl::LoadTimeZone(name, &zone));
    for (int i = 0; i < kExpressions; ++i) {
      const std::string text = expressions.next();
      const auto cron = parse_cron(text);
      if (!cron) {
        ASSERT_NE(cron.error().message.find("never due"), std::string::npos) << text;
        continue;
      }
      WallTime after{absl::ToUnixMillis(some_instant(random, zone))};
      for (int step = 0; step < kSteps; ++step) {
        const auto due = next_match(*cron, zone, after);
        if (!due) break;  // only at times that this zone's clocks skip
        ASSERT_GT(*due, after) << text << " in " << name;
        const absl::Time time = absl::FromUnixMillis(due->unix_ms);
        ASSERT_TRUE(fits(*cron, absl::ToCivilSecond(time, zone)) ||
                    (cron->fixed_time && ends_a_gap(zone, time)))
            << text << " in " << name << " after " << to_iso(after);
        // Asked from any moment before it, it is the same one.
        const WallTime between = after + millis(static_cast<std::int64_t>(random.below(
                                             static_cast<std::uint64_t>((*due - after).count))));
        ASSERT_EQ(next_match(*cron, zone, between), due) << text << " in " << name;
        after = *due;
      }
    }
  }
}

// What is due in the days around a change, found the slow way: every minute that the clock shows.
std::set<std::int64_t> slowly(const Cron& cron, const absl::TimeZone& zone, absl::Time from,
                              absl::Time until) {
  std::set<std::int64_t> due;
  if (cron.fixed_time) {
    const absl::CivilMinute last = absl::ToCivilMinute(until, zone) + 1440;
    for (absl::CivilMinute shown = absl::ToCivilMinute(from, zone) - 1440; shown < last; ++shown) {
      if (!fits(cron, absl::CivilSecond(shown))) continue;
      const absl::Time time = instant_of(zone, absl::CivilSecond(shown));
      if (time > from && time <= until) due.insert(absl::ToUnixMillis(time));
    }
    return due;
  }
  for (absl::Time time = from + absl::Minutes(1); time <= until; time += absl::Minutes(1)) {
    if (fits(cron, absl::ToCivilSecond(time, zone))) due.insert(absl::ToUnixMillis(time));
  }
  return due;
}

TEST(CronProperty, TheDaysAroundAChangeAreTheSameAsMinuteByMinute) {
  SeededRandom random(24);
  Expressions expressions(random);
  for (const std::string name :
       {"America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "America/Santiago",
        "Africa/Casablanca", "Asia/Beirut", "Africa/Cairo", "America/Havana", "Asia/Tehran",
        "Pacific/Apia", "Pacific/Kwajalein", "Antarctica/Troll", "Asia/Pyongyang", "Asia/Kolkata",
        "America/Caracas", "Europe/Dublin"}) {
    absl::TimeZone zone;
    ASSERT_TRUE(absl::LoadTimeZone(name, &zone));
    for (int i = 0; i < kExpressions; ++i) {
      const auto cron = parse_cron(expressions.next());
      if (!cron || cron->seconds != 1) continue;
      const absl::Time before =
          absl::FromUnixSeconds(static_cast<std::int64_t>(random.below(60)) * 31'556'952);
      absl::TimeZone::CivilTransition change;
      if (!zone.NextTransition(before, &change)) continue;
      // Whole minutes: no zone had a change of seconds after 1972.
      const absl::Time from = absl::FromCivil(absl::CivilHour(change.from), zone) - absl::Hours(27);
      if (before < absl::FromUnixSeconds(3LL * 31'556'952)) continue;
      const absl::Time until = from + absl::Hours(75);
      std::set<std::int64_t> due;
      WallTime at{absl::ToUnixMillis(from)};
      while (const auto next = next_match(*cron, zone, at)) {
        at = *next;
        if (at.unix_ms > absl::ToUnixMillis(until)) break;
        due.insert(at.unix_ms);
      }
      ASSERT_EQ(due, slowly(*cron, zone, from, until)) << name << " at " << change.from;
    }
  }
}

}  // namespace
}  // namespace rouse
