// The world in a box, for some hundred short seeds: people, jobs, heartbeats, channels, models,
// disk and clock, all of them at their worst, and what must hold holds. rouse-sim plays as many as
// there is time for.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "tests/sim/box/crew.h"
#include "tests/sim/box/shrink.h"
#include "tests/sim/kill_at_every_write.h"

namespace rouse::sim {
namespace {

constexpr std::size_t kSeeds = kSlowBuild ? 8 : 150;

std::string told(const Plan& plan, const Failure& failure) {
  return "seed " + std::to_string(plan.seed) + ", " + to_iso(failure.wall) + ": " +
         failure.invariant + ": " + failure.words;
}

TEST(Box, KeepsEveryPromiseForSomeHundredSeeds) {
  for (std::size_t i = 0; i < kSeeds; ++i) {
    const Plan plan = make_plan(700'000 + i, 1, "standard");
    const Outcome outcome = play(plan);
    ASSERT_FALSE(outcome.failure) << told(plan, *outcome.failure);
  }
}

TEST(Box, ThePlacesWhereOnlySomethingGoesWrongAreTriedAsWell) {
  for (const std::string& scenario : scenario_names()) {
    const Plan plan = make_plan(3, 1, scenario);
    const Outcome outcome = play(plan);
    ASSERT_FALSE(outcome.failure) << scenario << ", " << told(plan, *outcome.failure);
  }
}

TEST(Box, TheSameSeedIsTheSameRun) {
  const Outcome once = play(make_plan(21, 1, "standard"));
  const Outcome again = play(make_plan(21, 1, "standard"));
  EXPECT_EQ(once.digest, again.digest);
  EXPECT_EQ(once.counts.all(), again.counts.all());
  EXPECT_NE(once.digest, play(make_plan(22, 1, "standard")).digest);
}

TEST(Box, APlanIsTheSameAfterItWasWrittenDown) {
  Plan plan = make_plan(5, 2, "standard");
  plan.bug = "missing_fsync";
  const auto read = plan_from_text(to_text(plan));
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(*read, plan);
  EXPECT_FALSE(plan_from_text("at noon somebody sings 1 2"));
}

// Who watches the watchman.
TEST(Box, APlantedBugIsFoundAndShrunkToFewEvents) {
  Plan plan;
  Outcome outcome;
  for (std::uint64_t seed = 1; seed <= 40 && !outcome.failure; ++seed) {
    plan = make_plan(seed, 1, "deaths");
    plan.bug = "doubled_closure";
    outcome = play(plan);
  }
  ASSERT_TRUE(outcome.failure);
  const std::string invariant = outcome.failure->invariant;
  const auto still_fails = [&](const Plan& less) {
    const Outcome now = play(less);
    return now.failure && now.failure->invariant == invariant;
  };
  const Plan small = shrink(plan, *outcome.failure, still_fails, 60);
  EXPECT_LE(small.events.size(), 5U) << to_text(small);
  EXPECT_TRUE(still_fails(small));
}

// What was found once stays found out: a file without a planted bug must pass, one with must fail.
TEST(Box, WhatFailedOnceDoesNotFailAgain) {
  std::size_t files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(ROUSE_SOURCE_DIR "/tests/sim/regressions")) {
    std::ifstream file(entry.path());
    std::stringstream text;
    text << file.rdbuf();
    const auto plan = plan_from_text(text.str());
    ASSERT_TRUE(plan) << entry.path() << ": " << plan.error();
    const Outcome outcome = play(*plan);
    EXPECT_EQ(outcome.failure.has_value(), !plan->bug.empty())
        << entry.path() << (outcome.failure ? ", " + told(*plan, *outcome.failure) : "");
    ++files;
  }
  EXPECT_GT(files, 0U);
}

}  // namespace
}  // namespace rouse::sim
