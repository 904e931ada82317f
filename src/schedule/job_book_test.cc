#include "schedule/job_book.h"

#include "schedule/schedule_house_for_tests.h"

namespace rouse {
namespace {

// Nothing is claimed here: what is due stays so until a change settles it.
class JobBookTest : public ScheduleTest {
 protected:
  JobBookTest() { options_.enabled = false; }
  const WorkspaceId here_ = Workspaces::default_id();

  Result<CreatedJob> try_create(JobWish wish) {
    return world_.run(house_->book.create(std::move(wish)));
  }
  Job pause(const Job& of) {
    auto done = world_.run(house_->book.pause(here_, of.id, "api", "later"));
    EXPECT_TRUE(done) << done.error();
    return done ? *done : Job{};
  }
  Job resume(const Job& of) {
    auto done = world_.run(house_->book.resume(here_, of.id, "api"));
    EXPECT_TRUE(done) << done.error();
    return done ? *done : Job{};
  }
  Job remove(const Job& of, std::string by = "api") {
    auto done = world_.run(house_->book.remove(here_, of.id, std::move(by)));
    EXPECT_TRUE(done) << done.error();
    return done ? *done : Job{};
  }
  Job edit(const Job& of, JobEdit change) {
    auto done = world_.run(house_->book.edit(here_, of.id, std::move(change), "api"));
    EXPECT_TRUE(done) << done.error();
    return done ? *done : Job{};
  }
  static JobEdit to_expr(std::string expr) {
    JobEdit out;
    out.schedule = Schedule{.expr = std::move(expr), .zone = ""};
    return out;
  }
};

// CR-22
TEST_F(JobBookTest, TheZoneIsStoredWithTheJobAndNeverImplied) {
  house_->book.configure({.default_zone = "Europe/Berlin"});
  JobWish w = wish("news", "0 8 * * 1");
  w.schedule.zone = "";
  const Job made = create(w);
  EXPECT_EQ(made.schedule.zone, "Europe/Berlin");
  EXPECT_EQ(to_iso(*made.next), "2026-11-16T07:00:00.000Z");
  house_->book.configure({.default_zone = "Asia/Tokyo"});
  EXPECT_EQ(job(made).next, made.next);
  EXPECT_EQ(job(made).schedule, made.schedule);

  w.schedule.zone = "Europe/Atlantis";
  const auto unknown = try_create(w);
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().message.find("Europe/Atlantis"), std::string::npos);
}

// CR-20
TEST_F(JobBookTest, TheSameKeyMakesOneJobAndARemovedOneStaysRemoved) {
  JobWish w = wish("news", "0 9 * * *");
  w.key = "seed-1";
  const auto first = try_create(w);
  ASSERT_TRUE(first) << first.error();
  EXPECT_FALSE(first->existed);
  const auto second = try_create(w);
  ASSERT_TRUE(second) << second.error();
  EXPECT_TRUE(second->existed);
  EXPECT_EQ(second->job.id, first->job.id);
  EXPECT_EQ(count("SELECT COUNT(*) FROM jobs"), 1);

  remove(first->job);
  const auto third = try_create(w);
  ASSERT_FALSE(third);
  EXPECT_TRUE(third.error().is(JobErrc::kRemoved)) << third.error();
}

// CR-28
TEST_F(JobBookTest, WhatWasAcknowledgedIsThereAfterARestart) {
  const Job made = create(wish("news", "0 9 * * *"));
  end();
  begin();
  const Job found = job(made);
  EXPECT_EQ(found.id, made.id);
  EXPECT_EQ(found.message, "news");
  EXPECT_EQ(found.next, made.next);
  EXPECT_GT(create(wish("other", "0 9 * * *")).number, made.number);
}

// CR-28
TEST_F(JobBookTest, WhatTheDiskRefusedIsAnErrorAndNotThere) {
  world_.disk().set_read_only(true);
  EXPECT_FALSE(try_create(wish("news", "0 9 * * *")));
  world_.disk().set_read_only(false);
  EXPECT_EQ(count("SELECT COUNT(*) FROM jobs"), 0);
}

// CR-29
TEST_F(JobBookTest, NothingIsMadeThatNobodyWouldRun) {
  house_->book.configure({.held = "automations are off"});
  const auto refused = try_create(wish("news", "0 9 * * *"));
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("automations are off"), std::string::npos);
}

// S3-09, S3-10
TEST_F(JobBookTest, ABoundJobNeedsItsConversation) {
  JobWish w = wish("news", "0 9 * * *");
  w.session_key = "";
  const auto refused = try_create(w);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().is(JobErrc::kNoSession));
  EXPECT_NE(refused.error().message.find(kNoSessionWords), std::string::npos);
}

TEST_F(JobBookTest, WhatCannotBeKeptIsRefusedWithTheReason) {
  EXPECT_FALSE(try_create(wish(" \n", "0 9 * * *"))) << "no message";
  EXPECT_FALSE(try_create(wish("news", "0 9 31 2 *"))) << "never";
  EXPECT_FALSE(try_create(once("news", "2026-11-15T07:00:00.000Z"))) << "past";
  EXPECT_FALSE(try_create(each("news", millis(999)))) << "too often";
  EXPECT_FALSE(try_create(wish(std::string(kJobMessageBytes + 1, 'x'), "0 9 * * *")));
  JobWish w = wish("news", "0 9 * * *");
  w.timeout = hours(25);
  EXPECT_FALSE(try_create(w));
  EXPECT_EQ(count("SELECT COUNT(*) FROM jobs"), 0);
}

TEST_F(JobBookTest, EachChangeTellsWhoeverPlansAndLeavesAnEvent) {
  int told = 0;
  house_->book.on_change([&] { ++told; });
  const Job made = create(wish("news", "0 9 * * *"));
  pause(made);
  resume(made);
  edit(made, to_expr("0 10 * * *"));
  remove(made);
  EXPECT_EQ(told, 5);
  EXPECT_EQ(count("SELECT COUNT(*) FROM events WHERE type = 'automation_changed'"), 5);
}

TEST_F(JobBookTest, APauseCoversWhatCameDueMeanwhile) {
  const Job made = create(wish("news", "0 * * * *"));
  until("2026-11-15T09:30:00.000Z");
  const Job paused = pause(made);
  EXPECT_EQ(paused.state, JobState::kPaused);
  EXPECT_FALSE(paused.next);
  EXPECT_EQ(rows(made), (Lines{"2026-11-15T09:00 skipped paused"})) << "was due, not claimed";
  EXPECT_EQ(pause(made).state_since, paused.state_since) << "pausing twice is pausing once";
  until("2026-11-15T12:30:00.000Z");
  const Job back = resume(made);
  EXPECT_EQ(to_iso(*back.next), "2026-11-15T13:00:00.000Z");
  EXPECT_EQ(rows(made), (Lines{"2026-11-15T09:00 to 2026-11-15T12:00: 4 skipped paused"}));
  EXPECT_EQ(resume(made).next, back.next);
}

TEST_F(JobBookTest, AnEditSettlesTheOldScheduleAndBeginsTheNewOne) {
  const Job made = create(wish("news", "0 * * * *", "Europe/Berlin"));
  until("2026-11-15T10:30:00.000Z");
  const Job edited = edit(made, to_expr("15 9 * * *"));
  EXPECT_EQ(rows(made), (Lines{"2026-11-15T09:00 to 2026-11-15T10:00: 2 skipped edited"}));
  EXPECT_EQ(edited.schedule.zone, "Europe/Berlin") << "a zone that isn't said stays";
  EXPECT_EQ(to_iso(*edited.next), "2026-11-16T08:15:00.000Z");
}

TEST_F(JobBookTest, AnEditOfAPausedJobSplitsThePauseBetweenTheSchedules) {
  const Job made = create(wish("news", "0 * * * *"));
  pause(made);
  until("2026-11-15T10:30:00.000Z");
  const Job edited = edit(made, to_expr("45 * * * *"));
  EXPECT_EQ(edited.state, JobState::kPaused);
  EXPECT_FALSE(edited.next);
  until("2026-11-15T12:00:00.000Z");
  EXPECT_EQ(to_iso(*resume(made).next), "2026-11-15T12:45:00.000Z");
  EXPECT_EQ(rows(made), (Lines{"2026-11-15T09:00 to 2026-11-15T11:45: 4 skipped paused"}))
      << "09:00 and 10:00 by the old one, 10:45 and 11:45 by the new one";
}

TEST_F(JobBookTest, AnEditOfWordsMovesNothing) {
  const Job made = create(wish("news", "0 * * * *"));
  JobEdit words;
  words.message = "other news";
  words.name = "renamed";
  const Job edited = edit(made, words);
  EXPECT_EQ(edited.next, made.next);
  EXPECT_EQ(edited.message, "other news");
  EXPECT_EQ(edited.name, "renamed");
  EXPECT_TRUE(rows(made).empty());
}

// CR-10
TEST_F(JobBookTest, AClockThatWasSetBackMakesNoInstantDueAgain) {
  const Job made = create(wish("news", "0 * * * *"));
  until("2026-11-15T11:30:00.000Z");
  pause(made);
  resume(made);
  world_.clock().step_wall(hours(-2));
  EXPECT_EQ(to_iso(*edit(made, to_expr("0 * * * *")).next), "2026-11-15T12:00:00.000Z");
  pause(made);
  EXPECT_EQ(to_iso(*resume(made).next), "2026-11-15T12:00:00.000Z");
  EXPECT_EQ(rows(made), (Lines{"2026-11-15T09:00 to 2026-11-15T11:00: 3 skipped paused"}));
}

// CR-30
TEST_F(JobBookTest, AOneShotWhoseTimeCameInAPauseIsDoneWhenItIsResumed) {
  const Job made = create(once("call mum", "2026-11-15T09:00:00.000Z"));
  pause(made);
  until("2026-11-15T09:30:00.000Z");
  const Job back = resume(made);
  EXPECT_EQ(back.state, JobState::kDone);
  EXPECT_EQ(rows(made), (Lines{"2026-11-15T09:00 skipped paused"}));
  JobEdit again;
  again.schedule = once("", "2026-11-15T10:00:00.000Z").schedule;
  const Job revived = edit(made, again);
  EXPECT_EQ(revived.state, JobState::kActive);
  EXPECT_EQ(to_iso(*revived.next), "2026-11-15T10:00:00.000Z");
}

// CR-20
TEST_F(JobBookTest, ARemovedJobLeavesATombstone) {
  const Job made = create(wish("news", "0 * * * *"));
  until("2026-11-15T09:30:00.000Z");
  const Job removed = remove(made);
  EXPECT_EQ(removed.state, JobState::kRemoved);
  EXPECT_EQ(rows(made), (Lines{"2026-11-15T09:00 skipped removed"}));
  EXPECT_TRUE(world_.run(house_->book.list(here_, "", 0, 10))->empty());
  EXPECT_EQ(job(made).state_by, "api");
  const auto again = world_.run(house_->book.remove(here_, made.id, "api"));
  ASSERT_FALSE(again);
  EXPECT_TRUE(again.error().is(JobErrc::kNotFound));
  EXPECT_FALSE(world_.run(house_->book.resume(here_, made.id, "api")));
}

TEST_F(JobBookTest, AJobOfTheFileIsChangedThereAndComesBackWithItsHistory) {
  JobWish w = wish("news", "0 * * * *");
  w.id = "morning";
  w.source = "file";
  const Job made = create(w);
  const auto edited = world_.run(house_->book.edit(here_, "morning", {}, "api"));
  ASSERT_FALSE(edited);
  EXPECT_TRUE(edited.error().is(JobErrc::kDeclared));
  EXPECT_FALSE(world_.run(house_->book.remove(here_, "morning", "api")));
  EXPECT_EQ(pause(made).state, JobState::kPaused) << "may be paused by anybody";
  until("2026-11-15T09:30:00.000Z");
  remove(made, "file");
  until("2026-11-15T11:30:00.000Z");
  const Job back = create(w);
  EXPECT_EQ(back.number, made.number);
  EXPECT_EQ(back.state, JobState::kActive);
  EXPECT_EQ(to_iso(*back.next), "2026-11-15T12:00:00.000Z");
}

TEST_F(JobBookTest, ASystemJobIsLeftAlone) {
  JobWish w = wish("dream", "0 3 * * *");
  w.kind = JobKind::kSystem;
  w.source = "system";
  const Job made = create(w);
  const auto removed = world_.run(house_->book.remove(here_, made.id, "api"));
  ASSERT_FALSE(removed);
  EXPECT_TRUE(removed.error().is(JobErrc::kProtected));
}

TEST_F(JobBookTest, AgentsMakeABoundedNumber) {
  JobWish w = wish("news", "0 9 * * *");
  w.source = "agent";
  for (std::int64_t i = 0; i < kJobsByAgent; ++i) create(w);
  const auto refused = try_create(w);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().is(JobErrc::kTooMany));
  w.source = "api";
  EXPECT_TRUE(try_create(w)) << "people may go on";
}

// S3-38
TEST_F(JobBookTest, AConversationOwnsItsBoundJobsAndNoOthers) {
  const Job mine = create(wish("news", "0 9 * * *"));
  JobWish other = wish("news", "0 9 * * *");
  other.session_key = "api:b";
  create(other);
  JobWish isolated = wish("scan", "0 9 * * *");
  isolated.kind = JobKind::kIsolated;
  create(isolated);
  remove(create(wish("gone", "0 9 * * *")));
  const auto owned = house_->book.bound_to(here_, "api:a");
  ASSERT_TRUE(owned) << owned.error();
  ASSERT_EQ(owned->size(), 1U);
  EXPECT_EQ(owned->front().id, mine.id);
}

}  // namespace
}  // namespace rouse
