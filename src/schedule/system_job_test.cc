// Jobs that are rouse's own: they end as they say, take nobody's place, and stop when told to.
#include "schedule/schedule_house_for_tests.h"

namespace rouse {
namespace {

class SystemJobTest : public ScheduleTest {
 protected:
  Job create_system(std::string name, std::string expr) {
    JobWish w = wish(std::move(name), std::move(expr));
    w.kind = JobKind::kSystem;
    w.source = "system";
    return create(w);
  }
  // Each run ends with the next of these; the last one stays.
  void end_with(std::vector<RunEnd> ends) {
    ends_ = std::move(ends);
    house_->scheduler.use_system([this](Job, Occurrence occurrence, std::stop_token) {
      attempts_.push_back(occurrence.attempt);
      const RunEnd end = ends_.front();
      if (ends_.size() > 1) ends_.erase(ends_.begin());
      return ended(end);
    });
  }
  static Task<RunEnd> ended(RunEnd end) { co_return end; }
  static Task<RunEnd> works_for(Clock& clock, Millis length, std::stop_token stop, int& stopped) {
    if (!co_await clock.wait_for(length, stop)) ++stopped;
    co_return RunEnd{.state = kRunOk};
  }

  std::vector<RunEnd> ends_;
  std::vector<std::int64_t> attempts_;
};

// CR-31
TEST_F(SystemJobTest, AnotherTryComesWhenTheRunAsksForIt) {
  const Job made = create_system("beat", "30 8 * * *");
  end_with({{.state = kRunError,
             .reason = "model_overloaded",
             .retry = *from_iso("2026-11-15T08:35:00.000Z")},
            {.state = kRunOk}});
  until("2026-11-15T08:34:59.000Z");
  EXPECT_EQ(rows(made), (Lines{"2026-11-15T08:30 claimed model_overloaded"}));
  EXPECT_EQ(attempts_, (std::vector<std::int64_t>{1}));
  until("2026-11-15T08:35:10.000Z");
  EXPECT_EQ(rows(made), (Lines{"2026-11-15T08:30 ok"}));
  EXPECT_EQ(attempts_, (std::vector<std::int64_t>{1, 2}));
}

// CR-31
TEST_F(SystemJobTest, ItsBackoffAndItsStreakAreKept) {
  const Job made = create_system("beat", "*/10 * * * *");
  end_with({{.state = kRunError,
             .reason = "model_overloaded",
             .backoff = *from_iso("2026-11-15T08:35:00.000Z"),
             .failures = 3},
            {.state = kRunOk}});
  until("2026-11-15T08:11:00.000Z");
  EXPECT_EQ(job(made).failures, 3);
  until("2026-11-15T08:41:00.000Z");
  EXPECT_EQ(rows(made), (Lines{"2026-11-15T08:10 error model_overloaded",
                               "2026-11-15T08:20 to 2026-11-15T08:30: 2 skipped backoff",
                               "2026-11-15T08:40 ok"}));
  EXPECT_EQ(job(made).failures, 0);
}

// A long look around holds up nobody's automation.
TEST_F(SystemJobTest, ALongRunTakesNobodysPlace) {
  house_->scheduler.configure({.at_once = 1});
  int stopped = 0;
  house_->scheduler.use_system([&](Job, Occurrence, std::stop_token stop) {
    return works_for(world_.clock(), minutes(20), stop, stopped);
  });
  const Job ours = create_system("beat", "30 8 * * *");
  const Job theirs = create(wish("news", "31 8 * * *"));
  until("2026-11-15T08:32:00.000Z");
  EXPECT_EQ(rows(theirs), (Lines{"2026-11-15T08:31 ok"}));
  EXPECT_EQ(rows(ours), (Lines{"2026-11-15T08:30 claimed"}));
  until("2026-11-15T08:51:00.000Z");
  EXPECT_EQ(rows(ours), (Lines{"2026-11-15T08:30 ok"}));
  EXPECT_EQ(stopped, 0);
}

// Nor does it wait for a place of theirs.
TEST_F(SystemJobTest, ItBeginsWhileAllPlacesAreTaken) {
  house_->scheduler.configure({.at_once = 1});
  end_with({{.state = kRunError,
             .reason = "model_overloaded",
             .retry = *from_iso("2026-11-15T08:30:20.000Z")},
            {.state = kRunOk}});
  model_->then(ScriptedAnswer::hangs_until_cancelled());
  const Job theirs = create(wish("news", "29 8 * * *"));
  const Job ours = create_system("beat", "30 8 * * *");
  until("2026-11-15T08:30:10.000Z");
  EXPECT_EQ(rows(ours), (Lines{"2026-11-15T08:30 claimed model_overloaded"}));
  until("2026-11-15T08:30:25.000Z");
  EXPECT_EQ(rows(ours), (Lines{"2026-11-15T08:30 ok"}));
  EXPECT_EQ(rows(theirs), (Lines{"2026-11-15T08:29 queued"}));
}

TEST_F(SystemJobTest, AStopEndsItAndTheNextLifeTakesItUp) {
  int stopped = 0;
  const auto working = [&](Job, Occurrence, std::stop_token stop) {
    return works_for(world_.clock(), minutes(20), stop, stopped);
  };
  house_->scheduler.use_system(working);
  const Job made = create_system("beat", "30 8 * * *");
  until("2026-11-15T08:31:00.000Z");
  end();
  EXPECT_EQ(stopped, 1);
  begin();
  EXPECT_EQ(rows(made).size(), 1U);
  end_with({{.state = kRunOk}});
  world_.run_for(minutes(1));
  EXPECT_EQ(count("SELECT COUNT(*) FROM occurrences WHERE ended_ms IS NULL"), 0);
}

TEST_F(SystemJobTest, WithdrawnWhileItRunsItEndsOnce) {
  int stopped = 0;
  house_->scheduler.use_system([&](Job, Occurrence, std::stop_token stop) {
    return works_for(world_.clock(), minutes(5), stop, stopped);
  });
  const Job made = create_system("beat", "30 8 * * *");
  until("2026-11-15T08:31:00.000Z");
  ASSERT_TRUE(world_.run(house_->book.pause(made.workspace, made.id, "system", "off")));
  until("2026-11-15T08:40:00.000Z");
  EXPECT_EQ(rows(made), (Lines{"2026-11-15T08:30 skipped paused"}));
  EXPECT_EQ(job(made).state, JobState::kPaused);
}

// It happened and may have cost something: a full disk doesn't make it happen again.
TEST_F(SystemJobTest, AnEndThatCannotBeWrittenIsWrittenLater) {
  const Job made = create_system("beat", "30 8 * * *");
  house_->scheduler.use_system([this](Job, Occurrence occurrence, std::stop_token) {
    attempts_.push_back(occurrence.attempt);
    world_.disk().set_read_only(true);
    return ended({.state = kRunOk});
  });
  until("2026-11-15T08:45:00.000Z");
  EXPECT_EQ(attempts_.size(), 1U);
  world_.disk().set_read_only(false);
  world_.run_for(minutes(2));
  EXPECT_EQ(rows(made), (Lines{"2026-11-15T08:30 ok"}));
  EXPECT_EQ(attempts_.size(), 1U);
}

}  // namespace
}  // namespace rouse
