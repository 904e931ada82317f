// 90 virtual days of heartbeats in Berlin, over a change of the clocks: one by day, one over
// midnight, one whose hours begin inside of the change. People write at random, models hang, refuse
// and leak their tokens in every form, and the power fails in the middle of any write. Each due
// instant of the calendar has exactly one disposition; what was carried out is in the activity log
// once; spend stays under the cap; no token reaches anybody; no beat outside of its hours or inside
// of a turn; wakes go where they were configured (HB-1, HB-3 to HB-5, HB-7, HB-8, HB-10, HB-12,
// HB-14, HB-16, S2-31).
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include "tests/sim/heartbeat_life.h"

namespace rouse::sim {
namespace {

constexpr int kDays = kSlowBuild ? 20 : 90;
constexpr int kPeople = 3;
constexpr const char* kZone = "Europe/Berlin";
constexpr const char* kSpring = "2026-03-01T05:00:00.000Z";  // the clocks change on March 29
constexpr const char* kSpringSoon = "2026-03-20T05:00:00.000Z";
constexpr const char* kAutumn = "2026-10-10T05:00:00.000Z";  // and on October 25

constexpr const char* kOrders =
    "# What to look after\n"
    "- check: failed_runs\n- check: unanswered_questions 4h\n"
    "- Say if something that was begun is not finished (on change)\n"
    "- Is there a meeting in the next 30 minutes?\n";

std::vector<WantedBeat> three_beats() {
  return {{"day", "07:00", "23:00", 30, "api:p0", 8'000, 0},
          {"night", "22:00", "06:00", 45, "api:p1", 0, 6},
          {"dawn", "02:30", "05:00", 20, "", 0, 0}};
}

struct Days {
  Days(std::uint64_t seed, const char* begins, std::vector<WantedBeat> beats)
      : life(seed, *from_iso(begins), kZone, std::move(beats), kOrders), random(life.random()) {
    for (int peer = 0; peer < kPeople; ++peer) life.chat(peer);
  }

  void something_goes_wrong() {
    const Millis down = random.below(4) == 0 ? hours(1 + below(30)) : minutes(below(20));
    if (random.below(4) == 0) return life.restart(down);
    life.die_soon();
    for (int i = 0; i < 2 && life.alive(); ++i) life.chat(static_cast<int>(random.below(kPeople)));
    if (life.alive()) life.wait(hours(2));
    life.die_and_come_back(down);
  }

  // Parts of uneven length, so that people write in the middle of beats, too.
  void a_day() {
    const WallTime until = life.now() + days(1);
    while (life.now() < until) {
      life.wait(minutes(20 + below(300)));
      switch (random.below(12)) {
        case 0:
          something_goes_wrong();
          break;
        case 1:
          life.beat_by_hand();
          break;
        case 2:
          life.mend_the_key();
          break;
        default:
          life.chat(static_cast<int>(random.below(kPeople)));
          break;
      }
      if (random.below(3) == 0) life.call_off_turns();
    }
  }
  std::int64_t below(std::uint64_t bound) { return static_cast<std::int64_t>(random.below(bound)); }

  HeartbeatLife life;
  SeededRandom& random;
};

void live_through(std::uint64_t seed, const char* begins, int length,
                  std::vector<WantedBeat> beats = three_beats()) {
  SCOPED_TRACE(fmt::format("seed {}", seed));
  Days days(seed, begins, std::move(beats));
  for (int day = 1; day <= length && !testing::Test::HasFailure(); ++day) {
    days.a_day();
    if (day % 10 == 0) days.life.check(fmt::format("day {}", day));
  }
  days.life.be_kind();
  days.life.call_off_turns();
  days.life.mend_the_key();
  days.life.wait(hours(26));
  // The one that is under way just now ends soon.
  constexpr std::string_view kOpen = "SELECT COUNT(*) FROM occurrences WHERE ended_ms IS NULL";
  for (int i = 0; i < 15 && days.life.count(kOpen) > 0; ++i) days.life.wait(minutes(1));
  EXPECT_EQ(days.life.count(kOpen), 0) << days.life.open_ones();
  days.life.check("at the end");
  EXPECT_GT(days.life.questions(), static_cast<std::size_t>(length));
  EXPECT_GT(days.life.count("SELECT COUNT(*) FROM turns WHERE kind = 'heartbeat_wake'"), 0);
  EXPECT_GT(days.life.count("SELECT COUNT(*) FROM notifications"), 0);
  EXPECT_GT(days.life.count("SELECT COUNT(*) FROM activity WHERE type = 'message'"), 0);
  EXPECT_GT(days.life.lives(), 3U);
}

TEST(HeartbeatDays, NinetyDaysOverASpringInBerlin) {
  live_through(7, kSlowBuild ? kSpringSoon : kSpring, kDays);
}

// HB-14: one alone remembers everything that was said.
TEST(HeartbeatDays, AnAutumnIsNoDifferent) {
  live_through(8, kAutumn, kDays / 3, {{"solo", "22:00", "06:00", 30, "api:p1", 6'000, 0}});
}

// For whoever has the time: --gtest_also_run_disabled_tests.
TEST(HeartbeatDays, DISABLED_ManyMoreDays) {
  for (std::uint64_t seed = 100; seed < 130 && !testing::Test::HasFailure(); ++seed) {
    live_through(seed, seed % 2 == 0 ? kSpring : kAutumn, 40);
  }
}

// S2-32: 32 beats between 07:00 and 23:00, and none of them asks anybody anything.
TEST(HeartbeatDays, AnIdleDayCostsNothing) {
  HeartbeatLife life(3, *from_iso("2026-06-01T00:00:00.000Z"), kZone,
                     {{"day", "07:00", "23:00", 30, "", 0, 0}}, std::string(shipped_orders()));
  life.be_kind();
  life.wait(days(1));  // the first may look: everything is new to it
  const std::size_t asked = life.questions();
  const std::int64_t beats = life.count("SELECT COUNT(*) FROM activity WHERE type = 'heartbeat'");
  life.wait(days(1));
  EXPECT_EQ(life.questions(), asked);
  EXPECT_EQ(life.count("SELECT COUNT(*) FROM activity WHERE type = 'heartbeat'") - beats, 32);
  life.check("after it");
}

// HB-10: the calendar of this test is not the product's.
TEST(HeartbeatDays, TheCalendarOfThisTestKnowsTheNightsOfTheChange) {
  const WantedBeat dawn{"dawn", "02:30", "05:00", 20};
  const auto first = [&](const char* after) {
    return to_iso(WallTime{
        calendar_dues(dawn, kZone, *from_iso(after), *from_iso(after) + hours(30)).front()});
  };
  EXPECT_EQ(first("2026-03-28T12:00:00.000Z"), "2026-03-29T01:00:00.000Z");
  EXPECT_EQ(first("2026-10-24T12:00:00.000Z"), "2026-10-25T00:30:00.000Z");
  const WantedBeat night{"night", "22:00", "06:00", 45};
  const auto over = [&](const char* after) {
    return calendar_dues(night, kZone, *from_iso(after), *from_iso(after) + hours(20)).size();
  };
  EXPECT_EQ(over("2026-03-27T12:00:00.000Z"), 11U);
  EXPECT_EQ(over("2026-03-28T12:00:00.000Z"), 10U);  // seven hours
  EXPECT_EQ(over("2026-10-24T12:00:00.000Z"), 12U);  // nine
}

}  // namespace
}  // namespace rouse::sim
