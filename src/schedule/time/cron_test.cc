#include "schedule/time/cron.h"

#include <gtest/gtest.h>

namespace rouse {
namespace {

std::string refusal(std::string_view text) {
  const auto cron = parse_cron(text);
  return cron ? "accepted" : cron.error().message;
}

// The next instants in UTC, to the minute.
std::vector<std::string> next(std::string_view text, std::string_view after, std::size_t count) {
  const Cron cron = parse_cron(text).value();
  std::vector<std::string> out;
  for (WallTime at = from_iso(after).value(); out.size() < count;) {
    at = next_match(cron, absl::UTCTimeZone(), at).value();
    out.push_back(to_iso(at).substr(0, 16));
  }
  return out;
}
using Times = std::vector<std::string>;
constexpr std::string_view kNewYear = "2026-01-01T00:00:00Z";

bool same(std::string_view a, std::string_view b) {
  const auto left = parse_cron(a), right = parse_cron(b);
  return left && right && *left == *right;
}

// S2-35
TEST(Cron, ListsRangesAndStepsOfTheSeeds) {
  EXPECT_EQ(next("0 8 * * *", kNewYear, 2), (Times{"2026-01-01T08:00", "2026-01-02T08:00"}));
  EXPECT_EQ(next("0 10,14 * * 1-5", "2026-01-02T10:00:00Z", 2),
            (Times{"2026-01-02T14:00", "2026-01-05T10:00"}));
  EXPECT_EQ(next("0 18 * * 5", kNewYear, 2), (Times{"2026-01-02T18:00", "2026-01-09T18:00"}));
  EXPECT_EQ(next("5-20/5 1 * * *", kNewYear, 5),
            (Times{"2026-01-01T01:05", "2026-01-01T01:10", "2026-01-01T01:15", "2026-01-01T01:20",
                   "2026-01-02T01:05"}));
  EXPECT_TRUE(same("10/20 * * * *", "10,30,50 * * * *"));
}

TEST(Cron, NamesAreReadInAnyCase) {
  EXPECT_TRUE(same("0 0 * jan,Feb MON-fri", "0 0 * 1,2 1-5"));
  EXPECT_TRUE(same("0 0 * DEC SAT,SUN", "0 0 * 12 6,0"));
}

TEST(Cron, SevenIsSundayAlsoInRanges) {
  EXPECT_TRUE(same("0 0 * * 7", "0 0 * * 0"));
  EXPECT_TRUE(same("0 0 * * 5-7", "0 0 * * 0,5,6"));
  EXPECT_TRUE(same("0 0 * * 7-2", "0 0 * * 0-2"));
  EXPECT_TRUE(same("0 0 * * 0-7", "0 0 * * 0-6"));
  EXPECT_TRUE(same("0 0 * * 1-7/3", "0 0 * * 1,4,0"));
}

TEST(Cron, ARangeMayRunOverTheEndButNotOfAMonth) {
  EXPECT_TRUE(same("0 22-2 * * *", "0 22,23,0,1,2 * * *"));
  EXPECT_TRUE(same("0 22-4/2 * * *", "0 22,0,2,4 * * *"));
  EXPECT_TRUE(same("0 0 * NOV-FEB FRI-MON", "0 0 * 11,12,1,2 5,6,0,1"));
  EXPECT_EQ(refusal("0 0 25-5 * *"),
            "cron expression, column 8: a range of days goes up; write 25-31,1-5");
}

TEST(Cron, ASixthFieldInFrontIsTheSecond) {
  const Cron cron = parse_cron("15,45 0 8 * * *").value();
  EXPECT_EQ(cron.seconds, (1ULL << 15) | (1ULL << 45));
  const auto first = next_match(cron, absl::UTCTimeZone(), from_iso(kNewYear).value());
  EXPECT_EQ(to_iso(first.value()), "2026-01-01T08:00:15.000Z");
}

TEST(Cron, DayOfMonthAndDayOfWeekAreAnOrWhenBothAreRestricted) {
  EXPECT_EQ(next("0 0 13 * 5", kNewYear, 3),
            (Times{"2026-01-02T00:00", "2026-01-09T00:00", "2026-01-13T00:00"}));
  EXPECT_EQ(next("0 0 ? * 5", kNewYear, 1), (Times{"2026-01-02T00:00"}));
  EXPECT_EQ(next("0 0 */1 * 5", kNewYear, 1), (Times{"2026-01-02T00:00"}));
  EXPECT_EQ(next("0 0 13 * ?", kNewYear, 1), (Times{"2026-01-13T00:00"}));
  EXPECT_EQ(next("0 0 */10 * 5", kNewYear, 3),
            (Times{"2026-01-02T00:00", "2026-01-09T00:00", "2026-01-11T00:00"}));
}

TEST(Cron, LastDays) {
  EXPECT_EQ(next("0 18 L * *", kNewYear, 3),
            (Times{"2026-01-31T18:00", "2026-02-28T18:00", "2026-03-31T18:00"}));
  EXPECT_EQ(next("0 18 L 2 *", "2027-03-01T00:00:00Z", 1), (Times{"2028-02-29T18:00"}));
  EXPECT_EQ(next("0 18 L-3 * *", kNewYear, 2), (Times{"2026-01-28T18:00", "2026-02-25T18:00"}));
  EXPECT_EQ(next("0 0 1,L * *", kNewYear, 2), (Times{"2026-01-31T00:00", "2026-02-01T00:00"}));
  EXPECT_EQ(next("0 0 * * 5L", kNewYear, 2), (Times{"2026-01-30T00:00", "2026-02-27T00:00"}));
  EXPECT_TRUE(same("0 0 * * FRIL", "0 0 * * 5L"));
  EXPECT_TRUE(same("0 0 * * FRI#L", "0 0 * * 5L"));
}

TEST(Cron, NearestWorkdaysStayInTheirMonth) {
  // 15 August 2026 is a Saturday, 15 November a Sunday, 1 August a Saturday, 31 May a Sunday.
  EXPECT_EQ(next("0 9 15W 8,11 *", kNewYear, 2), (Times{"2026-08-14T09:00", "2026-11-16T09:00"}));
  EXPECT_EQ(next("0 9 1W 8 *", kNewYear, 1), (Times{"2026-08-03T09:00"}));
  EXPECT_EQ(next("0 9 31W 5 *", kNewYear, 1), (Times{"2026-05-29T09:00"}));
  EXPECT_EQ(next("0 9 LW 5,6 *", kNewYear, 2), (Times{"2026-05-29T09:00", "2026-06-30T09:00"}));
  EXPECT_EQ(next("0 9 31W 4,5 *", kNewYear, 2), (Times{"2026-05-29T09:00", "2027-05-31T09:00"}));
}

TEST(Cron, TheNthWeekdayOfAMonth) {
  EXPECT_EQ(next("0 9 * * 1#2", kNewYear, 2), (Times{"2026-01-12T09:00", "2026-02-09T09:00"}));
  EXPECT_EQ(next("0 9 * * mon#1,FRI#5", kNewYear, 3),
            (Times{"2026-01-05T09:00", "2026-01-30T09:00", "2026-02-02T09:00"}));
}

TEST(Cron, NicknamesAreWhatTheyStandFor) {
  EXPECT_TRUE(same("@yearly", "0 0 1 1 *"));
  EXPECT_TRUE(same("@Annually", "0 0 1 1 *"));
  EXPECT_TRUE(same("@monthly", "0 0 1 * *"));
  EXPECT_TRUE(same("@weekly", "0 0 * * 0"));
  EXPECT_TRUE(same(" @daily ", "0 0 * * *"));
  EXPECT_TRUE(same("@midnight", "0 0 * * *"));
  EXPECT_TRUE(same("@hourly", "0 * * * *"));
  EXPECT_EQ(refusal("  @reboot"),
            "cron expression, column 3: allowed is @yearly, @annually, @monthly, @weekly, @daily, "
            "@midnight or @hourly");
}

TEST(Cron, AnErrorNamesTheColumnAndWhatIsAllowed) {
  EXPECT_EQ(refusal("61 * * * *"), "cron expression, column 1: '61' is no minute; allowed is 0-59");
  EXPECT_EQ(refusal("0  24 * * *"), "cron expression, column 4: '24' is no hour; allowed is 0-23");
  EXPECT_EQ(refusal("0 0 0 * *"),
            "cron expression, column 5: '0' is no day of month; allowed is 1-31, L, L-3, 15W or "
            "LW");
  EXPECT_EQ(refusal("0 0 * FOO *"),
            "cron expression, column 7: 'FOO' is no month; allowed is 1-12 or JAN-DEC");
  EXPECT_EQ(refusal("0 0 * * MON-FOO"),
            "cron expression, column 13: 'FOO' is no day of week; allowed is 0-7 or SUN-SAT (0 "
            "and 7 are Sunday), 5L or 1#2");
  EXPECT_EQ(refusal("0 0 * * 1#6"),
            "cron expression, column 11: '6' is no place in the month; allowed is 1-5");
  EXPECT_EQ(refusal("*/0 * * * *"),
            "cron expression, column 3: a step of the minute is 1-60; for a longer one use the "
            "kind 'every'");
  EXPECT_EQ(refusal("*/ * * * *"),
            "cron expression, column 3: nothing is no step; allowed is 1-60");
  EXPECT_EQ(refusal("1, * * * *"),
            "cron expression, column 3: nothing is no minute; allowed is 0-59");
  EXPECT_EQ(refusal("1.5 * * * *"),
            "cron expression, column 2: '.5' doesn't belong into the minute; allowed is 0-59, "
            "lists (1,2), ranges (1-5) and steps (*/2)");
  EXPECT_EQ(refusal("0 0 * * * * *"),
            "cron expression, column 13: that is more than six fields (second minute hour day "
            "month weekday)");
  EXPECT_EQ(refusal("? * * * *"), "cron expression, column 1: '?' is no minute; allowed is 0-59");
  EXPECT_TRUE(refusal("").starts_with("cron expression, column 1: 0 of five fields"));
  EXPECT_TRUE(refusal(std::string(300, '1')).starts_with("cron expression, column 257: "));
  EXPECT_TRUE(refusal("0 0 * * L").starts_with("cron expression, column 9: 'L' is no day of week"));
}

TEST(Cron, WhatNeverMatchesIsRefused) {
  for (const std::string_view text :
       {"0 0 30 2 *", "0 0 31 4,6,9,11 *", "0 0 30W 2 *", "0 0 L-30 2,4 *"}) {
    EXPECT_TRUE(refusal(text).ends_with("column 5: never due: no day of any year fits")) << text;
  }
  EXPECT_EQ(refusal("0 0 29 2 *"), "accepted");
  EXPECT_EQ(refusal("0 0 30 2 1"), "accepted");  // the Mondays of February
  EXPECT_EQ(refusal("0 0 * 2 1#5"), "accepted");
}

TEST(Cron, TheMomentItselfIsNotAfterItself) {
  const Cron cron = parse_cron("0 8 * * *").value();
  const auto after = [&](std::string_view iso) {
    return to_iso(next_match(cron, absl::UTCTimeZone(), from_iso(iso).value()).value());
  };
  EXPECT_EQ(after("2026-01-01T08:00:00.000Z"), "2026-01-02T08:00:00.000Z");
  EXPECT_EQ(after("2026-01-01T07:59:59.999Z"), "2026-01-01T08:00:00.000Z");
  EXPECT_EQ(after("1969-12-31T07:59:59.999Z"), "1969-12-31T08:00:00.000Z");
  EXPECT_EQ(after("1969-12-31T08:00:00.001Z"), "1970-01-01T08:00:00.000Z");
}

}  // namespace
}  // namespace rouse
