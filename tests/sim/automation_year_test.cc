// 400 virtual days of jobs in odd zones: DST nights, a laptop that sleeps, clocks that are set,
// models that hang and fail, jobs that are made, edited, paused and removed, kills in the middle of
// any write, owners that take over. Each due instant is covered by exactly one disposition, runs
// match targets with no extras, and after the faults stop nothing stays on the way (CR-9, CR-10,
// CR-17, CR-19, CR-24, CR-30; robustness.md section 9).
#include <array>

#include <fmt/format.h>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include "tests/sim/automation_life.h"

namespace rouse::sim {
namespace {

constexpr int kDays = kSlowBuild ? 60 : 400;

constexpr std::array kZones{"America/New_York",  "Australia/Lord_Howe", "America/Santiago",
                            "Africa/Casablanca", "Asia/Kathmandu",      "Pacific/Apia",
                            "Europe/London",     "Pacific/Chatham",     "UTC"};
constexpr std::array kExpressions{"30 2 * * *",   "30 1 * * *",     "0 0 * * *",  "15 2 * * *",
                                  "45 1 * * *",   "0 */6 * * *",    "30 9 * * 1", "0 8 L * *",
                                  "*/30 2 * * *", "0 9,14 * * 1-5", "5 2 15 * *", "0 12 1W * *"};

struct Year {
  explicit Year(std::uint64_t seed)
      : life(seed, *from_iso("2026-03-01T00:00:00.000Z")), random(life.random()) {
    for (int peer = 0; peer < kPeers; ++peer) life.chat(peer);
    life.wait(minutes(30));
    for (int i = 0; i < 8; ++i) make_job();
  }

  template <std::size_t N>
  const char* one_of(const std::array<const char*, N>& all) {
    return all[random.below(N)];
  }
  std::int64_t number(std::uint64_t below) {
    return static_cast<std::int64_t>(random.below(below));
  }

  Schedule some_schedule() {
    Schedule out;
    out.zone = one_of(kZones);
    switch (random.below(5)) {
      case 0:
        out.kind = ScheduleKind::kEvery;
        out.every = minutes(60 + number(2000));
        break;
      case 1:
        out.kind = ScheduleKind::kAt;
        out.at = life.now() + minutes(1 + number(20'000));
        break;
      default:
        out.expr = one_of(kExpressions);
        break;
    }
    return out;
  }

  void make_job() {
    JobWish wish{.workspace = Workspaces::default_id(),
                 .message = "look after it",
                 .session_key = fmt::format("api:p{}", number(kPeers)),
                 .schedule = some_schedule()};
    wish.catch_up = static_cast<CatchUp>(random.below(3));
    wish.catch_up_max = 1 + number(4);
    wish.window = random.below(3) == 0 ? hours(2) : days(7);
    wish.timeout = minutes(1 + number(10));
    life.make_job(wish);
  }

  void somebody_does_something() {
    switch (random.below(16)) {
      case 0:
        if (life.dues().jobs() < 60) make_job();
        break;
      case 1:
        life.edit_some_job(some_schedule());
        break;
      case 2:
        life.pause_some_job();
        break;
      case 3:
        life.resume_some_job();
        break;
      case 4:
        if (random.below(6) == 0) life.remove_some_job();
        break;
      default:
        life.chat(static_cast<int>(random.below(kPeers)));
        break;
    }
  }

  void something_goes_wrong() {
    const Millis down = random.below(3) == 0 ? hours(1 + number(60)) : minutes(number(20));
    switch (random.below(8)) {
      case 0:
        life.restart(down);
        break;
      case 1:
        life.step_clock(minutes(-number(180)));
        break;
      case 2:
        life.step_clock(minutes(number(180)));
        break;
      case 3:
        life.hand_over();
        break;
      default:
        life.die_soon();
        for (int i = 0; i < 3 && life.alive(); ++i) somebody_does_something();
        if (life.alive()) life.wait(hours(8));
        life.die_and_come_back(down);
        break;
    }
  }

  void a_day() {
    const WallTime end = life.now() + days(1);
    for (int i = 0; i < 3; ++i) {
      somebody_does_something();
      life.wait(minutes(number(150)));
    }
    if (random.below(3) == 0) something_goes_wrong();
    if (life.now() >= end) return;
    if (random.below(4) == 0) {
      life.wait(end - life.now());  // awake all night
    } else {
      life.sleep(end - life.now());
    }
  }

  void come_to_rest() {
    life.be_kind();
    life.wait(days(1));
    life.resume_all_jobs();
    life.restart(minutes(1));
    life.wait(days(2));
    life.wait(seconds(37));
  }

  static constexpr int kPeers = 4;
  AutomationLife life;
  SeededRandom& random;
};

void live_through(std::uint64_t seed, int days_of_life) {
  Year year(seed);
  const WallTime end = year.life.now() + days(days_of_life);
  int day = 0;
  while (year.life.now() < end && !testing::Test::HasFailure()) {
    year.a_day();
    const std::string when =
        fmt::format("seed {}, day {}, {}", seed, ++day, to_iso(year.life.now()));
    year.life.dues().check_coverage(year.life.database(), when);
    if (day % 7 == 0) year.life.resume_all_jobs();
    if (day % 20 == 0) year.life.check(when);
  }
  if (testing::Test::HasFailure()) return;
  year.come_to_rest();
  year.life.check("at the end");
  expect_nothing_open(year.life.database(), "at the end");
  expect_session_invariants(year.life.database(), "at the end");
  EXPECT_GT(year.life.lives(), static_cast<std::size_t>(days_of_life / 15))
      << "the faults did happen";
  if (days_of_life >= 100) EXPECT_GT(year.life.fenced(), 0U);
  EXPECT_GT(year.life.dues().instants(), days_of_life * 5);
}

TEST(AutomationYear, EveryDueInstantHasItsOneDispositionThroughAllOfIt) {
  live_through(20'261'115, kDays);
}

// Who watches the watchman: a lost instant and a lost run are seen.
TEST(AutomationYear, AnInstantAndARunThatAreLostAreSeen) {
  AutomationLife life(5, *from_iso("2026-03-01T00:00:00.000Z"));
  life.be_kind();
  life.make_job({.workspace = Workspaces::default_id(),
                 .message = "look after it",
                 .session_key = "api:p0",
                 .schedule = {.expr = "0 * * * *"}});
  life.wait(hours(10));
  life.check("before");
  ASSERT_FALSE(testing::Test::HasFailure());
  const auto change = [&](std::string_view sql) {
    ASSERT_TRUE(life.world().run(life.database().write(Write{{{sql, {}, {}}}})));
  };
  change("DELETE FROM runs WHERE number = 5");
  EXPECT_NONFATAL_FAILURE(expect_runs_match_targets(life.database(), ""), "0 runs");
  change("DELETE FROM occurrences WHERE due_ms = (SELECT MIN(due_ms) + 7200000 FROM occurrences)");
  EXPECT_NONFATAL_FAILURE(life.dues().check_coverage(life.database(), ""), "job 1 (active");
}

TEST(AutomationYear, OtherYearsAreNoDifferent) {
  for (std::uint64_t seed = 1; seed <= 4 && !testing::Test::HasFailure(); ++seed) {
    live_through(seed, kDays / 10);
  }
}

// For whoever has the time: --gtest_also_run_disabled_tests.
TEST(AutomationYear, DISABLED_ManyMoreYears) {
  for (std::uint64_t seed = 100; seed < 160 && !testing::Test::HasFailure(); ++seed) {
    live_through(seed, kDays / 5);
  }
}

}  // namespace
}  // namespace rouse::sim
