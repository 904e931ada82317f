#include "schedule/time/schedule.h"

#include <gtest/gtest.h>

namespace rouse {
namespace {

WallTime at(std::string_view iso) { return from_iso(iso).value(); }

Schedule cron(std::string expr, std::string zone = "UTC") {
  return {.kind = ScheduleKind::kCron, .expr = std::move(expr), .zone = std::move(zone)};
}
Schedule every(Millis period, std::string_view anchor) {
  return {.kind = ScheduleKind::kEvery, .every = period, .anchor = at(anchor)};
}
Schedule once(std::string_view when) { return {.kind = ScheduleKind::kAt, .at = at(when)}; }

// The instants that are due in a span, as text, so that a failure is readable.
std::vector<std::string> fires(const Schedule& schedule, std::string_view from,
                               std::string_view until) {
  std::vector<std::string> out;
  for (auto due = next_due(schedule, at(from) - millis(1)); due && *due < at(until);
       due = next_due(schedule, *due)) {
    out.push_back(to_iso(*due).substr(0, 16) + "Z");
  }
  return out;
}
using Fires = std::vector<std::string>;

std::string refusal(const Schedule& schedule) {
  const auto checked = check_schedule(schedule, at("2026-11-15T12:00:00.000Z"));
  return checked ? "" : checked.error().message;
}

// CR-23: each row of the table, over the local day and the next.
TEST(ScheduleDst, AFixedTimeInAGapIsDueOnceAtTheEndOfTheGap) {
  const Schedule job = cron("30 2 * * *", "America/New_York");
  EXPECT_EQ(fires(job, "2026-03-08T05:00:00Z", "2026-03-10T04:00:00Z"),
            (Fires{"2026-03-08T07:00Z", "2026-03-09T06:30Z"}));
}

TEST(ScheduleDst, AFixedTimeThatTheClockShowsTwiceIsDueTheFirstTime) {
  const Schedule job = cron("30 1 * * *", "America/New_York");
  EXPECT_EQ(fires(job, "2026-11-01T04:00:00Z", "2026-11-03T05:00:00Z"),
            (Fires{"2026-11-01T05:30Z", "2026-11-02T06:30Z"}));
}

TEST(ScheduleDst, AnIntervalFollowsRealTime) {
  const Schedule job = cron("*/15 * * * *", "America/New_York");
  const auto span = [&](std::string_view from, std::string_view until) {
    return dues_between(job, at(from) - millis(1), at(until) - millis(1), 1000).count;
  };
  EXPECT_EQ(span("2026-03-08T05:00:00Z", "2026-03-09T04:00:00Z"), 92);
  EXPECT_EQ(span("2026-11-01T04:00:00Z", "2026-11-02T05:00:00Z"), 100);
}

TEST(ScheduleDst, AHalfHourGapAndAHalfHourRepeat) {
  EXPECT_EQ(fires(cron("15 2 * * *", "Australia/Lord_Howe"), "2026-10-03T13:30:00Z",
                  "2026-10-04T13:00:00Z"),
            (Fires{"2026-10-03T15:30Z"}));
  EXPECT_EQ(fires(cron("45 1 * * *", "Australia/Lord_Howe"), "2026-04-04T13:00:00Z",
                  "2026-04-05T13:30:00Z"),
            (Fires{"2026-04-04T14:45Z"}));
}

TEST(ScheduleDst, AMidnightThatDoesNotExistAndADayThatEndsTwice) {
  EXPECT_EQ(
      fires(cron("0 0 * * *", "America/Santiago"), "2026-09-06T03:00:00Z", "2026-09-07T02:00:00Z"),
      (Fires{"2026-09-06T04:00Z"}));
  EXPECT_EQ(fires(cron("30 23 * * *", "America/Santiago"), "2026-04-04T03:00:00Z",
                  "2026-04-05T04:00:00Z"),
            (Fires{"2026-04-05T02:30Z"}));
}

TEST(ScheduleDst, ATimeInTheRepeatedHourOfRamadanHasANextOne) {
  const Schedule job = cron("5 2 15 2 *", "Africa/Casablanca");
  EXPECT_EQ(fires(job, "2026-02-14T23:00:00Z", "2026-02-16T00:00:00Z"),
            (Fires{"2026-02-15T01:05Z"}));
  EXPECT_TRUE(next_due(job, at("2026-02-15T01:05:00Z")));
}

// Pacific/Apia went from the 29th straight to the 31st.
TEST(ScheduleDst, ADayThatAZoneSkippedIsDueOnceAtItsEnd) {
  EXPECT_EQ(
      fires(cron("0 10 * * *", "Pacific/Apia"), "2011-12-29T10:00:00Z", "2012-01-01T00:00:00Z"),
      (Fires{"2011-12-29T20:00Z", "2011-12-30T10:00Z", "2011-12-30T20:00Z", "2011-12-31T20:00Z"}));
  EXPECT_EQ(fires(cron("0 10,14 30 12 *", "Pacific/Apia"), "2011-12-01T00:00:00Z",
                  "2012-12-01T00:00:00Z"),
            (Fires{"2011-12-30T10:00Z"}));
  EXPECT_EQ(
      fires(cron("0 * 30 12 *", "Pacific/Apia"), "2011-12-01T00:00:00Z", "2012-12-01T00:00:00Z"),
      Fires{});
}

TEST(ScheduleDst, HourListsAreFixedTimes) {
  const Schedule job = cron("0,30 1,2,3 * * *", "America/New_York");
  EXPECT_EQ(
      fires(job, "2026-03-08T05:00:00Z", "2026-03-09T04:00:00Z"),
      (Fires{"2026-03-08T06:00Z", "2026-03-08T06:30Z", "2026-03-08T07:00Z", "2026-03-08T07:30Z"}));
  EXPECT_EQ(fires(job, "2026-11-01T04:00:00Z", "2026-11-02T05:00:00Z"),
            (Fires{"2026-11-01T05:00Z", "2026-11-01T05:30Z", "2026-11-01T07:00Z",
                   "2026-11-01T07:30Z", "2026-11-01T08:00Z", "2026-11-01T08:30Z"}));
}

TEST(ScheduleDst, AWildcardTakesBothPassesOfARepeatedHour) {
  EXPECT_EQ(
      fires(cron("50 * * * *", "America/New_York"), "2026-11-01T05:00:00Z", "2026-11-01T08:00:00Z"),
      (Fires{"2026-11-01T05:50Z", "2026-11-01T06:50Z", "2026-11-01T07:50Z"}));
  // Asked in the middle of the first pass, after the last match of it.
  EXPECT_EQ(fires(cron("*/10 1 * * *", "America/New_York"), "2026-11-01T05:45:00Z",
                  "2026-11-01T06:15:00Z"),
            (Fires{"2026-11-01T05:50Z", "2026-11-01T06:00Z", "2026-11-01T06:10Z"}));
}

TEST(ScheduleDst, TheSecondsFieldHasNoSayInWhatIsFixed) {
  EXPECT_EQ(fires(cron("*/20 30 2 * * *", "America/New_York"), "2026-03-08T05:00:00Z",
                  "2026-03-09T04:00:00Z"),
            (Fires{"2026-03-08T07:00Z"}));
  EXPECT_EQ(fires(cron("*/30 30 1 * * *", "America/New_York"), "2026-11-01T04:00:00Z",
                  "2026-11-02T04:00:00Z"),
            (Fires{"2026-11-01T05:30Z", "2026-11-01T05:30Z"}));
}

TEST(Schedule, ATimeThatTheZoneAlwaysSkipsIsRefused) {
  EXPECT_NE(refusal(cron("*/30 2 * 3 0#2", "America/New_York")).find("always skip"),
            std::string::npos);
  EXPECT_EQ(refusal(cron("30 2 * 3 0#2", "America/New_York")), "");
}

// CR-11
TEST(Schedule, FarDatesAreFound) {
  EXPECT_EQ(next_due(cron("0 9 1 3 *"), at("2026-04-30T00:00:00Z")), at("2027-03-01T09:00:00Z"));
  EXPECT_EQ(next_due(cron("0 0 29 2 *"), at("2096-03-01T00:00:00Z")), at("2104-02-29T00:00:00Z"));
  EXPECT_EQ(next_due(cron("0 0 * 2 1#5"), at("2096-03-01T00:00:00Z")), at("2112-02-29T00:00:00Z"));
  EXPECT_EQ(next_due(cron("0 8 * * *", "Europe/Berlin"), at("2500-07-01T00:00:00Z")),
            at("2500-07-01T06:00:00Z"));
}

TEST(Schedule, TheEndsOfTimeOverflowNothing) {
  const WallTime least{std::numeric_limits<std::int64_t>::min()};
  const WallTime most{std::numeric_limits<std::int64_t>::max()};
  for (const std::string zone : {"UTC", "Pacific/Kiritimati", "America/New_York"}) {
    for (const std::string expr : {"0 0 * * *", "* * * * * *"}) {
      EXPECT_TRUE(next_due(cron(expr, zone), least));
      EXPECT_FALSE(next_due(cron(expr, zone), most));
    }
  }
  Schedule period = every(millis(most.unix_ms), "2026-01-01T00:00:00Z");
  EXPECT_FALSE(next_due(period, at("2026-01-01T00:00:00Z")));
  period.every = seconds(1);
  EXPECT_EQ(next_due(period, least), at("2026-01-01T00:00:01Z"));
  EXPECT_FALSE(next_due(period, most));
  EXPECT_EQ(dues_between(period, least, most, 5).last, at("2026-01-01T00:00:05Z"));
  period.anchor = least;
  EXPECT_FALSE(next_due(period, least));
  EXPECT_EQ(next_due(once("2026-01-01T00:00:00Z"), least), at("2026-01-01T00:00:00Z"));
  EXPECT_EQ(next_due(cron("30 1 1 1 *"), at("1931-06-01T00:00:00Z")), at("1932-01-01T01:30:00Z"));
}

TEST(Schedule, APeriodCountsFromItsAnchor) {
  const Schedule job = every(minutes(90), "2026-11-15T08:00:00Z");
  EXPECT_EQ(next_due(job, at("2026-11-15T01:00:00Z")), at("2026-11-15T09:30:00Z"));
  EXPECT_EQ(next_due(job, at("2026-11-15T09:30:00Z")), at("2026-11-15T11:00:00Z"));
  EXPECT_EQ(next_due(job, at("2026-11-15T09:29:59.999Z")), at("2026-11-15T09:30:00Z"));
  const DueSpan span = dues_between(job, at("2026-11-15T09:30:00Z"), at("2026-11-15T14:00:00Z"), 9);
  EXPECT_EQ(span.count, 3);
  EXPECT_EQ(span.first, at("2026-11-15T11:00:00Z"));
  EXPECT_EQ(span.last, at("2026-11-15T14:00:00Z"));
  EXPECT_EQ(dues_between(job, at("2026-11-15T09:30:00Z"), at("2026-11-15T09:30:00Z"), 9).count, 0);
  EXPECT_EQ(dues_between(job, at("2026-11-15T09:30:00Z"), at("2026-11-15T14:00:00Z"), 2).last,
            at("2026-11-15T12:30:00Z"));
}

TEST(Schedule, AnInstantIsDueOnce) {
  const Schedule job = once("2026-11-16T08:00:00.250Z");
  EXPECT_EQ(next_due(job, at("2026-11-16T08:00:00.249Z")), at("2026-11-16T08:00:00.250Z"));
  EXPECT_FALSE(next_due(job, at("2026-11-16T08:00:00.250Z")));
  EXPECT_EQ(dues_between(job, at("2026-11-16T08:00:00Z"), at("2026-11-16T09:00:00Z"), 5).count, 1);
}

TEST(Schedule, ASpanCountsAndStopsAtItsLimit) {
  const Schedule job = cron("0 * * * *");
  const DueSpan span =
      dues_between(job, at("2026-01-01T00:00:00Z"), at("2026-01-02T00:00:00Z"), 100);
  EXPECT_EQ(span.count, 24);
  EXPECT_EQ(span.first, at("2026-01-01T01:00:00Z"));
  EXPECT_EQ(span.last, at("2026-01-02T00:00:00Z"));
  const DueSpan cut = dues_between(job, at("2026-01-01T00:00:00Z"), at("2026-01-02T00:00:00Z"), 10);
  EXPECT_EQ(cut.count, 10);
  EXPECT_EQ(cut.last, at("2026-01-01T10:00:00Z"));
}

// CR-22
TEST(Schedule, WhatCannotBeKeptIsRefusedWithTheReason) {
  EXPECT_EQ(refusal(cron("0 8 * * *", "Europe/Berlin")), "");
  EXPECT_EQ(refusal(cron("0 8 * * *", "Mars/Olympus")),
            "there is no time zone 'Mars/Olympus'; use a name like Europe/Berlin or UTC");
  EXPECT_EQ(refusal(cron("0 8 * *")),
            "cron expression, column 8: 4 of five fields (minute hour day month weekday); a sixth "
            "in front of them is the second");
  EXPECT_EQ(refusal(every(millis(999), "2026-01-01T00:00:00Z")),
            "a period is at least 1 s, not 999 ms");
  EXPECT_EQ(refusal(once("2026-11-15T12:00:00Z")),
            "2026-11-15T12:00:00.000Z is in the past; it is 2026-11-15T12:00:00.000Z now");
  EXPECT_EQ(refusal(once("2026-11-15T12:00:00.001Z")), "");
}

TEST(Schedule, KindsHaveNames) {
  for (const auto kind : {ScheduleKind::kAt, ScheduleKind::kEvery, ScheduleKind::kCron}) {
    EXPECT_EQ(parse_schedule_kind(schedule_kind_name(kind)), kind);
  }
  EXPECT_FALSE(parse_schedule_kind("never"));
}

// HB-10
TEST(ScheduleHours, APeriodMayKeepToHoursOfTheDayInItsZone) {
  Schedule beat = every(hours(8), "2026-03-28T12:00:00Z");
  beat.expr = "07:00-23:00";
  beat.zone = "Europe/Berlin";
  EXPECT_EQ(fires(beat, "2026-03-01T00:00:00Z", "2026-03-30T00:00:00Z"),
            (Fires{"2026-03-28T14:00Z", "2026-03-29T05:00Z", "2026-03-29T13:00Z"}));
  const DueSpan span =
      dues_between(beat, at("2026-03-28T00:00:00Z"), at("2026-03-30T00:00:00Z"), 10);
  EXPECT_EQ(span.count, 3);
  EXPECT_EQ(span.last, at("2026-03-29T13:00:00Z"));
  beat.expr = "07:00-07:00";
  EXPECT_NE(refusal(beat), "");
  beat.expr = "07:00-08:00";
  beat.zone = "Nowhere/At_All";
  EXPECT_NE(refusal(beat), "");
}

}  // namespace
}  // namespace rouse
