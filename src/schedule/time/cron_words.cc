#include "schedule/time/cron_words.h"

#include <array>
#include <bit>
#include <vector>

#include <fmt/format.h>

#include "base/local_time.h"

namespace rouse {
namespace {

using Words = std::vector<std::string>;

constexpr std::uint64_t kAllMinutes = (1ULL << 60) - 1;
constexpr std::uint64_t kAllHours = (1ULL << 24) - 1;
constexpr std::uint64_t kAllMonths = (1ULL << 13) - 2;
constexpr std::uint64_t kAllWeekdays = 0x7F;
constexpr std::uint64_t kWorkdays = 0x3E;
constexpr int kMostTimes = 6;  // that a sentence lists one by one

std::string joined(const Words& words) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) out += i + 1 == words.size() ? " and " : ", ";
    out += words[i];
  }
  return out;
}

std::string number(int value) { return std::to_string(value); }

std::string ordinal(int value) {
  const bool teen = value / 10 % 10 == 1;
  const int last = teen ? 0 : value % 10;
  constexpr std::array<std::string_view, 4> kEndings{"th", "st", "nd", "rd"};
  return number(value) + std::string(kEndings.at(last <= 3 ? static_cast<std::size_t>(last) : 0));
}

std::string month_name(int month) {
  constexpr std::array<std::string_view, 12> kNames{
      "January", "February", "March",     "April",   "May",      "June",
      "July",    "August",   "September", "October", "November", "December"};
  return std::string(kNames.at(static_cast<std::size_t>(month - 1)));
}

std::string name_of_weekday(int weekday) {
  return std::string(weekday_name(weekday == 0 ? 7 : weekday));
}

int lowest(std::uint64_t bits) { return std::countr_zero(bits); }
int highest(std::uint64_t bits) { return 63 - std::countl_zero(bits); }

// Each value of a set; three or more in a row as "4 to 9".
Words listed(std::uint64_t bits, std::string (*say)(int)) {
  Words out;
  while (bits != 0) {
    const int from = lowest(bits);
    const int length = std::countr_one(bits >> from);
    const int shown = length >= 3 ? 1 : length;
    for (int i = 0; i < shown; ++i) out.push_back(say(from + i));
    if (length >= 3) out.back() += " to " + say(from + length - 1);
    bits &= ~(((1ULL << length) - 1) << from);
  }
  return out;
}

// The n of */n if the set is that, over a field of `size` values from 0, and n divides it; else 0.
int pace(std::uint64_t bits, int size) {
  if (std::popcount(bits) < 2 || lowest(bits) != 0) return 0;
  const int step = lowest(bits & (bits - 1));
  if (size % step != 0 || std::popcount(bits) != size / step) return 0;
  for (int value = 0; value < size; value += step) {
    if ((bits >> value & 1) == 0) return 0;
  }
  return step;
}

std::string every(int count, const std::string& unit) {
  return count == 1 ? "every " + unit : "every " + number(count) + " " + unit + "s";
}

std::string clock_text(const Cron& cron, int hour, int minute, int second) {
  const std::string time = fmt::format("{:02}:{:02}", hour, minute);
  return cron.seconds == 1 ? time : time + fmt::format(":{:02}", second);
}

bool is_short_list(const Cron& cron) {
  return std::popcount(cron.hours) * std::popcount(cron.minutes) * std::popcount(cron.seconds) <=
         kMostTimes;
}

// "10:00 and 14:00"
std::string times_of_day(const Cron& cron) {
  Words times;
  for (int hour = 0; hour < 24; ++hour) {
    for (int minute = 0; minute < 60 && (cron.hours >> hour & 1) != 0; ++minute) {
      for (int second = 0; second < 60 && (cron.minutes >> minute & 1) != 0; ++second) {
        if ((cron.seconds >> second & 1) != 0) {
          times.push_back(clock_text(cron, hour, minute, second));
        }
      }
    }
  }
  return joined(times);
}

// Which hours an interval keeps to: "" for all of them.
std::string hours_words(const Cron& cron) {
  if (cron.hours == kAllHours) return "";
  const int from = lowest(cron.hours), to = highest(cron.hours);
  const bool one_stretch = std::popcount(cron.hours) == to - from + 1;
  if (one_stretch) {
    return fmt::format(" from {:02}:{:02} to {:02}:{:02}", from, lowest(cron.minutes), to,
                       highest(cron.minutes));
  }
  if (const int step = pace(cron.hours, 24)) return " in every " + ordinal(step) + " hour";
  return " in the hours " + joined(listed(cron.hours, number));
}

std::string minutes_words(const Cron& cron) {
  if (const int step = pace(cron.minutes, 60)) return every(step, "minute") + hours_words(cron);
  const int hour_step = pace(cron.hours, 24);
  if (cron.minutes == 1 && hour_step != 0) return every(hour_step, "hour");
  if (cron.minutes == 1) return "every hour" + hours_words(cron);
  const std::string minutes = joined(listed(cron.minutes, number));
  const std::string past = cron.minutes == 2 ? " minute past" : " minutes past";
  if (hour_step > 1) return "at " + minutes + past + " every " + ordinal(hour_step) + " hour";
  return "at " + minutes + past + " every hour" + hours_words(cron);
}

// "every 15 minutes from 09:00 to 17:45"
std::string interval_words(const Cron& cron) {
  if (cron.seconds == 1) return minutes_words(cron);
  const int step = pace(cron.seconds, 60);
  const std::string seconds =
      step != 0 ? every(step, "second") : "at the seconds " + joined(listed(cron.seconds, number));
  if (cron.minutes == kAllMinutes) {
    return seconds + (step != 0 ? "" : " of every minute") + hours_words(cron);
  }
  return seconds + " of the minutes " + joined(listed(cron.minutes, number)) + hours_words(cron);
}

// What the days are of: "each month", "March and June".
std::string months_words(const Cron& cron, const std::string& when_all) {
  return cron.months == kAllMonths ? when_all : joined(listed(cron.months, month_name));
}

bool has_day_signs(const Cron& cron) {
  return cron.days_before_last != 0 || cron.workdays_near != 0 || cron.last_workday;
}

Words day_signs(const Cron& cron) {
  Words out;
  for (int day = 1; day <= 31; ++day) {
    if ((cron.workdays_near >> day & 1) != 0) {
      out.push_back("the working day nearest to the " + ordinal(day));
    }
  }
  for (int before = 30; before > 0; --before) {
    if ((cron.days_before_last >> before & 1) == 0) continue;
    out.push_back(before == 1 ? "the day before the last"
                              : "the " + ordinal(before) + " day before the last");
  }
  if ((cron.days_before_last & 1) != 0) out.emplace_back("the last day");
  if (cron.last_workday) out.emplace_back("the last working day");
  return out;
}

// The n of */n from the 1st, if it gives more days than a sentence should list; else 0.
int day_pace(std::uint64_t days) {
  if (std::popcount(days) <= kMostTimes || lowest(days) != 1) return 0;
  const int step = lowest(days & (days - 1)) - 1;
  std::uint64_t paced = 0;
  for (int day = 1; day <= 31; day += step) paced |= 1ULL << day;
  return paced == days ? step : 0;
}

// "on the 1st and 15th of each month"
std::string days_words(const Cron& cron) {
  Words parts;
  const int step = day_pace(cron.days);
  if (step == 1) {
    parts.emplace_back("every day");
  } else if (step != 0) {
    parts.push_back("every " + ordinal(step) + " day from the 1st");
  } else if (cron.days != 0) {
    parts.push_back("the " + joined(listed(cron.days, ordinal)));
  }
  for (std::string& sign : day_signs(cron)) parts.push_back(std::move(sign));
  const bool plain = !has_day_signs(cron);
  return "on " + joined(parts) + " of " + months_words(cron, plain ? "each month" : "the month");
}

// "every Monday and Friday", "on the 2nd Monday and the last Friday of each month"
std::string weekdays_words(const Cron& cron) {
  Words parts;
  for (int nth = 1; nth <= 5; ++nth) {
    for (int weekday = 0; weekday < 7; ++weekday) {
      if ((cron.nth_weekdays >> (8 * nth + weekday) & 1) == 0) continue;
      parts.push_back("the " + ordinal(nth) + " " + name_of_weekday(weekday));
    }
  }
  Words names;
  for (int i = 1; i <= 7; ++i) {
    if ((cron.last_weekdays >> (i % 7) & 1) != 0)
      parts.push_back("the last " + name_of_weekday(i % 7));
    if ((cron.weekdays >> (i % 7) & 1) != 0) names.push_back(name_of_weekday(i % 7));
  }
  std::string plain;
  if (cron.weekdays == kAllWeekdays) {
    plain = "every day";
  } else if (cron.weekdays == kWorkdays) {
    plain = "every weekday";
  } else if (cron.weekdays != 0) {
    plain = "every " + joined(names);
  }
  const bool some_months = cron.months != kAllMonths;
  if (parts.empty()) return plain + (some_months ? " in " + months_words(cron, "") : "");
  if (!plain.empty()) plain += " and ";
  return plain + "on " + joined(parts) + " of " + months_words(cron, "each month");
}

std::string every_day(const Cron& cron) {
  return cron.months == kAllMonths ? "every day" : "every day in " + months_words(cron, "");
}

}  // namespace

std::string cron_words(const Cron& cron) {
  const bool is_pace = cron.minutes == 1 && cron.seconds == 1 && pace(cron.hours, 24) != 0 &&
                       std::popcount(cron.hours) > 2;
  if (!is_pace && is_short_list(cron)) {
    const std::string times = "at " + times_of_day(cron);
    if (cron.any_day && cron.any_weekday) return every_day(cron) + " " + times;
    if (cron.any_day) return weekdays_words(cron) + " " + times;
    if (cron.any_weekday && has_day_signs(cron)) return days_words(cron) + " " + times;
    if (cron.any_weekday) return times + " " + days_words(cron);
    return times + " " + days_words(cron) + " and " + weekdays_words(cron);
  }
  std::string out = interval_words(cron);
  if (!cron.any_day) out += ", " + days_words(cron);
  if (!cron.any_weekday) out += (cron.any_day ? ", " : " and ") + weekdays_words(cron);
  if (cron.any_day && cron.any_weekday && cron.months != kAllMonths) {
    out += " in " + months_words(cron, "");
  }
  return out;
}

}  // namespace rouse
