// The clockwork in bad times: absences, clocks that step, herds, stalls, a disk that is full.
#include "schedule/scheduler.h"

#include "schedule/schedule_house_for_tests.h"

namespace rouse {
namespace {

class SchedulerTest : public ScheduleTest {
 protected:
  // The answer comes after a while; until then the run is going on.
  std::size_t running() { return model_->running(); }
  void fail_the_disk(bool failing) { world_.disk().set_read_only(failing); }
  std::uint64_t wakes() { return house_->scheduler.stats().wakes; }
};

// CR-1
TEST_F(SchedulerTest, WhatCameDueInAShortAbsenceRunsOnceAndIsMarkedLate) {
  const Job made = create(wish("news", "30 8 * * *"));
  JobWish w = wish("skipping", "30 8 * * *");
  w.catch_up = CatchUp::kSkip;
  const Job skipping = create(w);
  until("2026-11-15T08:29:47.000Z");
  end();
  at("2026-11-15T08:31:05.000Z");
  begin();
  world_.run_for(seconds(5));
  EXPECT_EQ(rows(made), (Lines{"2026-11-15T08:30 ok"}));
  ASSERT_EQ(runs(made).size(), 1U);
  EXPECT_TRUE(runs(made)[0].late);
  EXPECT_EQ(rows(skipping), (Lines{"2026-11-15T08:30 missed down"}));
  EXPECT_TRUE(runs(skipping).empty());
  EXPECT_EQ(count("SELECT COUNT(*) FROM events WHERE type = 'automation_missed'"), 1);
}

// CR-2
TEST_F(SchedulerTest, AfterThreeDaysEachPolicyDoesItsOwnAndEverySlotHasItsRow) {
  const Job latest = create(wish("latest", "0 9 * * *"));
  JobWish w = wish("all", "0 9 * * *");
  w.catch_up = CatchUp::kAll;
  w.catch_up_max = 3;
  const Job all = create(w);
  w = wish("skip", "0 9 * * *");
  w.catch_up = CatchUp::kSkip;
  const Job skip = create(w);
  down_for(days(3));
  world_.run_for(minutes(1));
  EXPECT_EQ(rows(latest), (Lines{"2026-11-15T09:00 to 2026-11-16T09:00: 2 missed superseded",
                                 "2026-11-17T09:00 ok"}));
  EXPECT_EQ(rows(all),
            (Lines{"2026-11-15T09:00 ok", "2026-11-16T09:00 ok", "2026-11-17T09:00 ok"}));
  Lines order;
  for (const Run& run : runs(all)) order.push_back(to_iso(run.due).substr(0, 10));
  EXPECT_EQ(order, (Lines{"2026-11-15", "2026-11-16", "2026-11-17"})) << "oldest first";
  EXPECT_EQ(rows(skip), (Lines{"2026-11-15T09:00 to 2026-11-17T09:00: 3 missed down"}));
}

// CR-3
TEST_F(SchedulerTest, WhatIsTooOldExpiresAtTheStartAndByTheFirstPoll) {
  JobWish w = wish("market", "0 11 * * *");
  w.window = minutes(30);
  const Job made = create(w);
  end();
  at("2026-11-15T22:10:00.000Z");
  begin();
  world_.run_for(minutes(5));
  EXPECT_EQ(rows(made), (Lines{"2026-11-15T11:00 missed expired"}));
  house_->scheduler.configure({.enabled = false});
  until("2026-11-16T22:10:00.000Z");
  house_->scheduler.configure({});
  world_.run_for(minutes(5));
  EXPECT_EQ(rows(made), (Lines{"2026-11-15T11:00 to 2026-11-16T11:00: 2 missed expired"}));
  EXPECT_TRUE(runs(made).empty());
}

// CR-4
TEST_F(SchedulerTest, WhatIsFinishedIsNotRunAgain) {
  const Job made = create(wish("news", "0 22 * * *"));
  until("2026-11-15T22:00:10.000Z");
  ASSERT_EQ(runs(made).size(), 1U);
  down_for(minutes(30));
  world_.run_for(minutes(10));
  down_for(seconds(1));
  world_.run_for(minutes(10));
  EXPECT_EQ(runs(made).size(), 1U);
  EXPECT_EQ(rows(made), (Lines{"2026-11-15T22:00 ok"}));
}

// CR-6
TEST_F(SchedulerTest, AServerThatCrashedThreeTimesHoldsItsAutomationsForAWhile) {
  const Job made = create(wish("deadly", "* * * * *"));
  for (int i = 0; i < 2; ++i) {  // the first life was begun by the fixture
    kill();
    begin();
  }
  EXPECT_TRUE(house_->scheduler.held());
  ASSERT_FALSE(problems_.empty());
  EXPECT_NE(problems_.back().find("held"), std::string::npos);
  world_.run_for(minutes(4));
  EXPECT_TRUE(runs(made).empty());
  world_.run_for(minutes(2));
  EXPECT_FALSE(house_->scheduler.held());
  EXPECT_EQ(problems_.back(), "");
  EXPECT_FALSE(runs(made).empty());
}

// CR-6
TEST_F(SchedulerTest, RestartsInGoodOrderHoldNothing) {
  for (int i = 0; i < 5; ++i) down_for(seconds(10));
  EXPECT_FALSE(house_->scheduler.held());
}

// CR-7
TEST_F(SchedulerTest, AHerdOfOverdueJobsIsLetInOneAfterTheOther) {
  for (int i = 0; i < 45; ++i) {
    JobWish w = wish("herd", "0 9 * * *");
    w.session_key = fmt::format("api:{}", i);
    create(w);
  }
  options_.at_once = 5;
  model_->otherwise = [](const ModelRequest&) { return ScriptedAnswer::hangs_until_cancelled(); };
  end();
  at("2026-11-15T12:00:00.000Z");
  begin();
  std::size_t before = running();
  EXPECT_LE(before, 1U);
  for (int second = 0; second < 10; ++second) {
    world_.run_for(millis(950));
    EXPECT_LE(running(), before + 1) << "a second apart";
    EXPECT_LE(running(), 5U);
    before = running();
  }
  EXPECT_EQ(running(), 5U);
  EXPECT_EQ(count("SELECT COUNT(*) FROM occurrences WHERE state = 'claimed'"), 40);

  // A person doesn't stand in this line.
  model_->then(ScriptedAnswer::says("at once"));
  EXPECT_EQ(wait(submit(chat_from("somebody", "hello"))).response, "at once");

  model_->otherwise = [](const ModelRequest&) { return ScriptedAnswer::says("done"); };
  world_.run_for(minutes(20));  // those that hang run into their deadline
  EXPECT_EQ(count("SELECT COUNT(*) FROM occurrences WHERE ended_ms IS NULL"), 0);
  EXPECT_EQ(count("SELECT COUNT(*) FROM occurrences"), 45);
}

// CR-8
TEST_F(SchedulerTest, ReadingMovesNothing) {
  const Job made = create(wish("news", "0 9 * * *"));
  house_->scheduler.configure({.enabled = false});
  until("2026-11-15T09:30:00.000Z");
  const auto before = count("SELECT next_ms FROM jobs");
  ASSERT_TRUE(world_.run(house_->book.list(made.workspace, "", 0, 10)));
  rows(made);
  runs(made);
  EXPECT_EQ(count("SELECT next_ms FROM jobs"), before);
  house_->scheduler.configure({});
  world_.run_for(seconds(5));
  EXPECT_EQ(rows(made), (Lines{"2026-11-15T09:00 ok"}));
}

// CR-9
TEST_F(SchedulerTest, AMachineThatSleptRunsWhatIsDueWithinAMinute) {
  const Job made = create(wish("news", "0 9 * * *"));
  world_.run_for(minutes(5));
  world_.clock().suspend(hours(8));
  world_.run_for(seconds(61));  // a minute, and what the disk takes
  EXPECT_EQ(rows(made), (Lines{"2026-11-15T09:00 ok"}));
  EXPECT_TRUE(runs(made).front().late);
}

// CR-10
TEST_F(SchedulerTest, AClockSetBackFiresNothingTwiceAndAClockSetAheadTouchesNoTimeout) {
  const Job hourly = create(wish("hourly", "0 * * * *"));
  until("2026-11-15T09:00:10.000Z");
  world_.clock().step_wall(hours(-1));
  until("2026-11-15T09:30:00.000Z");
  EXPECT_EQ(rows(hourly), (Lines{"2026-11-15T09:00 ok"}));
  model_->then(ScriptedAnswer::hangs_until_cancelled());
  until("2026-11-15T10:00:10.000Z");
  EXPECT_EQ(rows(hourly), (Lines{"2026-11-15T09:00 ok", "2026-11-15T10:00 queued"}));
  world_.clock().step_wall(days(1));
  world_.run_for(minutes(1));
  EXPECT_EQ(rows(hourly)[1], "2026-11-15T10:00 queued") << "its ten minutes are not over";
  world_.run_for(minutes(10));
  EXPECT_EQ(rows(hourly)[1].substr(0, 24), "2026-11-15T10:00 timeout");
}

// CR-11
TEST_F(SchedulerTest, FarDatesDoNotFireEarlyAndWakeNobodyOften) {
  const Job march = create(wish("yearly", "0 9 1 3 *"));
  const Job far = create(once("far", "2027-12-20T08:00:00.000Z"));
  const auto before = wakes();
  world_.run_for(days(100));
  EXPECT_TRUE(rows(march).empty());
  EXPECT_LE(wakes() - before, 100U * 24 * 60 + 10) << "once a minute at most";
  world_.run_for(days(10));
  EXPECT_EQ(rows(march), (Lines{"2027-03-01T09:00 ok"}));
  EXPECT_TRUE(rows(far).empty());
}

TEST_F(SchedulerTest, WithNothingPlannedNobodyWakesUp) {
  world_.run_for(seconds(1));
  const auto before = wakes();
  world_.run_for(days(1));
  EXPECT_EQ(wakes(), before);
  const Job made = create(wish("news", "0 9 * * *"));
  world_.run_for(days(1));
  EXPECT_EQ(rows(made).size(), 1U) << "a new job wakes it";
}

// CR-12
TEST_F(SchedulerTest, AStallIsSeenAndTold) {
  create(wish("news", "0 9 * * *"));
  world_.run_for(seconds(30));
  world_.clock().advance(minutes(10));  // the loop stood still
  world_.run_for(seconds(1));
  ASSERT_FALSE(problems_.empty());
  EXPECT_NE(problems_.front().find("stood still"), std::string::npos) << problems_.front();
  world_.run_for(minutes(15));
  EXPECT_EQ(problems_.back(), "") << "shown for a while, not for ever";
}

// CR-13
TEST_F(SchedulerTest, ADiskThatRefusesIsAskedSeldomAndThenEverythingIsMadeUpFor) {
  const Job made = create(wish("news", "30 8 * * *"));
  until("2026-11-15T08:29:00.000Z");
  fail_the_disk(true);
  until("2026-11-15T08:31:00.000Z");
  const auto before = wakes();
  until("2026-11-15T09:31:00.000Z");
  EXPECT_LE(wakes() - before, 10U * 60);
  fail_the_disk(false);
  world_.run_for(minutes(1));
  EXPECT_EQ(rows(made), (Lines{"2026-11-15T08:30 ok"}));
}

// CR-13: claimed while the disk still worked, and not begun since
TEST_F(SchedulerTest, WhatCannotBeginIsNotTriedInALoop) {
  const Job made = create(wish("news", "30 8 * * *"));
  model_->then(ScriptedAnswer::fails(ModelErrc::kOverloaded));
  until("2026-11-15T08:30:10.000Z");
  ASSERT_EQ(rows(made), (Lines{"2026-11-15T08:30 claimed model_overloaded"}));
  fail_the_disk(true);
  const auto before = wakes();
  world_.run_for(hours(1));
  EXPECT_LE(wakes() - before, 10U * 60);
  fail_the_disk(false);
  world_.run_for(minutes(1));
  EXPECT_EQ(rows(made), (Lines{"2026-11-15T08:30 ok"}));
}

// CR-14
TEST_F(SchedulerTest, ARunThatHangsIsEndedAtItsDeadlineAndTheNextOneRuns) {
  JobWish w = wish("news", "*/5 * * * *");
  w.timeout = minutes(1);
  const Job made = create(w);
  model_->then(ScriptedAnswer::hangs_until_cancelled());
  until("2026-11-15T08:05:30.000Z");
  EXPECT_EQ(rows(made), (Lines{"2026-11-15T08:05 queued"}));
  until("2026-11-15T08:10:30.000Z");
  EXPECT_EQ(rows(made), (Lines{"2026-11-15T08:05 timeout deadline", "2026-11-15T08:10 ok"}));
  EXPECT_EQ(runs(made)[0].state, "timeout");
}

TEST_F(SchedulerTest, ARunThatTakesLongerThanItsPeriodSkipsWhatItOverlaps) {
  const Job made = create(wish("news", "* * * * *"));
  model_->then(ScriptedAnswer::hangs_until_cancelled());
  until("2026-11-15T08:04:30.000Z");
  EXPECT_EQ(rows(made), (Lines{"2026-11-15T08:01 timeout inactive",
                               "2026-11-15T08:02 to 2026-11-15T08:03: 2 skipped overlap",
                               "2026-11-15T08:04 ok"}));
}

// CR-16
TEST_F(SchedulerTest, WaitingHasAnEndToo) {
  house_->runner().configure({.deadline = hours(24), .inactive = hours(24), .loop = {}});
  JobWish w = wish("news", "30 8 * * *");
  w.window = minutes(30);
  const Job made = create(w);
  model_->then(ScriptedAnswer::hangs_until_cancelled());
  const TurnId talk = submit(chat_from("a", "very long"));
  until("2026-11-15T08:59:00.000Z");
  EXPECT_EQ(rows(made), (Lines{"2026-11-15T08:30 queued"}));
  until("2026-11-15T09:02:00.000Z");
  EXPECT_EQ(rows(made), (Lines{"2026-11-15T08:30 missed expired"}));
  EXPECT_EQ(job(made).failures, 0);
  ASSERT_TRUE(world_.run(house_->runner().cancel(talk)));
}

// CR-27
TEST_F(SchedulerTest, ABadRowIsPutAsideAndTheOthersRun) {
  const Job bad = create(wish("bad", "30 8 * * *"));
  const Job worse = create(wish("worse", "30 8 * * *"));
  const Job good = create(wish("good", "30 8 * * *"));
  ASSERT_TRUE(world_.run(database_->write(
      Write{{{"UPDATE jobs SET extra = '{broken' WHERE number = $1", {bad.number}, 1},
             {"UPDATE jobs SET expr = 'at eight' WHERE number = $1", {worse.number}, 1}}})));
  until("2026-11-15T08:31:00.000Z");
  EXPECT_EQ(rows(good), (Lines{"2026-11-15T08:30 ok"}));
  EXPECT_EQ(count("SELECT COUNT(*) FROM jobs WHERE state = 'quarantined'"), 2);
  EXPECT_TRUE(rows(bad).empty());
}

// CR-27: its row broke while an occurrence of it waited for another try
TEST_F(SchedulerTest, AClaimWhoseJobCannotBeReadHoldsUpNobody) {
  const Job bad = create(wish("bad", "30 8 * * *"));
  const Job good = create(wish("good", "35 8 * * *"));
  model_->then(ScriptedAnswer::fails(ModelErrc::kOverloaded));
  until("2026-11-15T08:30:10.000Z");
  ASSERT_TRUE(world_.run(database_->write(
      Write{{{"UPDATE jobs SET extra = '{broken' WHERE number = $1", {bad.number}, 1}}})));
  until("2026-11-15T08:36:00.000Z");
  EXPECT_EQ(rows(good), (Lines{"2026-11-15T08:35 ok"}));
  EXPECT_EQ(rows(bad), (Lines{"2026-11-15T08:30 skipped quarantined"}));
}

// S2-50
TEST_F(SchedulerTest, AGateDecidesWithoutAModel) {
  std::vector<Result<bool>> says{false, true, fail(Errc::kTimeout, "too slow")};
  std::size_t asked = 0;
  house_->scheduler.use_gate([&](Job, std::stop_token) -> Task<Result<bool>> {
    return [](Result<bool> one) -> Task<Result<bool>> { co_return one; }(says.at(asked++));
  });
  JobWish w = wish("news", "*/10 * * * *");
  w.extra.gate = ScriptGate{"test -f new"};
  const Job made = create(w);
  until("2026-11-15T08:31:00.000Z");
  EXPECT_EQ(rows(made), (Lines{"2026-11-15T08:10 skipped gate", "2026-11-15T08:20 ok",
                               "2026-11-15T08:30 skipped gate_failed"}));
  EXPECT_EQ(model_->requests.size(), 1U);
  EXPECT_EQ(asked, 3U);
}

// CR-13
TEST_F(SchedulerTest, AGateIsNotAskedInALoopWhenItsAnswerCannotBeKept) {
  int asked = 0;
  house_->scheduler.use_gate([&](Job, std::stop_token) -> Task<Result<bool>> {
    ++asked;
    return [](bool open) -> Task<Result<bool>> { co_return open; }(asked % 2 == 0);
  });
  JobWish w = wish("news", "30 8 * * *");
  w.extra.gate = ScriptGate{"true"};
  const Job made = create(w);
  until("2026-11-15T08:29:59.000Z");
  house_->scheduler.configure({.enabled = false});
  ASSERT_TRUE(world_.run(
      database_->write(Write{{OccurrenceLedger::insert(Occurrence{.job = made.number,
                                                                  .due = now(),
                                                                  .last = now(),
                                                                  .state = std::string(kClaimed),
                                                                  .reason = "",
                                                                  .ready = now(),
                                                                  .claimed = now()})}})));
  fail_the_disk(true);
  house_->scheduler.configure({});
  world_.run_for(hours(1));
  EXPECT_LE(asked, 130);
  EXPECT_GT(asked, 1);
  fail_the_disk(false);
  world_.run_for(minutes(2));
  EXPECT_EQ(count("SELECT COUNT(*) FROM occurrences WHERE ended_ms IS NULL"), 0);
}

// Rule 5: what has been over for a month leaves nothing behind, and no number is given twice.
TEST_F(SchedulerTest, WhatIsOverForLongIsForgotten) {
  const Job done = create(once("call", "2026-11-15T08:30:00.000Z"));
  const Job gone = create(wish("gone", "0 9 * * *"));
  ASSERT_TRUE(world_.run(house_->book.remove(gone.workspace, gone.id, "api")));
  const Job lives = create(wish("news", "0 9 * * 1"));
  world_.run_for(days(20));
  const Job later = create(wish("later", "0 9 * * *"));
  ASSERT_TRUE(world_.run(house_->book.remove(later.workspace, later.id, "api")));
  EXPECT_EQ(job(done).state, JobState::kDone);
  world_.run_for(days(15));
  EXPECT_FALSE(house_->book.get(done.number));
  EXPECT_FALSE(house_->book.get(gone.number));
  EXPECT_TRUE(house_->book.get(lives.number));
  EXPECT_TRUE(house_->book.get(later.number)) << "only for fifteen days";
  EXPECT_TRUE(runs(done).empty());
  world_.run_for(days(30));
  EXPECT_TRUE(house_->book.get(later.number)) << "the highest number stays";
  EXPECT_GT(create(wish("new", "0 9 * * *")).number, later.number);
}

}  // namespace
}  // namespace rouse
