#include "model/offline/when.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/local_time.h"
#include "base/text.h"
#include "model/offline/phrase.h"

namespace rouse::offline {
namespace {

constexpr std::int64_t kMostUnits = 100'000;

struct Unit {
  std::string_view name;  // without its s
  std::int64_t length_s;
};
constexpr std::array<Unit, 8> kUnits{{{"second", 1},
                                      {"sec", 1},
                                      {"minute", 60},
                                      {"min", 60},
                                      {"hour", 3600},
                                      {"hr", 3600},
                                      {"day", 86'400},
                                      {"week", 604'800}}};
constexpr std::array<std::string_view, 13> kNumbers{"zero", "one",    "two",   "three", "four",
                                                    "five", "six",    "seven", "eight", "nine",
                                                    "ten",  "eleven", "twelve"};

std::optional<std::int64_t> number_of(std::string_view word) {
  if (word == "a" || word == "an") return 1;
  if (word == "fifteen") return 15;
  if (word == "twenty") return 20;
  if (word == "thirty") return 30;
  for (std::size_t i = 1; i < kNumbers.size(); ++i) {
    if (kNumbers.at(i) == word) return static_cast<std::int64_t>(i);
  }
  std::int64_t number = 0;
  const char* end = word.data() + word.size();
  const auto [at, ec] = std::from_chars(word.data(), end, number);
  if (ec != std::errc{} || at != end || number < 1 || number > kMostUnits) return std::nullopt;
  return number;
}

const Unit* unit_of(std::string_view word) {
  if (word.ends_with('s')) word.remove_suffix(1);
  for (const Unit& unit : kUnits) {
    if (unit.name == word) return &unit;
  }
  return nullptr;
}

int weekday_of(std::string_view word) {
  if (word.ends_with('s') && word.size() > 6) word.remove_suffix(1);  // mondays
  for (int day = 1; day <= 7; ++day) {
    const std::string name = lower_ascii(weekday_name(day));
    if (word == name || word == name.substr(0, 3)) return day;
  }
  return 0;
}

struct HourMinute {
  int hour = 9, minute = 0;
};

// Reads the words from left to right, and gives back what it took too much.
class WhenReader {
 public:
  WhenReader(const std::vector<std::string_view>& words, std::size_t at) : words_(words), at_(at) {}

  std::optional<When> read() {
    const std::size_t start = at_;
    for (auto part : {&WhenReader::read_after, &WhenReader::read_every, &WhenReader::read_once}) {
      at_ = start;
      if (auto when = (this->*part)()) return when;
    }
    return std::nullopt;
  }
  [[nodiscard]] std::size_t at() const { return at_; }

 private:
  [[nodiscard]] std::string_view peek(std::size_t ahead = 0) const {
    return at_ + ahead < words_.size() ? words_[at_ + ahead] : std::string_view{};
  }
  bool take(Patterns any) {
    for (const std::string_view word : any) {
      if (peek() != word) continue;
      ++at_;
      return true;
    }
    return false;
  }

  // "in 20 minutes", "in half an hour", "in an hour and a half" is beyond it.
  std::optional<When> read_after() {
    if (!take({"in", "after"})) return std::nullopt;
    When when;
    if (take({"half"})) {
      if (!take({"an", "a"}) || !take({"hour"})) return std::nullopt;
      when.after = minutes(30);
      when.words = "in half an hour";
      return when;
    }
    const auto count = number_of(peek());
    const Unit* unit = unit_of(peek(1));
    if (!count || unit == nullptr) return std::nullopt;
    at_ += 2;
    when.after = seconds(*count * unit->length_s);
    when.words = "in " + counted(*count, *unit);
    return when;
  }

  static std::string counted(std::int64_t count, const Unit& unit) {
    const std::string_view name = unit.name == "sec"   ? "second"
                                  : unit.name == "min" ? "minute"
                                  : unit.name == "hr"  ? "hour"
                                                       : unit.name;
    return fmt::format("{} {}{}", count, name, count == 1 ? "" : "s");
  }

  std::optional<When> read_every() {
    const std::size_t start = at_;
    const auto early = read_clock();  // "at 9 every day"
    if (!early) at_ = start;
    if (take({"hourly"})) return periodic(1, kUnits[4]);
    if (take({"daily"})) return on_days("*", "every day", early);
    if (take({"weekdays"})) return on_days("1-5", "every weekday", early);
    if (peek() == "on" && peek(1) == "weekdays") {
      at_ += 2;
      return on_days("1-5", "every weekday", early);
    }
    if (!take({"every", "each"})) return std::nullopt;
    if (take({"weekday", "workday"})) return on_days("1-5", "every weekday", early);
    if (take({"weekend"})) return on_days("6,0", "every weekend", early);
    if (take({"morning"})) return on_days("*", "every day", early, {8, 0});
    if (take({"noon"})) return on_days("*", "every day", early, {12, 0});
    if (take({"afternoon"})) return on_days("*", "every day", early, {15, 0});
    if (take({"evening", "night"})) return on_days("*", "every day", early, {20, 0});
    if (weekday_of(peek()) != 0) return on_weekdays(early);
    if (take({"day"})) return on_days("*", "every day", early);
    const auto count = number_of(peek());
    if (count) ++at_;
    const Unit* unit = unit_of(peek());
    if (unit == nullptr) return std::nullopt;
    ++at_;
    return periodic(count.value_or(1), *unit);
  }

  static When periodic(std::int64_t count, const Unit& unit) {
    When when;
    when.every_seconds = count * unit.length_s;
    when.words = count == 1 ? fmt::format("every {}", counted(1, unit).substr(2))
                            : "every " + counted(count, unit);
    return when;
  }

  std::optional<When> on_weekdays(std::optional<HourMinute> early) {
    std::vector<int> numbers;
    std::vector<std::string_view> names;
    while (const int day = weekday_of(peek())) {
      numbers.push_back(day % 7);  // cron counts from Sunday, 0
      names.push_back(weekday_name(day));
      ++at_;
      if (peek() == "and" && weekday_of(peek(1)) != 0) ++at_;
    }
    return on_days(fmt::format("{}", fmt::join(numbers, ",")),
                   fmt::format("every {}", fmt::join(names, " and ")), early);
  }

  When on_days(std::string_view days, std::string_view words, std::optional<HourMinute> early,
               HourMinute otherwise = {}) {
    const std::size_t before = at_;
    auto clock = early ? early : read_clock();
    if (!clock) at_ = before;
    const HourMinute time = clock.value_or(otherwise);
    When when;
    when.cron = fmt::format("{} {} * * {}", time.minute, time.hour, days);
    when.words = fmt::format("{} at {:02}:{:02}", words, time.hour, time.minute);
    return when;
  }

  // "at 5pm", "tomorrow", "tomorrow at 9", "at 9 tomorrow", "on friday at 10:30", "tonight".
  std::optional<When> read_once() {
    When::ClockTime at;
    const std::size_t start = at_;
    auto time = read_clock();
    if (!time) at_ = start;
    HourMinute otherwise;
    const bool day = read_day(at, otherwise);
    if (!time && !day) return std::nullopt;
    if (!time) {
      const std::size_t before = at_;
      time = read_clock();
      if (!time) at_ = before;
    }
    at.hour = time.value_or(otherwise).hour;
    at.minute = time.value_or(otherwise).minute;
    if (otherwise.hour == 20 && time && at.hour < 12 && at.hour >= 6)
      at.hour += 12;  // tonight at 9
    When when;
    when.clock = at;
    when.words = once_words(at);
    return when;
  }

  bool read_day(When::ClockTime& at, HourMinute& otherwise) {
    if (take({"tomorrow"})) {
      at.days_ahead = 1;
      if (take({"morning"})) otherwise = {8, 0};
      if (take({"afternoon"})) otherwise = {15, 0};
      if (take({"evening", "night"})) otherwise = {20, 0};
      return true;
    }
    if (take({"tonight"})) {
      at.days_ahead = 0;
      otherwise = {20, 0};
      return true;
    }
    if (peek() == "this" && (peek(1) == "evening" || peek(1) == "afternoon")) {
      at.days_ahead = 0;
      otherwise = {peek(1) == "evening" ? 20 : 15, 0};
      at_ += 2;
      return true;
    }
    if (peek() == "today") {
      ++at_;
      at.days_ahead = 0;
      return true;
    }
    const std::size_t before = at_;
    take({"on"});
    take({"next", "this"});
    // "sun" and "sat" are words of their own; alone they are no days.
    at.weekday = peek().size() > 3 || at_ > before ? weekday_of(peek()) : 0;
    if (at.weekday == 0) {
      at_ = before;
      return false;
    }
    ++at_;
    return true;
  }

  static std::string once_words(const When::ClockTime& at) {
    const std::string clock = fmt::format("at {:02}:{:02}", at.hour, at.minute);
    if (at.weekday != 0) return fmt::format("on {} {}", weekday_name(at.weekday), clock);
    if (at.days_ahead == 0) return "today " + clock;
    if (at.days_ahead == 1) return "tomorrow " + clock;
    return clock;
  }

  // "at 9", "at 9:30", "at 5 pm", "at noon"; "at" may be missing before 9:30 and 5pm.
  std::optional<HourMinute> read_clock() {
    const bool said_at = take({"at", "around"});
    if (take({"noon", "midday"})) return HourMinute{12, 0};
    if (take({"midnight"})) return HourMinute{0, 0};
    std::string_view word = peek();
    const bool pm = ends_with_mark(word, "pm");
    const bool am = !pm && ends_with_mark(word, "am");
    if (am || pm) word.remove_suffix(2);
    const std::size_t colon = word.find(':');
    if (!said_at && colon == std::string_view::npos && !am && !pm) return std::nullopt;
    const auto hour = digits_of(word.substr(0, colon), 24);
    const auto minute =
        colon == std::string_view::npos ? std::optional(0) : digits_of(word.substr(colon + 1), 59);
    if (!hour || !minute) return std::nullopt;
    ++at_;
    return HourMinute{half_of_day(*hour, am, pm, word.starts_with('0')), *minute};
  }

  static bool ends_with_mark(std::string_view word, std::string_view mark) {
    return word.size() > 2 && word.ends_with(mark) && word[0] >= '0' && word[0] <= '9';
  }
  static std::optional<int> digits_of(std::string_view word, int most) {
    int number = 0;
    const char* end = word.data() + word.size();
    const auto [at, ec] = std::from_chars(word.data(), end, number);
    if (ec != std::errc{} || at != end || word.size() > 2 || number < 0 || number > most) {
      return std::nullopt;
    }
    return number;
  }

  int half_of_day(int hour, bool am, bool pm, bool leading_zero) {
    am = am || (!pm && take({"am", "a.m"}));
    pm = pm || (!am && take({"pm", "p.m"}));
    take({"o'clock", "oclock"});
    if (am) return hour % 12;
    if (pm) return hour < 12 ? hour + 12 : hour;
    return hour >= 1 && hour <= 6 && !leading_zero ? hour + 12 : hour % 24;
  }

  const std::vector<std::string_view>& words_;
  std::size_t at_;
};

}  // namespace

std::optional<FoundWhen> find_when(std::string_view low) {
  const auto words = words_of(low);
  std::optional<FoundWhen> first;
  const auto offset = [&](std::string_view word) {
    return static_cast<std::size_t>(word.data() - low.data());
  };
  for (std::size_t i = 0; i < words.size(); ++i) {
    WhenReader reader(words, i);
    auto when = reader.read();
    if (!when) continue;
    const std::string_view last = words[reader.at() - 1];
    FoundWhen found{std::move(*when), offset(words[i]), offset(last) + last.size()};
    if (i == 0 || reader.at() == words.size()) return found;
    if (!first) first = std::move(found);
    i = reader.at() - 1;
  }
  return first;
}

WallTime instant_of(const When& when, WallTime now, std::string_view zone) {
  if (when.after) return now + *when.after;
  if (!when.clock) return now;
  const When::ClockTime& at = *when.clock;
  if (at.weekday != 0) {
    const int ahead = (at.weekday - local_time(now, zone).weekday + 7) % 7;
    const WallTime this_week = at_local_clock(now, zone, ahead, at.hour, at.minute);
    if (this_week > now) return this_week;
    return at_local_clock(now, zone, ahead + 7, at.hour, at.minute);
  }
  const WallTime said = at_local_clock(now, zone, std::max(at.days_ahead, 0), at.hour, at.minute);
  if (at.days_ahead >= 1 || said > now) return said;
  return at_local_clock(now, zone, 1, at.hour, at.minute);
}

}  // namespace rouse::offline
