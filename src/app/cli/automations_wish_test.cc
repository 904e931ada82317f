#include "app/cli/automations_wish.h"

#include <gtest/gtest.h>

namespace rouse::cli {
namespace {

constexpr WallTime kNow{1'800'000'000'000};  // 2027-01-15T08:00:00Z

TEST(AutomationsWish, ACreationSaysOnlyWhatWasSaid) {
  AutomationWords words{.session = "work", .message = "report", .cron = "0 8 * * 1-5"};
  EXPECT_EQ(creation_body(words, kNow).value(),
            R"({"message":"report","session_key":"work",)"
            R"("schedule":{"kind":"cron","expr":"0 8 * * 1-5"}})");
  words.zone = "Europe/Berlin";
  words.isolated = words.notify = words.paused = true;
  words.timeout = "10m";
  words.gate = "test -e x";
  words.key = "k";
  words.tools = {"shell"};
  EXPECT_EQ(creation_body(words, kNow).value(),
            R"({"message":"report","session_key":"work",)"
            R"("schedule":{"kind":"cron","expr":"0 8 * * 1-5","tz":"Europe/Berlin"},)"
            R"("timeout_ms":600000,"gate":{"command":"test -e x","timeout_ms":30000},)"
            R"("output":{"notify":true},"tools":["shell"],"key":"k","isolated":true,)"
            R"("enabled":false})");
}

TEST(AutomationsWish, AMomentFromNowIsMadeAnInstant) {
  const AutomationWords words{.message = "call mum", .at = "+20m"};
  EXPECT_EQ(creation_body(words, kNow).value(),
            R"({"message":"call mum","schedule":{"kind":"at","at":"2027-01-15T08:20:00.000Z"}})");
}

TEST(AutomationsWish, ItMustBeSaidWhenAndOnlyOnce) {
  EXPECT_FALSE(creation_body({.message = "x"}, kNow));
  EXPECT_FALSE(creation_body({.message = "x", .cron = "@daily", .every = "2h"}, kNow));
  EXPECT_FALSE(creation_body({.message = "x", .every = "often"}, kNow));
  EXPECT_FALSE(creation_body({.message = "x", .at = "+soon"}, kNow));
}

TEST(AutomationsWish, AnEditNeedsSomethingToChange) {
  EXPECT_FALSE(edit_body({}, kNow));
  EXPECT_FALSE(edit_body({.zone = "UTC"}, kNow));
  EXPECT_EQ(edit_body({.every = "2h"}, kNow).value(),
            R"({"schedule":{"kind":"every","every_ms":7200000}})");
}

}  // namespace
}  // namespace rouse::cli
