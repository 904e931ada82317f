#include "schedule/claim.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "schedule/occurrence_ledger.h"

namespace rouse {
namespace {

using Lines = std::vector<std::string>;

WallTime time_of(std::string_view iso) { return *from_iso(iso); }

Job daily(std::string_view next = "2026-11-15T08:30:00.000Z") {
  Job job;
  job.schedule = {.expr = "30 8 * * *"};
  job.next = time_of(next);
  return job;
}
Job each(Millis every, std::string_view next) {
  Job job;
  job.next = time_of(next);
  job.schedule = {.kind = ScheduleKind::kEvery, .every = every, .anchor = *job.next - every};
  return job;
}

Lines words(const ClaimPlan& plan) {
  Lines out;
  for (const Covered& one : plan.covered) {
    out.push_back(fmt::format("{} to {}: {} {} {}", to_iso(one.first).substr(0, 16),
                              to_iso(one.last).substr(0, 16), one.count, one.state, one.reason));
  }
  for (const WallTime due : plan.run) {
    out.push_back(to_iso(due).substr(0, 16) + (plan.late ? " runs late" : " runs"));
  }
  out.push_back("next " + (plan.next ? to_iso(*plan.next).substr(0, 16) : "none"));
  return out;
}

TEST(Claim, WhatIsDueJustNowRuns) {
  const WallTime now = time_of("2026-11-15T08:30:00.004Z");
  EXPECT_EQ(words(plan_claim(daily(), {.now = now, .alive_since = now - days(1)})),
            (Lines{"2026-11-15T08:30 runs", "next 2026-11-16T08:30"}));
}

// CR-1
TEST(Claim, WhatCameDueInAShortAbsenceRunsOnceLate) {
  const WallTime up = time_of("2026-11-15T08:31:05.000Z");
  EXPECT_EQ(words(plan_claim(daily(), {.now = up, .alive_since = up})),
            (Lines{"2026-11-15T08:30 runs late", "next 2026-11-16T08:30"}));
}

// CR-1
TEST(Claim, AJobThatSkipsRecordsWhatItMissedAndDoesNotRun) {
  const WallTime up = time_of("2026-11-15T08:31:05.000Z");
  Job job = daily();
  job.catch_up = CatchUp::kSkip;
  EXPECT_EQ(
      words(plan_claim(job, {.now = up, .alive_since = up})),
      (Lines{"2026-11-15T08:30 to 2026-11-15T08:30: 1 missed down", "next 2026-11-16T08:30"}));
}

// CR-2
TEST(Claim, AfterThreeDaysThePolicyDecidesAndEachSlotIsCovered) {
  const WallTime up = time_of("2026-11-18T07:00:00.000Z");
  const ClaimMoment moment{.now = up, .alive_since = up};
  Job job = daily();
  EXPECT_EQ(words(plan_claim(job, moment)),
            (Lines{"2026-11-15T08:30 to 2026-11-16T08:30: 2 missed superseded",
                   "2026-11-17T08:30 runs late", "next 2026-11-18T08:30"}));
  job.catch_up = CatchUp::kAll;
  job.catch_up_max = 3;
  EXPECT_EQ(words(plan_claim(job, moment)),
            (Lines{"2026-11-15T08:30 runs late", "2026-11-16T08:30 runs late",
                   "2026-11-17T08:30 runs late", "next 2026-11-18T08:30"}));
  job.catch_up_max = 2;
  EXPECT_EQ(
      words(plan_claim(job, moment)),
      (Lines{"2026-11-15T08:30 to 2026-11-15T08:30: 1 missed superseded",
             "2026-11-16T08:30 runs late", "2026-11-17T08:30 runs late", "next 2026-11-18T08:30"}));
  job.catch_up_max = 1;
  EXPECT_EQ(words(plan_claim(job, moment)),
            (Lines{"2026-11-15T08:30 to 2026-11-16T08:30: 2 missed superseded",
                   "2026-11-17T08:30 runs late", "next 2026-11-18T08:30"}));
  job.catch_up = CatchUp::kSkip;
  EXPECT_EQ(
      words(plan_claim(job, moment)),
      (Lines{"2026-11-15T08:30 to 2026-11-17T08:30: 3 missed down", "next 2026-11-18T08:30"}));
}

TEST(Claim, AllTakesTheNewestOfManyAndCountsTheRest) {
  const WallTime up = time_of("2026-11-15T18:00:30.000Z");
  Job job = each(minutes(1), "2026-11-15T08:01:00.000Z");
  job.catch_up = CatchUp::kAll;
  job.catch_up_max = 3;
  EXPECT_EQ(words(plan_claim(job, {.now = up, .alive_since = up})),
            (Lines{"2026-11-15T08:01 to 2026-11-15T17:57: 597 missed superseded",
                   "2026-11-15T17:58 runs late", "2026-11-15T17:59 runs late",
                   "2026-11-15T18:00 runs late", "next 2026-11-15T18:01"}));
}

// CR-3: at the start, and by a poll that comes late for another reason
TEST(Claim, WhatIsOlderThanTheWindowIsExpiredWhoeverAsks) {
  Job job = daily();
  job.window = minutes(30);
  const WallTime now = time_of("2026-11-15T19:30:00.000Z");
  const Lines expired{"2026-11-15T08:30 to 2026-11-15T08:30: 1 missed expired",
                      "next 2026-11-16T08:30"};
  EXPECT_EQ(words(plan_claim(job, {.now = now, .alive_since = now})), expired);
  EXPECT_EQ(words(plan_claim(job, {.now = now, .alive_since = now - days(9)})), expired);
}

// CR-3
TEST(Claim, OfSeveralOnlyThoseInsideTheWindowRun) {
  Job job = daily();
  job.catch_up = CatchUp::kAll;
  job.window = hours(30);
  const WallTime up = time_of("2026-11-18T07:00:00.000Z");
  EXPECT_EQ(words(plan_claim(job, {.now = up, .alive_since = up})),
            (Lines{"2026-11-15T08:30 to 2026-11-16T08:30: 2 missed expired",
                   "2026-11-17T08:30 runs late", "next 2026-11-18T08:30"}));
}

// CR-25
TEST(Claim, ALittleLateIsOnTimeWhateverThePolicyAndTheWindowSay) {
  Job job = daily();
  job.catch_up = CatchUp::kSkip;
  job.window = Millis{0};
  const WallTime now = time_of("2026-11-15T08:30:02.000Z");
  EXPECT_EQ(words(plan_claim(job, {.now = now, .alive_since = now - days(1)})),
            (Lines{"2026-11-15T08:30 runs", "next 2026-11-16T08:30"}));
}

TEST(Claim, SlotsThatCameDueWhileItsOwnRunGoesOnAreSkipped) {
  const WallTime now = time_of("2026-11-15T08:32:00.000Z");
  const Job job = each(minutes(1), "2026-11-15T08:31:00.000Z");
  EXPECT_EQ(
      words(plan_claim(job, {.now = now, .alive_since = now - days(1), .has_open = true})),
      (Lines{"2026-11-15T08:31 to 2026-11-15T08:32: 2 skipped overlap", "next 2026-11-15T08:33"}));
}

TEST(Claim, SeveralThatAreALittleLateBecomeOne) {
  const WallTime now = time_of("2026-11-15T08:30:03.500Z");
  const Job job = each(seconds(1), "2026-11-15T08:30:01.000Z");
  EXPECT_EQ(words(plan_claim(job, {.now = now, .alive_since = now - days(1)})),
            (Lines{"2026-11-15T08:30 to 2026-11-15T08:30: 2 skipped coalesced",
                   "2026-11-15T08:30 runs", "next 2026-11-15T08:30"}));
}

// CR-31
TEST(Claim, NothingRunsBeforeTheBackoffIsOver) {
  Job job = daily();
  job.backoff_until = time_of("2026-11-15T08:35:00.000Z");
  const WallTime now = time_of("2026-11-15T08:30:00.000Z");
  EXPECT_EQ(
      words(plan_claim(job, {.now = now, .alive_since = now - days(1)})),
      (Lines{"2026-11-15T08:30 to 2026-11-15T08:30: 1 skipped backoff", "next 2026-11-16T08:30"}));
  job.backoff_until = now;
  EXPECT_EQ(words(plan_claim(job, {.now = now, .alive_since = now - days(1)})).front(),
            "2026-11-15T08:30 runs");
}

TEST(Claim, ALongAbsenceIsWorkedOffInPiecesThatCoverAllOfIt) {
  Job job = each(seconds(1), "2026-01-01T00:00:01.000Z");
  const WallTime up = time_of("2026-01-03T00:00:00.500Z");
  std::int64_t covered = 0, ran = 0;
  int pieces = 0;
  while (job.next && *job.next <= up && pieces < 10) {
    const ClaimPlan plan = plan_claim(job, {.now = up, .alive_since = up});
    for (const Covered& one : plan.covered) covered += one.count;
    ran += static_cast<std::int64_t>(plan.run.size());
    job.next = plan.next;
    ++pieces;
  }
  EXPECT_EQ(pieces, 4);
  EXPECT_EQ(ran, 1);
  EXPECT_EQ(covered + ran, 2 * 24 * 3600);
  EXPECT_EQ(*job.next, time_of("2026-01-03T00:00:01.000Z"));
}

// CR-30
TEST(Claim, AOneShotHasNoNextWhateverBecomesOfIt) {
  Job job;
  job.schedule = {.kind = ScheduleKind::kAt, .at = time_of("2026-11-15T08:30:00.000Z")};
  job.next = job.schedule.at;
  const WallTime now = time_of("2026-11-15T08:30:00.000Z");
  EXPECT_EQ(words(plan_claim(job, {.now = now, .alive_since = now - days(1)})),
            (Lines{"2026-11-15T08:30 runs", "next none"}));
  const WallTime late = now + days(9);
  EXPECT_EQ(words(plan_claim(job, {.now = late, .alive_since = late})),
            (Lines{"2026-11-15T08:30 to 2026-11-15T08:30: 1 missed expired", "next none"}));
}

// An instant that was settled on before the zone's rules changed is kept, and the new ones follow.
TEST(Claim, AnInstantTheScheduleWouldNotGiveAnyMoreIsCoveredToo) {
  Job job = daily("2026-11-15T07:30:00.000Z");
  const WallTime now = time_of("2026-11-15T07:30:00.000Z");
  EXPECT_EQ(words(plan_claim(job, {.now = now, .alive_since = now - days(1)})),
            (Lines{"2026-11-15T07:30 runs", "next 2026-11-15T08:30"}));
  const WallTime up = time_of("2026-11-17T07:00:00.000Z");
  EXPECT_EQ(words(plan_claim(job, {.now = up, .alive_since = up})),
            (Lines{"2026-11-15T07:30 to 2026-11-15T08:30: 2 missed superseded",
                   "2026-11-16T08:30 runs late", "next 2026-11-17T08:30"}));
  job.catch_up = CatchUp::kAll;
  job.catch_up_max = 2;
  EXPECT_EQ(
      words(plan_claim(job, {.now = up, .alive_since = up})),
      (Lines{"2026-11-15T07:30 to 2026-11-15T07:30: 1 missed superseded",
             "2026-11-15T08:30 runs late", "2026-11-16T08:30 runs late", "next 2026-11-17T08:30"}));
}

}  // namespace
}  // namespace rouse
