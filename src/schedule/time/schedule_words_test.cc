#include <gtest/gtest.h>

#include "schedule/time/schedule.h"

namespace rouse {
namespace {

WallTime at(std::string_view iso) { return from_iso(iso).value(); }

std::string words(std::string expr) {
  return schedule_words({.kind = ScheduleKind::kCron, .expr = std::move(expr)});
}
std::string period(Millis length) {
  return schedule_words({.kind = ScheduleKind::kEvery, .every = length});
}

TEST(ScheduleWords, TimesOfTheDay) {
  EXPECT_EQ(words("0 8 * * *"), "every day at 08:00");
  EXPECT_EQ(words("0 10,14 * * 1-5"), "every weekday at 10:00 and 14:00");
  EXPECT_EQ(words("0 9 * * MON"), "every Monday at 09:00");
  EXPECT_EQ(words("30 18 * * 5,1,0"), "every Monday, Friday and Sunday at 18:30");
  EXPECT_EQ(words("0,30 9 * * *"), "every day at 09:00 and 09:30");
  EXPECT_EQ(words("15 0 8 * * *"), "every day at 08:00:15");
  EXPECT_EQ(words("0 8 * 6-8 *"), "every day in June to August at 08:00");
  EXPECT_EQ(words("0 8 * 6 1"), "every Monday in June at 08:00");
}

TEST(ScheduleWords, DaysOfTheMonth) {
  EXPECT_EQ(words("0 8 1 * *"), "at 08:00 on the 1st of each month");
  EXPECT_EQ(words("0 8 1,2,3,15,22 * *"),
            "at 08:00 on the 1st to 3rd, 15th and 22nd of each month");
  EXPECT_EQ(words("0 18 L * *"), "on the last day of the month at 18:00");
  EXPECT_EQ(words("0 18 L-3,LW * *"),
            "on the 3rd day before the last and the last working day of the month at 18:00");
  EXPECT_EQ(words("0 9 15W * *"), "on the working day nearest to the 15th of the month at 09:00");
  EXPECT_EQ(words("0 9 1 3 *"), "at 09:00 on the 1st of March");
  EXPECT_EQ(words("0 9 */2 * *"), "at 09:00 on every 2nd day from the 1st of each month");
  EXPECT_EQ(words("0 9 * * 1#2"), "on the 2nd Monday of each month at 09:00");
  EXPECT_EQ(words("0 9 * * 5L"), "on the last Friday of each month at 09:00");
  EXPECT_EQ(words("0 0 13 * 5"), "at 00:00 on the 13th of each month and every Friday");
  EXPECT_EQ(words("@yearly"), "at 00:00 on the 1st of January");
}

TEST(ScheduleWords, Intervals) {
  EXPECT_EQ(words("* * * * *"), "every minute");
  EXPECT_EQ(words("* * * * * *"), "every second");
  EXPECT_EQ(words("*/10 * * * * *"), "every 10 seconds");
  EXPECT_EQ(words("*/15 * * * *"), "every 15 minutes");
  EXPECT_EQ(words("0 * * * *"), "every hour");
  EXPECT_EQ(words("0 */2 * * *"), "every 2 hours");
  EXPECT_EQ(words("0 */6 * * *"), "every 6 hours");
  EXPECT_EQ(words("0 0,12 * * *"), "every day at 00:00 and 12:00");
  EXPECT_EQ(words("30 * * * *"), "at 30 minutes past every hour");
  EXPECT_EQ(words("15 */2 * * *"), "at 15 minutes past every 2nd hour");
  EXPECT_EQ(words("*/15 9-17 * * 1-5"), "every 15 minutes from 09:00 to 17:45, every weekday");
  EXPECT_EQ(words("0 9-17 * * *"), "every hour from 09:00 to 17:00");
  EXPECT_EQ(words("*/30 * 1 * *"), "every 30 minutes, on the 1st of each month");
  EXPECT_EQ(words("*/5 * * 12 *"), "every 5 minutes in December");
}

TEST(ScheduleWords, OddOnesAreListedHonestly) {
  EXPECT_EQ(words("7,13,44 1,2,3,9 * * *"),
            "at 7, 13 and 44 minutes past every hour in the hours 1 to 3 and 9");
  EXPECT_EQ(words("5,10 3 * * * *"), "at the seconds 5 and 10 of the minutes 3");
  EXPECT_EQ(words("0 22-2 * * *"), "every day at 00:00, 01:00, 02:00, 22:00 and 23:00");
  EXPECT_EQ(words("*/7 * * * *"), "at 0, 7, 14, 21, 28, 35, 42, 49 and 56 minutes past every hour");
}

TEST(ScheduleWords, PeriodsAndInstants) {
  EXPECT_EQ(period(hours(2)), "every 2 hours");
  EXPECT_EQ(period(hours(1)), "every hour");
  EXPECT_EQ(period(minutes(90)), "every 90 minutes");
  EXPECT_EQ(period(seconds(90)), "every 90 seconds");
  EXPECT_EQ(period(days(1)), "every day");
  EXPECT_EQ(period(millis(1500)), "every 1500 milliseconds");
  EXPECT_EQ(schedule_words({.kind = ScheduleKind::kEvery,
                            .every = minutes(30),
                            .expr = "07:00-23:00",
                            .zone = "Europe/Berlin"}),
            "every 30 minutes between 07:00 and 23:00");
  const Schedule once{
      .kind = ScheduleKind::kAt, .at = at("2026-11-16T07:00:00Z"), .zone = "Europe/Berlin"};
  EXPECT_EQ(schedule_words(once), "once on Monday, 16 November 2026 at 08:00");
}

// CR-22
TEST(DueWords, AreInTheZoneAndInUtc) {
  const WallTime now = at("2026-06-05T12:00:00Z");
  EXPECT_EQ(due_words(at("2026-06-08T06:00:00Z"), "Europe/Berlin", now),
            "Mon 08:00 Europe/Berlin (06:00 UTC)");
  EXPECT_EQ(due_words(at("2026-11-16T07:00:00Z"), "Europe/Berlin", now),
            "Mon 16 Nov 2026 08:00 Europe/Berlin (07:00 UTC)");
  EXPECT_EQ(due_words(at("2026-06-06T22:30:10Z"), "Asia/Tokyo", now),
            "Sun 07:30:10 Asia/Tokyo (Sat 22:30:10 UTC)");
  EXPECT_EQ(due_words(at("2026-06-08T06:00:00Z"), "UTC", now), "Mon 06:00 UTC");
}

}  // namespace
}  // namespace rouse
