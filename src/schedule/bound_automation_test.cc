// Scheduled input into a conversation, from the job to the words in the transcript (seed 3).
#include "schedule/schedule_house_for_tests.h"

namespace rouse {
namespace {

class BoundAutomationTest : public ScheduleTest {
 protected:
  static constexpr const char* kTalk = "whatsapp:+15550001";
  // As the last resort of a recovery leaves them: over, and never closed.
  static constexpr std::string_view kLoseTurns =
      "UPDATE turns SET state = 'parked', verdict = 'interrupted', reason = 'unreadable', "
      "ended_ms = 1, started_ms = NULL WHERE kind = 'automation'";

  // While no server is there.
  void change_outside(std::string_view sql) {
    auto opened = world_.open_store();
    ASSERT_TRUE(opened) << opened.error();
    ASSERT_TRUE(world_.run((*opened)->write(Write{{{sql, {}, {}}}})));
    world_.close_store();
  }

  Job create_bridged(std::string message, std::string expr) {
    JobWish w = wish(std::move(message), std::move(expr));
    w.session_key = kTalk;
    return create(w);
  }
  std::int64_t sessions_of_talk() {
    return count("SELECT COUNT(*) FROM sessions WHERE channel = 'whatsapp'");
  }
};

// S3-01, S3-02, CR-36: what the whole thing was written for
TEST_F(BoundAutomationTest, AJobReportsPeopleDiscussAndTheNextRunKnowsInANewSessionToo) {
  write("+15550001", "please watch the site for me", "I will");
  const Job made = create_bridged("report on the site", "0 9 * * *");
  model_->then(ScriptedAnswer::says("The site is slow today."));
  until("2026-11-15T09:00:10.000Z");
  EXPECT_EQ(lines(kTalk).back(), "assistant: The site is slow today.");
  write("+15550001", "that is the backup, ignore it", "I will ignore the backup");
  write("+15550001", "but tell me about errors", "I will");

  // A day later somebody writes again: for a bridge that is a new session. The job runs in it.
  until("2026-11-16T08:00:00.000Z");
  write("+15550001", "good morning", "good morning");
  EXPECT_EQ(sessions_of_talk(), 2);
  model_->then(ScriptedAnswer::says("No errors."));
  until("2026-11-16T09:00:10.000Z");
  const std::string seen = told();
  EXPECT_NE(seen.find("The site is slow today."), std::string::npos) << seen;
  EXPECT_NE(seen.find("that is the backup, ignore it"), std::string::npos) << seen;
  EXPECT_NE(seen.find("but tell me about errors"), std::string::npos) << seen;
  EXPECT_NE(seen.find("Automation: report on the site"), std::string::npos) << seen;
  EXPECT_EQ(lines(kTalk).back(), "assistant: No errors.");
  EXPECT_EQ(rows(made), (Lines{"2026-11-15T09:00 ok", "2026-11-16T09:00 ok"}));

  // People who answer know of it, and so does the next run, in a session that it opens itself.
  write("+15550001", "thanks, what about yesterday?", "It was slow");
  EXPECT_NE(told().find("No errors."), std::string::npos);
  const auto talk = house_->agent.kernel.kernel.find_conversation(made.workspace, kTalk);
  const auto session = house_->agent.kernel.kernel.sessions().latest_of(talk->id);
  ASSERT_TRUE(world_.run(house_->agent.kernel.kernel.close((*session)->id, "api_close")));
  until("2026-11-17T09:00:10.000Z");
  EXPECT_EQ(sessions_of_talk(), 3);
  EXPECT_NE(told().find("No errors."), std::string::npos);
  EXPECT_NE(told().find("thanks, what about yesterday?"), std::string::npos);
}

// S3-15, S3-27, S3-28, S3-29, S3-30
TEST_F(BoundAutomationTest, TheTranscriptHasReadableWordsAndFieldsAndTheRunHasThePrompt) {
  say("hello");
  JobWish w = wish("look at the news", "30 8 * * *");
  w.name = "Morning news";
  const Job made = create(w);
  model_->then(ScriptedAnswer::says("Nothing new."));
  until("2026-11-15T08:30:10.000Z");
  const auto said = transcript();
  ASSERT_EQ(said.size(), 4U);
  EXPECT_EQ(said[2].role, "user");
  EXPECT_EQ(readable_text(said[2].content),
            "Scheduled automation triggered: Morning news\n\nlook at the news");
  const auto all = runs(made);
  ASSERT_EQ(all.size(), 1U);
  const Run& run = all.front();
  const std::string meta = said[2].meta.value_or("");
  EXPECT_NE(meta.find(R"("_automation_turn":true)"), std::string::npos) << meta;
  EXPECT_NE(meta.find(fmt::format(R"("automation_id":"{}")", made.id)), std::string::npos);
  EXPECT_NE(meta.find(R"("automation_name":"Morning news")"), std::string::npos);
  EXPECT_NE(meta.find(fmt::format(R"("automation_run_id":"{}")", run.id)), std::string::npos);
  EXPECT_NE(meta.find(R"("id":"cron.agent_turn.reminder","version":1)"), std::string::npos);
  EXPECT_EQ(said[3].meta, said[2].meta) << "the answer says what made it, too";

  EXPECT_EQ(run.id, fmt::format("{}:{}", made.id, from_iso("2026-11-15T08:30:00.000Z")->unix_ms));
  EXPECT_TRUE(run.prompt.ends_with("Automation: look at the news")) << run.prompt;
  EXPECT_EQ(run.prompt_ref.sha256.size(), 64U);
  EXPECT_NE(run.variables.find("look at the news"), std::string::npos);
  EXPECT_EQ(run.state, "ok");
  EXPECT_EQ(run.tokens_in, 10);
  EXPECT_FALSE(run.late);
  EXPECT_NE(told().find(run.prompt), std::string::npos) << "this is what the model was told";
  for (const std::string& line : lines()) {
    EXPECT_EQ(line.find("scheduled time of an automation"), std::string::npos) << line;
  }
}

// S3-18, S3-C1: one record, first queued, then with its outcome
TEST_F(BoundAutomationTest, ARunIsQueuedUntilItsTurnIsOverUnderTheSameId) {
  const Job made = create(wish("news", "30 8 * * *"));
  model_->then(ScriptedAnswer::hangs_until_cancelled());
  until("2026-11-15T08:30:10.000Z");
  auto all = runs(made);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].state, "queued");
  EXPECT_FALSE(all[0].ended);
  EXPECT_EQ(rows(made), (Lines{"2026-11-15T08:30 queued"}));
  const std::string id = all[0].id;
  ASSERT_TRUE(world_.run(house_->runner().cancel(*all[0].turn)));
  world_.run_for(seconds(1));
  all = runs(made);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].id, id);
  EXPECT_EQ(all[0].state, "interrupted");
  EXPECT_TRUE(all[0].ended);
}

// S3-20, S3-22, S3-23, S3-24, S3-25, S3-26, CR-16
TEST_F(BoundAutomationTest, ABusyConversationIsWaitedForAndNeverDisturbed) {
  house_->runner().configure(
      {.deadline = hours(2), .inactive = hours(2), .loop = {}, .join_running = true});
  JobWish w = wish("news", "30 8 * * *");
  w.timeout = minutes(1);
  const Job made = create(w);
  until("2026-11-15T08:29:50.000Z");
  model_->then(ScriptedAnswer::hangs_until_cancelled());
  const TurnId talk = submit(chat_from("a", "a long one"));
  until("2026-11-15T09:00:00.000Z");
  ASSERT_EQ(model_->requests.size(), 1U) << "only the person's";
  EXPECT_EQ(told().find("news"), std::string::npos);
  EXPECT_EQ(rows(made), (Lines{"2026-11-15T08:30 queued"}));
  EXPECT_EQ(lines(), (Lines{})) << "nothing is in the transcript that hasn't happened";

  model_->then(ScriptedAnswer::says("the news"));
  ASSERT_TRUE(world_.run(house_->runner().cancel(talk)));
  world_.run_for(seconds(1));
  EXPECT_EQ(rows(made), (Lines{"2026-11-15T08:30 ok"})) << "waiting cost nothing of its minute";
  EXPECT_EQ(lines().back(), "assistant: the news");
  EXPECT_EQ(job(made).failures, 0);
}

// S3-21, CR-37: people come first, and are not part of a job's turn
TEST_F(BoundAutomationTest, APersonWhoWritesDuringARunIsAnsweredAfterIt) {
  house_->runner().configure({.loop = {}, .join_running = true});
  const Job made = create(wish("news", "30 8 * * *"));
  model_->then(ScriptedAnswer::hangs_until_cancelled({"the news so far"}));
  model_->then(ScriptedAnswer::says("hello to you"));
  until("2026-11-15T08:30:10.000Z");
  const TurnId talk = submit(chat_from("a", "hello"));
  world_.run_for(seconds(10));
  ASSERT_EQ(model_->requests.size(), 1U) << "the person waits";
  ASSERT_TRUE(world_.run(house_->runner().cancel(*runs(made).back().turn)));
  EXPECT_EQ(wait(talk).response, "hello to you");
  EXPECT_NE(told().find("the news so far"), std::string::npos);
  const auto said = transcript();
  ASSERT_EQ(said.size(), 4U);
  EXPECT_TRUE(said[1].meta);
  EXPECT_FALSE(said[2].meta);
  EXPECT_FALSE(said[3].meta) << "a person's turn is no job's";
}

// S3-34, CR-34
TEST_F(BoundAutomationTest, NothingToSayIsSaidInOneLine) {
  JobWish w = wish("news", "30 8 * * *");
  const Job made = create(w);
  model_->then(ScriptedAnswer());
  until("2026-11-15T08:30:10.000Z");
  EXPECT_EQ(rows(made), (Lines{"2026-11-15T08:30 empty empty"}));
  EXPECT_EQ(lines().back(), "assistant: The automation \"news\" ran and had nothing to report.");
}

// S3-19, S3-34, S3-35, CR-34
TEST_F(BoundAutomationTest, AFailureIsShortInTheTranscriptAndWholeInTheRecord) {
  const Job made = create(wish("news", "30 8 * * *"));
  model_->then(ScriptedAnswer::fails(ModelErrc::kContextFull, "the provider's long story"));
  until("2026-11-15T08:30:10.000Z");
  EXPECT_EQ(lines().back(),
            "assistant: The automation \"news\" failed: the conversation is too long for the "
            "model. Next: Mon 08:30 UTC.");
  const auto all = runs(made);
  EXPECT_EQ(all.back().state, "error");
  EXPECT_EQ(all.back().reason, "model_context_full");
  EXPECT_EQ(all.back().error, "the provider's long story");
  EXPECT_EQ(job(made).failures, 1);
  EXPECT_EQ(job(made).last_status, "error");
}

// CR-31
TEST_F(BoundAutomationTest, WhatMayPassIsTriedAgainAndEachTryHasItsRecord) {
  const Job made = create(wish("news", "30 8 * * *"));
  model_->then(ScriptedAnswer::fails(ModelErrc::kOverloaded));
  until("2026-11-15T08:30:10.000Z");
  EXPECT_EQ(rows(made), (Lines{"2026-11-15T08:30 claimed model_overloaded"}));
  until("2026-11-15T08:31:00.000Z");
  EXPECT_EQ(rows(made), (Lines{"2026-11-15T08:30 ok"}));
  const auto all = runs(made);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].state, "error");
  EXPECT_EQ(all[1].state, "ok");
  EXPECT_EQ(all[1].id, all[0].id + ":2");
  EXPECT_EQ(job(made).failures, 0);
}

// CR-31
TEST_F(BoundAutomationTest, AProviderThatAsksForAPauseGetsIt) {
  const Job made = create(wish("news", "30 8 * * *"));
  ScriptedAnswer limited = ScriptedAnswer::fails(ModelErrc::kRateLimited);
  limited.retry_after = minutes(40);
  model_->then(limited);
  until("2026-11-15T09:09:59.000Z");
  EXPECT_EQ(rows(made), (Lines{"2026-11-15T08:30 claimed model_rate_limited"}));
  EXPECT_EQ(model_->requests.size(), 1U);
  until("2026-11-15T09:14:30.000Z");
  EXPECT_EQ(rows(made), (Lines{"2026-11-15T08:30 ok"}));
  EXPECT_TRUE(lines()[1].contains("It is tried again in 4")) << lines()[1];
}

// CR-31, CR-32
TEST_F(BoundAutomationTest, ARefusedKeyPausesTheJobAndTheConversationIsToldHowToResume) {
  const Job made = create(wish("news", "*/5 * * * *"));
  model_->then(ScriptedAnswer::fails(ModelErrc::kUnauthorized));
  until("2026-11-15T08:05:10.000Z");
  EXPECT_EQ(job(made).state, JobState::kPaused);
  EXPECT_EQ(job(made).state_by, "rouse");
  EXPECT_EQ(lines().back(),
            fmt::format("assistant: The automation \"news\" failed: the model's key was refused. "
                        "It is paused now (the model's key was refused). `rouse automations "
                        "resume {}` starts it again.",
                        made.id));
  until("2026-11-15T09:00:00.000Z");
  EXPECT_EQ(runs(made).size(), 1U) << "one notice, not one each five minutes";
  ASSERT_TRUE(world_.run(house_->book.resume(made.workspace, made.id, "api")));
  until("2026-11-15T09:05:10.000Z");
  EXPECT_EQ(rows(made), (Lines{"2026-11-15T08:05 error model_unauthorized",
                               "2026-11-15T08:10 to 2026-11-15T09:00: 11 skipped paused",
                               "2026-11-15T09:05 ok"}));
}

// CR-32
TEST_F(BoundAutomationTest, AJobThatFailsTenTimesInARowIsPausedAndSaysSo) {
  const Job made = create(wish("news", "0 */2 * * *"));
  model_->otherwise = [](const ModelRequest&) {
    return ScriptedAnswer::fails(ModelErrc::kContextFull);
  };
  world_.run_for(days(2));
  EXPECT_EQ(job(made).state, JobState::kPaused);
  EXPECT_EQ(job(made).failures, 10);
  EXPECT_EQ(runs(made).size(), 10U);
  EXPECT_NE(lines().back().find("rouse automations resume " + made.id), std::string::npos);
}

// CR-30
TEST_F(BoundAutomationTest, AOneShotEndsOnAnyOutcome) {
  const Job good = create(once("tea", "2026-11-15T08:10:00.000Z"));
  until("2026-11-15T08:11:00.000Z");
  EXPECT_EQ(job(good).state, JobState::kDone);

  const Job bad = create(once("tea", "2026-11-15T08:20:00.000Z"));
  model_->then(ScriptedAnswer::fails(ModelErrc::kUnauthorized));
  until("2026-11-15T08:21:00.000Z");
  EXPECT_EQ(job(bad).state, JobState::kDone);
  EXPECT_EQ(rows(bad), (Lines{"2026-11-15T08:20 error model_unauthorized"}));

  const Job busy = create(once("tea", "2026-11-15T08:30:00.000Z"));
  for (int i = 0; i < 3; ++i) model_->then(ScriptedAnswer::fails(ModelErrc::kServerError));
  until("2026-11-15T08:45:00.000Z");
  EXPECT_EQ(job(busy).state, JobState::kDone);
  EXPECT_EQ(runs(busy).size(), 3U);

  JobWish w = once("tea", "2026-11-15T09:00:00.000Z");
  w.catch_up = CatchUp::kSkip;
  const Job missed = create(w);
  down_for(hours(1));
  world_.run_for(seconds(1));
  EXPECT_EQ(job(missed).state, JobState::kDone);
  EXPECT_EQ(rows(missed), (Lines{"2026-11-15T09:00 missed down"}));
  EXPECT_EQ(count("SELECT COUNT(*) FROM jobs WHERE state = 'done'"), 4) << "they stay listed";
}

// S3-14, S3-17: an account and a peer are those of the conversation
TEST_F(BoundAutomationTest, AConversationThatIsGoneIsAFailureAndNoNewOne) {
  const Job made = create_bridged("report", "0 9 * * *");
  until("2026-11-15T09:00:10.000Z");
  EXPECT_EQ(rows(made), (Lines{"2026-11-15T09:00 error conversation_not_found"}));
  EXPECT_EQ(sessions_of_talk(), 0);
}

// CR-5
TEST_F(BoundAutomationTest, ARunThatARestartInterruptsHasOneClosureAndOneRow) {
  const Job made = create(wish("news", "30 8 * * *"));
  model_->then(ScriptedAnswer::calls_tool("c1", "change"));
  model_->then(ScriptedAnswer::hangs_until_cancelled());
  until("2026-11-15T08:30:10.000Z");
  ASSERT_EQ(outside_.done.at("c1"), 1);
  kill();
  begin();
  world_.run_for(minutes(1));
  EXPECT_EQ(rows(made), (Lines{"2026-11-15T08:30 interrupted restart"}));
  EXPECT_EQ(runs(made).back().state, "interrupted");
  EXPECT_EQ(outside_.done.at("c1"), 1) << "what may have happened isn't done again";
  EXPECT_EQ(count("SELECT COUNT(*) FROM messages WHERE role = 'user'"), 1);
  end();
  begin();
  EXPECT_EQ(rows(made), (Lines{"2026-11-15T08:30 interrupted restart"}));
}

// CR-5, CR-30: nobody could close its turn; the start that finds it so settles it
TEST_F(BoundAutomationTest, AOneShotWhoseTurnIsLostIsInterruptedAndDone) {
  const Job made = create(once("tea", "2026-11-15T08:10:00.000Z"));
  model_->then(ScriptedAnswer::hangs_until_cancelled());
  until("2026-11-15T08:10:10.000Z");
  kill();
  change_outside(kLoseTurns);
  begin();
  EXPECT_EQ(rows(made), (Lines{"2026-11-15T08:10 interrupted restart"}));
  EXPECT_EQ(runs(made).back().state, "interrupted");
  EXPECT_EQ(job(made).state, JobState::kDone);
}

// CR-27
TEST_F(BoundAutomationTest, AJobThatCannotBeReadKeepsNobodyFromStarting) {
  const Job made = create(once("tea", "2026-11-15T08:10:00.000Z"));
  model_->then(ScriptedAnswer::hangs_until_cancelled());
  until("2026-11-15T08:10:10.000Z");
  kill();
  change_outside(kLoseTurns);
  change_outside("UPDATE jobs SET extra = '{broken'");
  begin();
  EXPECT_EQ(rows(made), (Lines{"2026-11-15T08:10 interrupted restart"}));
}

// design.md, 2: a run that was dropped before it began said nothing; the one before it did
TEST_F(BoundAutomationTest, WhatWasSaidSinceTheLastRunThatSpokeIsSeenAfterADroppedOne) {
  house_->runner().configure({.deadline = hours(24), .inactive = hours(24), .loop = {}});
  JobWish w = wish("news", "0 9,10,11 * * *");
  w.window = minutes(5);
  const Job made = create(w);
  model_->then(ScriptedAnswer::says("the first report"));
  until("2026-11-15T09:01:00.000Z");
  for (int i = 0; i < 20; ++i) say(fmt::format("about it {}", i));
  model_->then(ScriptedAnswer::hangs_until_cancelled());
  const TurnId talk = submit(chat_from("a", "a long one"));
  until("2026-11-15T10:30:00.000Z");
  ASSERT_TRUE(world_.run(house_->runner().cancel(talk)));
  const auto found = house_->agent.kernel.kernel.find_conversation(made.workspace, "api:a");
  const auto session = house_->agent.kernel.kernel.sessions().latest_of(found->id);
  ASSERT_TRUE(world_.run(house_->agent.kernel.kernel.close((*session)->id, "api_close")));
  until("2026-11-15T11:01:00.000Z");
  EXPECT_EQ(rows(made), (Lines{"2026-11-15T09:00 ok", "2026-11-15T10:00 missed expired",
                               "2026-11-15T11:00 ok"}));
  EXPECT_NE(told().find("the first report"), std::string::npos);
  EXPECT_NE(told().find("about it 0"), std::string::npos);
}

TEST_F(BoundAutomationTest, OneThatWaitsIsDroppedWhenItsJobIsRemoved) {
  house_->runner().configure({.deadline = hours(2), .inactive = hours(2), .loop = {}});
  const Job made = create(wish("news", "30 8 * * *"));
  model_->then(ScriptedAnswer::hangs_until_cancelled());
  const TurnId talk = submit(chat_from("a", "a long one"));
  until("2026-11-15T08:40:00.000Z");
  ASSERT_TRUE(world_.run(house_->book.remove(made.workspace, made.id, "api")));
  world_.run_for(seconds(1));
  EXPECT_EQ(rows(made), (Lines{"2026-11-15T08:30 interrupted removed"}));
  ASSERT_TRUE(world_.run(house_->runner().cancel(talk)));
  world_.run_for(seconds(1));
  EXPECT_EQ(lines().size(), 2U) << "the person's turn alone";
}

}  // namespace
}  // namespace rouse
