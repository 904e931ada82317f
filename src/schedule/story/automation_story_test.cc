#include "schedule/story/automation_story.h"

#include <set>

#include "schedule/jobs_for_tests.h"

namespace rouse {
namespace {

// UX-1: for any job and any instant there is an answer, and it is one of a few.
class AutomationStoryTest : public JobsTest {
 protected:
  void SetUp() override {
    JobsTest::SetUp();
    if (HasFatalFailure()) return;
    ledger_ = std::make_unique<OccurrenceLedger>(*database_);
    story_ =
        std::make_unique<AutomationStory>(*book_, *ledger_, house_->kernel.turns(), world_.clock());
    conversation_ = talk("whatsapp", "+1");
    id_ = make("0 8 * * *");
  }
  std::string make(std::string expr) {
    auto made = world_.run(book_->create({.workspace = here_,
                                          .name = "daily",
                                          .message = "look at the weather",
                                          .session_key = conversation_.key.str(),
                                          .schedule = {.expr = std::move(expr), .zone = "UTC"}}));
    EXPECT_TRUE(made) << made.error();
    return made->job.id;
  }
  AutomationAnswer at(const std::string& time) { return ask(*from_iso(time)); }
  AutomationAnswer now() { return ask({}); }
  AutomationAnswer ask(std::optional<WallTime> time) {
    auto told = story_->tell(job(id_), time);
    EXPECT_TRUE(told) << told.error();
    return told ? *told : AutomationAnswer{};
  }
  void write(std::vector<Statement> statements) {
    const auto written = world_.run(database_->write(Write{std::move(statements)}));
    ASSERT_TRUE(written) << written.error();
  }
  void go_to(const std::string& time) {
    world_.run_for(*from_iso(time) - world_.clock().wall_now());
  }
  Occurrence occurrence(const std::string& due, std::string_view state) {
    return {.job = job(id_).number,
            .due = *from_iso(due),
            .last = *from_iso(due),
            .state = std::string(state),
            .ready = *from_iso(due),
            .claimed = *from_iso(due)};
  }
  // The job's next instant, as the scheduler moves it with a claim.
  Statement next_is(const std::string& time) {
    return {"UPDATE jobs SET next_ms = $2 WHERE number = $1",
            {job(id_).number, from_iso(time)->unix_ms},
            1};
  }
  rouse::Run run_of(const Occurrence& of, std::optional<TurnId> turn) {
    return {.number = ledger_->next_run_number(),
            .id = fmt::format("{}:{}", id_, of.due.unix_ms),
            .workspace = here_,
            .job = of.job,
            .job_id = id_,
            .job_name = "daily",
            .due = of.due,
            .kind = "bound",
            .state = of.state,
            .session_key = conversation_.key.str(),
            .turn = std::move(turn),
            .conversation = conversation_.id,
            .queued = of.due,
            .ended = of.ended};
  }
  TurnId accept() {
    auto taken = world_.run(house_->kernel.accept(message_from("+1", "hi")));
    EXPECT_TRUE(taken) << taken.error();
    return *taken->turn;
  }

  std::unique_ptr<OccurrenceLedger> ledger_;
  std::unique_ptr<AutomationStory> story_;
  Conversation conversation_;
  std::string id_;
};

TEST_F(AutomationStoryTest, BeforeItWasMadeThereWasNone) {
  EXPECT_EQ(at("2026-11-15T08:00:00.000Z").code, "not_yet");
}

TEST_F(AutomationStoryTest, BetweenItsInstantsItIsNotDueAndTheNextIsTold) {
  const AutomationAnswer told = now();
  EXPECT_EQ(told.code, "not_due");
  EXPECT_EQ(to_iso(*told.next), "2026-11-16T08:00:00.000Z");
  EXPECT_FALSE(told.previous);
  EXPECT_NE(told.text.find("Mon 08:00 UTC"), std::string::npos) << told.text;
  EXPECT_EQ(at("2026-11-18T12:00:00.000Z").code, "not_due") << "of the future";
  const AutomationAnswer then = at("2026-11-18T08:00:00.000Z");
  EXPECT_EQ(then.text, "It will be due then, at Wed 08:00 UTC.");
}

TEST_F(AutomationStoryTest, WhatRanIsLinked) {
  go_to("2026-11-16T12:00:00.000Z");
  Occurrence ran = occurrence("2026-11-16T08:00:00.000Z", kRunOk);
  ran.ended = ran.due + minutes(2);
  write({OccurrenceLedger::insert(ran), OccurrenceLedger::insert(run_of(ran, {})),
         next_is("2026-11-17T08:00:00.000Z")});
  const AutomationAnswer told = at("2026-11-16T08:00:00.000Z");
  EXPECT_EQ(told.code, "ran");
  EXPECT_EQ(told.status, "ok");
  EXPECT_EQ(*told.run, id_ + ":1794816000000");
  EXPECT_EQ(told.conversation, conversation_.id);
  EXPECT_EQ(at("2026-11-16T08:01:00.000Z").code, "ran") << "it was at work";
  const AutomationAnswer later = at("2026-11-16T09:00:00.000Z");
  EXPECT_EQ(later.code, "not_due");
  EXPECT_EQ(later.previous, ran.due);
  EXPECT_NE(later.text.find("ended well"), std::string::npos) << later.text;
}

TEST_F(AutomationStoryTest, AFailureTellsWhatWentWrongAndTheStreak) {
  go_to("2026-11-16T08:05:00.000Z");
  Occurrence failed = occurrence("2026-11-16T08:00:00.000Z", kRunError);
  failed.ended = failed.due + seconds(9);
  failed.reason = "model_overloaded";
  rouse::Run run = run_of(failed, {});
  run.error = "the provider said 529";
  write({OccurrenceLedger::insert(failed),
         OccurrenceLedger::insert(run),
         next_is("2026-11-17T08:00:00.000Z"),
         {"UPDATE jobs SET failures = 3, backoff_ms = $2 WHERE number = $1",
          {failed.job, (failed.due + hours(1)).unix_ms},
          1}});
  const AutomationAnswer told = at("2026-11-16T08:00:00.000Z");
  EXPECT_EQ(told.code, "ran");
  EXPECT_EQ(told.status, "error");
  EXPECT_NE(told.text.find("failed: the provider said 529"), std::string::npos) << told.text;
  const std::string text = now().text;
  EXPECT_NE(text.find("It failed 3 times in a row. It is not tried before"), std::string::npos)
      << text;
}

TEST_F(AutomationStoryTest, WhatIsPutOffSaysByWhatAndUntilWhen) {
  go_to("2026-11-16T08:00:10.000Z");
  Occurrence waits = occurrence("2026-11-16T08:00:00.000Z", kClaimed);
  waits.ready = waits.due + minutes(5);
  waits.reason = "later";
  write({OccurrenceLedger::insert(waits), next_is("2026-11-17T08:00:00.000Z")});
  const AutomationAnswer told = at("2026-11-16T08:00:00.000Z");
  EXPECT_EQ(told.code, "deferred");
  EXPECT_EQ(told.reason, "later");
  EXPECT_EQ(told.until, waits.ready);
  world_.run_for(minutes(6));
  EXPECT_EQ(now().code, "queued");
}

TEST_F(AutomationStoryTest, ABusyConversationIsNamedAsWhatItWaitsFor) {
  go_to("2026-11-16T08:00:10.000Z");
  const TurnId persons = accept();
  ASSERT_TRUE(world_.run(house_->kernel.turns().start(persons)));
  const TurnId its_own = accept();
  Occurrence waits = occurrence("2026-11-16T08:00:00.000Z", kQueued);
  write({OccurrenceLedger::insert(waits), OccurrenceLedger::insert(run_of(waits, its_own)),
         next_is("2026-11-17T08:00:00.000Z")});
  const AutomationAnswer told = now();
  EXPECT_EQ(told.code, "deferred");
  EXPECT_EQ(told.reason, "busy");
  EXPECT_EQ(told.waits_for, persons);
  EXPECT_EQ(told.turn, its_own);
  write({TurnQueue::finish(persons, "spoke", world_.clock().wall_now())});
  EXPECT_EQ(now().code, "queued");
  ASSERT_TRUE(world_.run(house_->kernel.turns().start(its_own)));
  EXPECT_EQ(now().code, "running");
}

TEST_F(AutomationStoryTest, WhatIsDueButNotClaimedIsTheSchedulersToTake) {
  go_to("2026-11-16T08:00:01.000Z");
  EXPECT_EQ(at("2026-11-16T08:00:00.000Z").reason, "scheduler");
  book_->configure({.held = "automations are switched off"});
  const AutomationAnswer told = now();
  EXPECT_EQ(told.code, "deferred");
  EXPECT_EQ(told.reason, "held");
  EXPECT_NE(told.text.find("automations are switched off"), std::string::npos) << told.text;
}

TEST_F(AutomationStoryTest, APauseTellsByWhomAndWhatItCost) {
  go_to("2026-11-15T12:00:00.000Z");
  ASSERT_TRUE(world_.run(book_->pause(here_, id_, "web", "holidays")));
  go_to("2026-11-18T12:00:00.000Z");
  const AutomationAnswer paused = now();
  EXPECT_EQ(paused.code, "paused");
  EXPECT_EQ(paused.by, "web");
  EXPECT_EQ(to_iso(*paused.since), "2026-11-15T12:00:00.000Z");
  EXPECT_NE(paused.text.find("paused in the web app since"), std::string::npos) << paused.text;
  EXPECT_NE(paused.text.find("rouse automations resume " + id_), std::string::npos);
  EXPECT_EQ(at("2026-11-17T08:00:00.000Z").code, "paused");
  ASSERT_TRUE(world_.run(book_->resume(here_, id_, "web")));
  const AutomationAnswer skipped = at("2026-11-17T08:00:00.000Z");
  EXPECT_EQ(skipped.code, "skipped");
  EXPECT_EQ(skipped.reason, "paused");
  EXPECT_EQ(skipped.count, 3);
  EXPECT_NE(skipped.text.find("because it was paused"), std::string::npos) << skipped.text;
}

TEST_F(AutomationStoryTest, ARemovedOneStillTellsItsStory) {
  go_to("2026-11-16T12:00:00.000Z");
  Occurrence ran = occurrence("2026-11-16T08:00:00.000Z", kRunOk);
  ran.ended = ran.due;
  write({OccurrenceLedger::insert(ran), next_is("2026-11-17T08:00:00.000Z")});
  ASSERT_TRUE(world_.run(book_->remove(here_, id_, "cli")));
  world_.run_for(days(3));
  EXPECT_EQ(at("2026-11-16T08:00:00.000Z").code, "ran");
  const AutomationAnswer gone = at("2026-11-17T08:00:00.000Z");
  EXPECT_EQ(gone.code, "removed");
  EXPECT_EQ(gone.by, "cli");
  EXPECT_EQ(to_iso(*gone.since), "2026-11-16T12:00:00.000Z");
  EXPECT_EQ(now().code, "removed");
}

TEST_F(AutomationStoryTest, AOneShotIsDoneAfterItsInstant) {
  auto once = world_.run(book_->create({.workspace = here_,
                                        .message = "call the dentist",
                                        .session_key = conversation_.key.str(),
                                        .schedule = {.kind = ScheduleKind::kAt,
                                                     .at = *from_iso("2026-11-16T08:00:00.000Z"),
                                                     .zone = "UTC"}}));
  ASSERT_TRUE(once) << once.error();
  id_ = once->job.id;
  go_to("2026-11-16T12:00:00.000Z");
  Occurrence ran = occurrence("2026-11-16T08:00:00.000Z", kRunOk);
  ran.ended = ran.due;
  write({OccurrenceLedger::insert(ran),
         {"UPDATE jobs SET state = 'done', state_by = 'rouse', state_reason = 'ok', state_ms = $2, "
          "next_ms = NULL WHERE number = $1",
          {ran.job, ran.due.unix_ms},
          1}});
  EXPECT_EQ(at("2026-11-16T08:00:00.000Z").code, "ran");
  EXPECT_EQ(at("2026-11-16T10:00:00.000Z").code, "done");
  const AutomationAnswer told = now();
  EXPECT_EQ(told.code, "done");
  EXPECT_NE(told.text.find("It is done since Mon 08:00 UTC: ended well."), std::string::npos)
      << told.text;
}

TEST_F(AutomationStoryTest, WhatWasMissedSaysWhy) {
  go_to("2026-11-19T12:00:00.000Z");
  Occurrence missed = occurrence("2026-11-16T08:00:00.000Z", kMissed);
  missed.last = *from_iso("2026-11-19T08:00:00.000Z");
  missed.count = 4;
  missed.reason = "down";
  missed.ended = missed.last;
  write({OccurrenceLedger::insert(missed), next_is("2026-11-20T08:00:00.000Z")});
  const AutomationAnswer told = at("2026-11-18T08:00:00.000Z");
  EXPECT_EQ(told.code, "missed");
  EXPECT_EQ(told.reason, "down");
  EXPECT_EQ(told.count, 4);
}

TEST_F(AutomationStoryTest, OfAFoldedDayTheSumsAreTold) {
  go_to("2026-12-24T12:00:00.000Z");
  const auto day = *from_iso("2026-11-16T00:00:00.000Z");
  const auto sum = [&](std::string state, std::int64_t count) -> Statement {
    return {
        "INSERT INTO occurrence_days (job, day_ms, state, count, first_ms, last_ms) "
        "VALUES ($1, $2, $3, $4, $5, $6)",
        {job(id_).number, day.unix_ms, std::move(state), count, (day + hours(1)).unix_ms,
         (day + hours(23)).unix_ms},
        1};
  };
  write({sum("ok", 20), sum("skipped", 3), next_is("2026-12-25T08:00:00.000Z")});
  const AutomationAnswer told = at("2026-11-16T08:00:00.000Z");
  EXPECT_EQ(told.code, "ran");
  EXPECT_TRUE(told.folded);
  EXPECT_EQ(told.count, 20);
  EXPECT_NE(told.text.find("20 ok"), std::string::npos) << told.text;
  EXPECT_NE(told.text.find("3 skipped"), std::string::npos) << told.text;
}

TEST_F(AutomationStoryTest, AnEditedScheduleIsNotTakenForTheOldOne) {
  go_to("2026-11-16T12:00:00.000Z");
  Occurrence ran = occurrence("2026-11-16T08:00:00.000Z", kRunOk);
  ran.ended = ran.due;
  write({OccurrenceLedger::insert(ran), next_is("2026-11-17T08:00:00.000Z")});
  ASSERT_TRUE(world_.run(
      book_->edit(here_, id_, {.schedule = Schedule{.expr = "0 10 * * *", .zone = "UTC"}}, "api")));
  const AutomationAnswer told = at("2026-11-16T10:00:00.000Z");
  EXPECT_EQ(told.code, "not_due");
  EXPECT_NE(told.text.find("not in force yet"), std::string::npos) << told.text;
}

// Whatever is asked of whatever state: one of the known answers, in words, and nothing is changed.
TEST_F(AutomationStoryTest, ThereIsAlwaysAnAnswerAndAskingChangesNothing) {
  go_to("2026-11-17T12:00:00.000Z");
  Occurrence ran = occurrence("2026-11-16T08:00:00.000Z", kRunTimeout);
  ran.ended = ran.due + minutes(1);
  write({OccurrenceLedger::insert(ran), next_is("2026-11-17T08:00:00.000Z")});
  const std::set<std::string> known{"ran",     "running", "queued",  "deferred",
                                    "skipped", "missed",  "not_due", "paused",
                                    "removed", "done",    "not_yet", "quarantined"};
  const std::uint64_t before = database_->health().writes;
  const WallTime start = *from_iso("2026-11-14T00:00:00.000Z");
  for (std::int64_t step = 0; step < 24 * 12; ++step) {
    const AutomationAnswer told = ask(start + minutes(30) * step);
    EXPECT_TRUE(known.contains(told.code)) << told.code;
    EXPECT_FALSE(told.text.empty());
  }
  EXPECT_EQ(database_->health().writes, before);
}

}  // namespace
}  // namespace rouse
