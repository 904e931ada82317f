#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "schedule/time/cron.h"

namespace rouse {
namespace {

enum class CronPart : std::uint8_t { kSecond, kMinute, kHour, kDay, kMonth, kWeekday };

struct PartRule {
  CronPart part;
  std::string_view name, allowed;
  int min, max;            // of a number as written
  int last;                // of the range that `*` means
  std::string_view names;  // three letters each; the first stands for `min`
};
constexpr std::array<PartRule, 6> kParts{{
    {CronPart::kSecond, "second", "0-59", 0, 59, 59, ""},
    {CronPart::kMinute, "minute", "0-59", 0, 59, 59, ""},
    {CronPart::kHour, "hour", "0-23", 0, 23, 23, ""},
    {CronPart::kDay, "day of month", "1-31, L, L-3, 15W or LW", 1, 31, 31, ""},
    {CronPart::kMonth, "month", "1-12 or JAN-DEC", 1, 12, 12,
     "JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC"},
    {CronPart::kWeekday, "day of week", "0-7 or SUN-SAT (0 and 7 are Sunday), 5L or 1#2", 0, 7, 6,
     "SUNMONTUEWEDTHUFRISAT"},
}};

struct Nickname {
  std::string_view name, meaning;
};
constexpr std::array<Nickname, 7> kNicknames{{{"@yearly", "0 0 1 1 *"},
                                              {"@annually", "0 0 1 1 *"},
                                              {"@monthly", "0 0 1 * *"},
                                              {"@weekly", "0 0 * * 0"},
                                              {"@daily", "0 0 * * *"},
                                              {"@midnight", "0 0 * * *"},
                                              {"@hourly", "0 * * * *"}}};

std::unexpected<Error> fail_at(std::size_t position, std::string_view what) {
  return fail(Errc::kInvalid, fmt::format("cron expression, column {}: {}", position + 1, what));
}

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

// One field of the expression; positions count from the start of the whole, for the errors.
struct FieldText {
  std::string_view text;
  std::size_t at = 0, end = 0;

  [[nodiscard]] bool done() const { return at >= end; }
  [[nodiscard]] char peek() const { return done() ? '\0' : upper(text[at]); }
  bool take(char c) {
    if (peek() != c || done()) return false;
    ++at;
    return true;
  }
  [[nodiscard]] std::string_view rest() const { return text.substr(at, end - at); }
};

// What stands at the cursor, up to the next sign, for an error message.
std::string shown(const FieldText& field) {
  if (field.done()) return "nothing";
  std::string_view word = field.rest();
  word = word.substr(0, std::max<std::size_t>(1, word.find_first_of(",-/#")));
  const std::string_view cut = utf8_prefix(word, 20);
  return is_utf8(cut) ? fmt::format("'{}'", cut) : "a byte that is no text";
}

Result<int> read_number(FieldText& field, std::string_view what, int min, int max) {
  const FieldText start = field;
  int value = 0;
  while (!field.done() && is_digit(field.peek())) {
    value = std::min(value * 10 + (field.peek() - '0'), 1'000'000);
    ++field.at;
  }
  if (field.at == start.at || value < min || value > max) {
    return fail_at(start.at,
                   fmt::format("{} is no {}; allowed is {}-{}", shown(start), what, min, max));
  }
  return value;
}

Result<int> read_value(FieldText& field, const PartRule& rule) {
  const FieldText start = field;
  if (is_digit(field.peek())) {
    if (auto value = read_number(field, rule.name, rule.min, rule.max)) return value;
  }
  for (std::size_t i = 0; i + 2 < rule.names.size() && start.rest().size() >= 3; i += 3) {
    if (!iequals_ascii(start.rest().substr(0, 3), rule.names.substr(i, 3))) continue;
    field.at = start.at + 3;
    return rule.min + static_cast<int>(i / 3);
  }
  return fail_at(start.at,
                 fmt::format("{} is no {}; allowed is {}", shown(start), rule.name, rule.allowed));
}

Result<int> read_step(FieldText& field, const PartRule& rule) {
  const int most = rule.last - rule.min + 1;
  const std::size_t start = field.at;
  auto step = read_number(field, "step", 1, most);
  if (step || field.at == start) return step;
  return fail_at(start, fmt::format("a step of the {} is 1-{}; for a longer one use the kind "
                                    "'every'",
                                    rule.name, most));
}

// L, L-3 and LW; the cursor stands behind the L.
Result<void> read_last_day(FieldText& field, Cron& cron) {
  if (field.take('W')) {
    cron.last_workday = true;
    return {};
  }
  int before = 0;
  if (field.take('-')) {
    TRY(before, read_number(field, "number of days before the last", 1, 30));
  }
  cron.days_before_last |= 1U << before;
  return {};
}

// What only the day fields know: 15W, 5L (also written 5#L), 1#2. False: `value` is a plain one.
Result<bool> read_day_sign(FieldText& field, const PartRule& rule, int value, Cron& cron) {
  if (rule.part == CronPart::kDay && field.take('W')) {
    cron.workdays_near |= 1U << value;
    return true;
  }
  if (rule.part != CronPart::kWeekday) return false;
  const bool counted = field.take('#');
  if (field.take('L')) {
    cron.last_weekdays |= 1U << (value % 7);
    return true;
  }
  if (!counted) return false;
  TRY(const int nth, read_number(field, "place in the month", 1, 5));
  cron.nth_weekdays |= 1ULL << (8 * nth + value % 7);
  return true;
}

struct ValueRange {
  int from, to;
  bool open = false;  // a single value; with a step it runs to the end: 10/15
};

// A range may run over the end (22-2, FRI-MON), except of a month, which has no fixed length.
Result<ValueRange> read_range(FieldText& field, const PartRule& rule, int from) {
  if (!field.take('-')) return ValueRange{from, from, true};
  const std::size_t start = field.at;
  TRY(int to, read_value(field, rule));
  if (to >= from) return ValueRange{from, to};
  if (rule.part == CronPart::kDay) {
    return fail_at(start, fmt::format("a range of days goes up; write {}-31,1-{}", from, to));
  }
  if (rule.part == CronPart::kWeekday && from == 7) return ValueRange{0, to};
  return ValueRange{from, to + rule.last - rule.min + 1};
}

// One item of a list: *, 5, 1-5, */15, L, …
Result<void> read_item(FieldText& field, const PartRule& rule, Cron& cron, std::uint64_t& bits,
                       bool& any) {
  const bool is_day = rule.part == CronPart::kDay || rule.part == CronPart::kWeekday;
  ValueRange range{rule.min, rule.last};
  const bool star = field.take('*') || (is_day && field.take('?'));
  if (!star) {
    if (rule.part == CronPart::kDay && field.take('L')) return read_last_day(field, cron);
    TRY(const int from, read_value(field, rule));
    TRY(const bool special, read_day_sign(field, rule, from, cron));
    if (special) return {};
    TRY(range, read_range(field, rule, from));
  }
  int step = 1;
  if (field.take('/')) {
    TRY(step, read_step(field, rule));
    if (range.open) range.to = std::max(range.from, rule.last);
  }
  any = any || (star && step == 1);
  const int span = rule.last - rule.min + 1;
  for (int value = range.from; value <= range.to; value += step) {
    bits |= 1ULL << (rule.min + (value - rule.min) % span);
  }
  return {};
}

Result<void> read_field(FieldText field, const PartRule& rule, Cron& cron, std::uint64_t& bits,
                        bool& any) {
  for (;;) {
    TRY_VOID(read_item(field, rule, cron, bits, any));
    if (field.done()) return {};
    if (!field.take(',')) {
      return fail_at(field.at, fmt::format("{} doesn't belong into the {}; allowed is {}, lists "
                                           "(1,2), ranges (1-5) and steps (*/2)",
                                           shown(field), rule.name, rule.allowed));
    }
  }
}

struct FieldList {
  std::array<FieldText, 6> fields;
  std::size_t count = 0;
};

Result<FieldList> split_fields(std::string_view text) {
  FieldList list;
  for (std::size_t at = 0; at < text.size();) {
    if (is_blank(text[at])) {
      ++at;
      continue;
    }
    if (list.count == list.fields.size()) {
      return fail_at(at, "that is more than six fields (second minute hour day month weekday)");
    }
    const std::size_t end = std::min(text.find_first_of(" \t", at), text.size());
    list.fields.at(list.count++) = {text, at, end};
    at = end;
  }
  if (list.count < 5) {
    return fail_at(text.size(),
                   fmt::format("{} of five fields (minute hour day month weekday); a sixth in "
                               "front of them is the second",
                               list.count));
  }
  return list;
}

Result<Cron> parse_nickname(std::string_view text) {
  const std::size_t start = text.find('@');
  for (const Nickname& one : kNicknames) {
    if (iequals_ascii(trim(text), one.name)) return parse_cron(one.meaning);
  }
  return fail_at(start,
                 "allowed is @yearly, @annually, @monthly, @weekly, @daily, @midnight or @hourly");
}

// What repeats in the calendar at all repeats within 40 years: a 29 February that is a Monday,
// around a century without one.
bool ever_matches(const Cron& cron) {
  for (int year = 2000; year < 2048; ++year) {
    for (int month = 1; month <= 12; ++month) {
      if ((cron.months >> month & 1) != 0 && matching_days(cron, year, month) != 0) return true;
    }
  }
  return false;
}

}  // namespace

Result<Cron> parse_cron(std::string_view text) {
  if (text.size() > kLongestCron) {
    return fail_at(kLongestCron, fmt::format("that is more than {} characters", kLongestCron));
  }
  if (trim(text).starts_with('@')) return parse_nickname(text);
  TRY(const FieldList list, split_fields(text));
  Cron cron;
  const std::size_t first = kParts.size() - list.count;
  if (first == 0) cron.seconds = 0;
  bool any = false;
  const std::array<std::uint64_t*, 6> sets{&cron.seconds, &cron.minutes, &cron.hours,
                                           &cron.days,    &cron.months,  &cron.weekdays};
  const std::array<bool*, 6> anys{&any, &any, &any, &cron.any_day, &any, &cron.any_weekday};
  for (std::size_t i = first; i < kParts.size(); ++i) {
    TRY_VOID(read_field(list.fields.at(i - first), kParts.at(i), cron, *sets.at(i), *anys.at(i)));
  }
  const FieldText& minute = list.fields.at(1 - first);
  const FieldText& hour = list.fields.at(2 - first);
  const FieldText& day = list.fields.at(3 - first);
  cron.fixed_time = !minute.rest().contains('*') && !hour.rest().contains('*');
  if (!ever_matches(cron)) return fail_at(day.at, "never due: no day of any year fits");
  return cron;
}

}  // namespace rouse
