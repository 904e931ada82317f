#include "schedule/outcome.h"

#include <set>

#include <gtest/gtest.h>

namespace rouse {
namespace {

const WallTime kNow{*from_iso("2026-11-15T08:30:10.000Z")};

Job hourly() {
  Job job;
  job.id = "0badcafe";
  job.name = "news";
  job.schedule = {.expr = "30 * * * *"};
  job.next = *from_iso("2026-11-15T09:30:00.000Z");
  return job;
}
Job one_shot() {
  Job job = hourly();
  job.schedule = {.kind = ScheduleKind::kAt, .at = kNow - seconds(10)};
  job.next.reset();
  return job;
}
Occurrence at_attempt(std::int64_t attempt) {
  Occurrence out;
  out.due = kNow - seconds(10);
  out.attempt = attempt;
  return out;
}
RunEnd end_of(const Job& job, std::string kind, std::string reason, std::int64_t attempt = 1) {
  return run_end(job, at_attempt(attempt), {std::move(kind), std::move(reason)}, kNow);
}

// A pause is as long as it should be, and up to a tenth longer.
void expect_about(std::optional<WallTime> time, Millis length, std::int64_t failures = 0) {
  ASSERT_TRUE(time) << failures;
  EXPECT_GE(*time - kNow, length) << failures;
  EXPECT_LE((*time - kNow).count, length.count + length.count / 10) << failures;
}

TEST(Outcome, AnAnswerIsOkAndNoAnswerIsEmptyAndBothEndAStreak) {
  Job job = hourly();
  job.failures = 4;
  const RunEnd spoke = end_of(job, "spoke", "");
  EXPECT_EQ(spoke.state, kRunOk);
  EXPECT_EQ(spoke.failures, 0);
  EXPECT_FALSE(spoke.backoff);
  const RunEnd empty = end_of(job, "spoke", std::string(kEmptyReason));
  EXPECT_EQ(empty.state, kRunEmpty);
  EXPECT_EQ(empty.failures, 0);
}

// CR-31
TEST(Outcome, WhatMayPassIsTriedAgainLaterAndLater) {
  const Job job = hourly();
  const RunEnd first = end_of(job, "failed", "model_overloaded");
  expect_about(first.retry, seconds(30));
  EXPECT_EQ(first.failures, 0) << "it isn't over yet";
  expect_about(end_of(job, "failed", "model_unreachable", 2).retry, minutes(1));
  const RunEnd last = end_of(job, "failed", "model_unreachable", 3);
  EXPECT_FALSE(last.retry);
  EXPECT_EQ(last.state, kRunError);
  EXPECT_EQ(last.failures, 1);
  expect_about(last.backoff, seconds(30));
}

// CR-31: never beyond the next occurrence
TEST(Outcome, ATryThatWouldComeAfterTheNextInstantIsLeftToIt) {
  Job job = hourly();
  job.next = kNow + seconds(20);
  const RunEnd end = end_of(job, "failed", "model_overloaded");
  EXPECT_FALSE(end.retry);
  EXPECT_EQ(end.state, kRunError);
}

// CR-31
TEST(Outcome, TheBackoffGrowsWithTheStreakUpToAnHour) {
  Job job = hourly();
  const std::vector<Millis> expected{seconds(30), minutes(1), minutes(5),
                                     minutes(15), hours(1),   hours(1)};
  for (const Millis length : expected) {
    const RunEnd end = end_of(job, "failed", "too_many_steps");
    expect_about(end.backoff, length, job.failures);
    job.failures = end.failures;
  }
}

// CR-31
TEST(Outcome, NothingIsTriedBeforeTheProviderWantsIt) {
  const Job job = hourly();
  const Verdict limited{"failed", "model_rate_limited"};
  expect_about(run_end(job, at_attempt(1), limited, kNow, minutes(20)).retry, minutes(20));
  expect_about(run_end(job, at_attempt(1), limited, kNow, seconds(1)).retry, seconds(30));
  const RunEnd over = run_end(job, at_attempt(1), limited, kNow, hours(2));
  EXPECT_FALSE(over.retry) << "the next instant comes before";
  expect_about(over.backoff, hours(2));
  const RunEnd last = run_end(job, at_attempt(3), limited, kNow, minutes(20));
  expect_about(last.backoff, minutes(20));
  expect_about(run_end(job, at_attempt(1), limited, kNow, days(400)).backoff, hours(24));
}

// CR-31
TEST(Outcome, JobsThatFailTogetherComeBackApartAndTheSameQuestionHasTheSameAnswer) {
  std::set<std::int64_t> pauses;
  for (std::int64_t number = 1; number <= 100; ++number) {
    Job job = hourly();
    job.number = number;
    const RunEnd end = end_of(job, "failed", "model_overloaded");
    expect_about(end.retry, seconds(30));
    EXPECT_EQ(end.retry, end_of(job, "failed", "model_overloaded").retry);
    pauses.insert(end.retry->unix_ms);
  }
  EXPECT_GT(pauses.size(), 90U);
}

// CR-31
TEST(Outcome, WhatAPersonMustMendPausesTheJobAtOnce) {
  for (const char* reason :
       {"model_unauthorized", "model_no_credit", "model_refused_request", "model_not_configured"}) {
    const RunEnd end = end_of(hourly(), "failed", reason);
    EXPECT_FALSE(end.pause.empty()) << reason;
    EXPECT_FALSE(end.retry) << reason;
    EXPECT_EQ(end.state, kRunError) << reason;
  }
}

// CR-32
TEST(Outcome, TenFailuresInARowPauseItAndTheWordsSayHowToGoOn) {
  Job job = hourly();
  job.failures = 8;
  EXPECT_TRUE(end_of(job, "failed", "too_many_steps").pause.empty());
  job.failures = 9;
  const RunEnd end = end_of(job, "failed", "too_many_steps");
  EXPECT_EQ(end.pause, "it failed 10 times in a row");
  const std::string words = failure_line(job, end, kNow);
  EXPECT_NE(words.find("rouse automations resume 0badcafe"), std::string::npos) << words;
}

// CR-14
TEST(Outcome, RunningOutOfTimeIsATimeout) {
  for (const char* reason : {"deadline", "inactive"}) {
    const RunEnd end = end_of(hourly(), "interrupted", reason);
    EXPECT_EQ(end.state, kRunTimeout) << reason;
    EXPECT_EQ(end.failures, 1);
    EXPECT_FALSE(end.retry) << "it had its time";
  }
  EXPECT_EQ(end_of(hourly(), "failed", "model_timeout", 3).state, kRunTimeout);
}

TEST(Outcome, WhatWasStoppedIsNoFailureOfTheJob) {
  Job job = hourly();
  job.failures = 3;
  for (const char* reason : {"cancelled", "cleared", "restart", "parked", "removed"}) {
    const RunEnd end = end_of(job, "interrupted", reason);
    EXPECT_EQ(end.state, kRunInterrupted) << reason;
    EXPECT_EQ(end.failures, 3);
    EXPECT_FALSE(end.backoff);
  }
}

// CR-16
TEST(Outcome, OneThatWaitedForTooLongIsMissed) {
  const RunEnd end = end_of(hourly(), "interrupted", "expired");
  EXPECT_EQ(end.state, kMissed);
  EXPECT_EQ(end.reason, "expired");
  EXPECT_EQ(end.failures, 0);
}

// CR-30
TEST(Outcome, AOneShotIsTriedAgainAndThenEndsWithoutAPause) {
  EXPECT_TRUE(end_of(one_shot(), "failed", "model_overloaded").retry);
  EXPECT_FALSE(end_of(one_shot(), "failed", "model_overloaded", 3).retry);
  const RunEnd refused = end_of(one_shot(), "failed", "model_unauthorized");
  EXPECT_TRUE(refused.pause.empty()) << "there is nothing to resume";
  EXPECT_EQ(refused.state, kRunError);
  const std::string words = failure_line(one_shot(), refused, kNow);
  EXPECT_EQ(words, "The automation \"news\" failed: the model's key was refused.");
}

// S3-34, S3-35
TEST(Outcome, TheWordsAreShortAndSayWhatComesNext) {
  RunEnd again = end_of(hourly(), "failed", "model_overloaded");
  again.retry = kNow + seconds(30);
  EXPECT_EQ(failure_line(hourly(), again, kNow),
            "The automation \"news\" failed: the model is overloaded. It is tried again in 30 s.");
  EXPECT_EQ(failure_line(hourly(), end_of(hourly(), "failed", "too_many_steps"), kNow),
            "The automation \"news\" failed: it came to no end. Next: Sun 09:30 UTC.");
  EXPECT_EQ(empty_line(hourly()), "The automation \"news\" ran and had nothing to report.");
}

}  // namespace
}  // namespace rouse
