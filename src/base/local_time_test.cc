#include "base/local_time.h"

#include <gtest/gtest.h>

namespace rouse {
namespace {

WallTime at(std::string_view iso) { return *from_iso(iso); }

TEST(LocalTime, ReadsADateAndAClockInAZone) {
  const LocalTime berlin = local_time(at("2026-11-15T04:40:07.000Z"), "Europe/Berlin");
  EXPECT_EQ(date_words(berlin), "Sunday, 15 November 2026");
  EXPECT_EQ(clock_words(berlin), "05:40");
  EXPECT_EQ(berlin.weekday, 7);
  EXPECT_EQ(zone_words("Europe/Berlin", berlin), "Europe/Berlin, UTC+1");
  const LocalTime kolkata = local_time(at("2026-11-15T20:40:00.000Z"), "Asia/Kolkata");
  EXPECT_EQ(date_words(kolkata), "Monday, 16 November 2026");
  EXPECT_EQ(zone_words("Asia/Kolkata", kolkata), "Asia/Kolkata, UTC+5:30");
  const LocalTime newfoundland = local_time(at("2026-11-15T20:40:00.000Z"), "America/St_Johns");
  EXPECT_EQ(zone_words("America/St_Johns", newfoundland), "America/St_Johns, UTC-3:30");
  EXPECT_EQ(zone_words("UTC", {}), "UTC");
}

TEST(LocalTime, AnUnknownZoneIsUtc) {
  EXPECT_EQ(clock_words(local_time(at("2026-11-15T04:40:00.000Z"), "Nowhere/Land")), "04:40");
}

TEST(LocalTime, FindsTheInstantOfALocalClock) {
  const WallTime now = at("2026-03-28T12:00:00.000Z");
  EXPECT_EQ(to_iso(at_local_clock(now, "Europe/Berlin", 0, 15, 30)), "2026-03-28T14:30:00.000Z");
  // 02:30 doesn't exist on the 29th: the gap ends at 01:00 UTC.
  EXPECT_EQ(to_iso(at_local_clock(now, "Europe/Berlin", 1, 2, 30)), "2026-03-29T01:00:00.000Z");
  EXPECT_EQ(to_iso(at_local_clock(now, "UTC", 4, 0, 0)), "2026-04-01T00:00:00.000Z");
}

TEST(LocalTime, KnowsTheZoneOfAPlace) {
  for (const auto& [place, zone] : {std::pair{"Tokyo", "Asia/Tokyo"},
                                    {"new york", "America/New_York"},
                                    {"america/new_york", "America/New_York"},
                                    {"Europe/Berlin", "Europe/Berlin"},
                                    {"SYDNEY", "Australia/Sydney"},
                                    {"utc", "UTC"},
                                    {"Germany", "Europe/Berlin"}}) {
    EXPECT_EQ(zone_of_place(place).value_or("-"), zone) << place;
  }
  for (const char* place : {"", "Atlantis", "../../etc/passwd", "/etc/localtime", "Europe"}) {
    EXPECT_EQ(zone_of_place(place), std::nullopt) << place;
  }
}

}  // namespace
}  // namespace rouse
