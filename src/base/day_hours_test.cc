#include "base/day_hours.h"

#include <vector>

#include <gtest/gtest.h>

namespace rouse {
namespace {

WallTime at(std::string_view iso) { return from_iso(iso).value(); }
DayHours part(std::string_view text) { return parse_day_hours(text).value(); }

std::vector<std::string> instants(std::string_view text, std::string_view zone, Millis every,
                                  std::string_view from, std::string_view until) {
  std::vector<std::string> out;
  for (auto due = next_within(part(text), zone, every, at(from) - millis(1));
       due && *due < at(until); due = next_within(part(text), zone, every, *due)) {
    out.push_back(to_iso(*due).substr(0, 16) + "Z");
  }
  return out;
}
using Instants = std::vector<std::string>;

// HB-10
TEST(DayHours, AreReadAndWrittenAsPeopleWriteThem) {
  EXPECT_EQ(hours_text(part("7:00-23:00")), "07:00-23:00");
  EXPECT_EQ(hours_words(part("22:30-06:05")), "between 22:30 and 06:05");
  EXPECT_EQ(part("08:00-24:00").to, 24 * 60);
}

TEST(DayHours, WhatIsNoPartOfADayIsRefusedInWords) {
  for (const std::string text : {"", "07:00", "07:00-", "7-23", "25:00-26:00", "07:60-08:00",
                                 "a:00-b:00", "07:00-23:00x", "24:01-03:00", "-1:00-03:00"}) {
    EXPECT_FALSE(parse_day_hours(text)) << text;
  }
  const auto never = parse_day_hours("07:00-07:00");
  ASSERT_FALSE(never);
  EXPECT_NE(never.error().message.find("leave the hours out"), std::string::npos);
}

TEST(DayHours, BeginWithTheFirstInstantAndEndBeforeTheLast) {
  const DayHours day = part("07:00-23:00");
  EXPECT_FALSE(is_within(day, "Europe/Berlin", at("2026-01-10T05:59:59.999Z")));
  EXPECT_TRUE(is_within(day, "Europe/Berlin", at("2026-01-10T06:00:00Z")));
  EXPECT_TRUE(is_within(day, "Europe/Berlin", at("2026-01-10T21:59:59.999Z")));
  EXPECT_FALSE(is_within(day, "Europe/Berlin", at("2026-01-10T22:00:00Z")));
}

TEST(DayHours, MayPassMidnight) {
  const DayHours night = part("22:00-06:00");
  EXPECT_TRUE(is_within(night, "UTC", at("2026-01-10T23:00:00Z")));
  EXPECT_TRUE(is_within(night, "UTC", at("2026-01-10T05:59:00Z")));
  EXPECT_FALSE(is_within(night, "UTC", at("2026-01-10T06:00:00Z")));
  EXPECT_EQ(end_of_hours(night, "UTC", at("2026-01-10T23:00:00Z")), at("2026-01-11T06:00:00Z"));
  EXPECT_EQ(end_of_hours(night, "UTC", at("2026-01-10T05:00:00Z")), at("2026-01-10T06:00:00Z"));
  EXPECT_EQ(
      instants("22:00-06:00", "UTC", hours(3), "2026-01-10T00:00:00Z", "2026-01-11T06:00:00Z"),
      (Instants{"2026-01-10T01:00Z", "2026-01-10T04:00Z", "2026-01-10T22:00Z", "2026-01-11T01:00Z",
                "2026-01-11T04:00Z"}));
}

// S2-32: sixteen hours of two beats are 32 a day, not 48.
TEST(DayHours, EveryHalfHourFromSevenToElevenAre32ADay) {
  for (const std::string day : {"2026-01-10", "2026-07-10", "2026-03-29", "2026-10-25"}) {
    EXPECT_EQ(instants("07:00-23:00", "Europe/Berlin", minutes(30), day + "T00:00:00Z",
                       day + "T22:30:00Z")
                  .size(),
              32u)
        << day;
  }
}

TEST(DayHours, OnTheNightOfAClockChangeRealTimePasses) {
  // 02:00 to 03:00 is skipped: the opening is the end of the gap.
  EXPECT_EQ(instants("02:30-05:00", "Europe/Berlin", hours(1), "2026-03-28T12:00:00Z",
                     "2026-03-29T12:00:00Z"),
            (Instants{"2026-03-29T01:00Z", "2026-03-29T02:00Z"}));
  // 02:00 to 03:00 comes twice: the opening is the first, and there is an hour more.
  EXPECT_EQ(instants("02:00-04:00", "Europe/Berlin", hours(1), "2026-10-24T12:00:00Z",
                     "2026-10-25T12:00:00Z"),
            (Instants{"2026-10-25T00:00Z", "2026-10-25T01:00Z", "2026-10-25T02:00Z"}));
}

TEST(DayHours, APeriodLongerThanTheHoursIsOnceADay) {
  EXPECT_EQ(
      instants("07:00-08:00", "UTC", hours(5), "2026-01-10T00:00:00Z", "2026-01-12T00:00:00Z"),
      (Instants{"2026-01-10T07:00Z", "2026-01-11T07:00Z"}));
}

}  // namespace
}  // namespace rouse
