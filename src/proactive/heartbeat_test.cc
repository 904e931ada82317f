#include "proactive/heartbeat.h"

#include <gtest/gtest.h>

#include "agent/task/task_book.h"
#include "proactive/heartbeat_for_tests.h"

namespace rouse {
namespace {

const std::string kChangeOnly = "- Mind what happens (on change)";
const std::string kEachBeat = "- Is it time for tea?";

// S2-19 to S2-25, S2-31
TEST_F(HeartbeatTest, BeatsEachHalfHourBetweenSevenAndElevenAndEachBeatIsARow) {
  EXPECT_EQ(reload(), "");
  EXPECT_EQ(beat_job().kind, JobKind::kSystem);
  EXPECT_EQ(beat_job().next, from_iso("2026-11-15T08:30:00.000Z"));
  until("2026-11-15T09:10:00.000Z");
  EXPECT_EQ(summaries(), (Lines{"checked, nothing to report", "checked, nothing to report"}));
  EXPECT_EQ(rows(beat_job()), (Lines{"2026-11-15T08:30 empty nothing_changed",
                                     "2026-11-15T09:00 empty nothing_changed"}));
  EXPECT_EQ(beats()[1].due, from_iso("2026-11-15T09:00:00.000Z"));
  EXPECT_EQ(count("SELECT COUNT(*) FROM activity WHERE type = 'heartbeat'"), 2);
}

// HB-4, S2-32: an idle day has 32 beats and costs nothing
TEST_F(HeartbeatTest, AnIdleDayOfThirtyTwoBeatsAsksNobody) {
  reload();
  until("2026-11-16T06:50:00.000Z");
  const std::size_t before = beats().size();
  until("2026-11-17T06:50:00.000Z");
  EXPECT_EQ(beats().size() - before, 32U);
  EXPECT_TRUE(adviser_.asked.empty());
  EXPECT_TRUE(told_people().empty());
  EXPECT_EQ(count("SELECT COUNT(*) FROM messages"), 0);
}

// HB-4
TEST_F(HeartbeatTest, WhatDependsOnChangeIsAskedOnceAfterSomethingHappened) {
  orders(kChangeOnly);
  reload();
  log("Fixed the transform bug.");
  until("2026-11-15T09:40:00.000Z");
  ASSERT_EQ(adviser_.asked.size(), 1U);
  EXPECT_NE(adviser_.asked[0].text.find("Fixed the transform bug."), std::string::npos);
  EXPECT_EQ(beats()[0].outcome, "silent_token");
  EXPECT_EQ(beats()[0].calls, 1);
  EXPECT_EQ(beats()[0].cost_micros, 1'000);
  EXPECT_EQ(beats()[1].reason, "nothing_changed");
  orders("- Mind the mail (on change)");
  until("2026-11-15T10:40:00.000Z");
  EXPECT_EQ(adviser_.asked.size(), 2U);  // other orders are a change, once
}

// S2-28: plain text depends on the time
TEST_F(HeartbeatTest, PlainTextIsAskedAtEachBeatAndAnEditCountsAtTheNext) {
  orders(kEachBeat);
  reload();
  until("2026-11-15T09:10:00.000Z");
  EXPECT_EQ(adviser_.asked.size(), 2U);
  orders("<!-- " + kEachBeat + " -->");
  until("2026-11-15T10:10:00.000Z");
  EXPECT_EQ(adviser_.asked.size(), 2U);
  EXPECT_EQ(beats().back().reason, "checks_only");
}

// S2-30, HB-14
TEST_F(HeartbeatTest, TheSameAlertIsToldOnceADay) {
  orders(kEachBeat);
  reload();
  adviser_.otherwise = AdviserForTests::reports("notify", "Send Henrik the draft.");
  until("2026-11-15T08:40:00.000Z");
  EXPECT_EQ(told_people(), (Lines{"Send Henrik the draft."}));
  EXPECT_EQ(beats()[0].outcome, "spoke");
  EXPECT_EQ(beats()[0].verdict, "notify");
  adviser_.otherwise = AdviserForTests::says("**Send henrik the draft!**");
  until("2026-11-15T09:10:00.000Z");
  EXPECT_EQ(told_people().size(), 1U);
  EXPECT_EQ(beats()[1].summary, "**Send henrik the draft!** (already told)");
  EXPECT_EQ(beats()[1].outcome, "silent_dedup");
  until("2026-11-16T09:10:00.000Z");
  EXPECT_EQ(told_people().size(), 2U);
}

// S2-30, S2-46, U9
TEST_F(HeartbeatTest, AWakeIsAMessageInTheConfiguredConversation) {
  orders(kEachBeat);
  say("hello");
  EXPECT_EQ(settings(R"({"conversation":"api:a"})"), "");
  adviser_.next.push_back(AdviserForTests::reports("wake", "The build of atlas is red: mend it."));
  model_->then(ScriptedAnswer::says("Mended."));
  until("2026-11-15T08:40:00.000Z");
  EXPECT_EQ(lines(), (Lines{"user: hello", "assistant: ok",
                            "user: The build of atlas is red: mend it.", "assistant: Mended."}));
  ASSERT_EQ(beats().size(), 1U);
  EXPECT_EQ(beats()[0].verdict, "wake");
  ASSERT_TRUE(beats()[0].turn);
  const auto turn = house_->agent.kernel.kernel.turns().get(*beats()[0].turn);
  EXPECT_EQ((*turn)->kind, TurnKind::kHeartbeatWake);
  EXPECT_NE(transcript()[2].meta->find(R"("source":{"kind":"heartbeat","label":"heartbeat"})"),
            std::string::npos);
  EXPECT_EQ(rows(beat_job()), (Lines{"2026-11-15T08:30 ok wake"}));
  EXPECT_TRUE(told_people().empty());
}

// Rule 8: what strangers wrote doesn't become the agent's own words by passing through the log.
TEST_F(HeartbeatTest, AWakeMadeOfForeignWordsIsForeign) {
  orders(kEachBeat);
  say("hello");
  EXPECT_EQ(settings(R"({"conversation":"api:a"})"), "");
  log("A page said: mend the build", ActivityType::kMessage, R"({"untrusted":true})");
  adviser_.next.push_back(AdviserForTests::reports("wake", "Mend the build."));
  until("2026-11-15T08:40:00.000Z");
  ASSERT_EQ(transcript().size(), 4U);
  EXPECT_EQ(transcript()[2].content.front().from, kFromUntrusted);
}

// design.md, 5
TEST_F(HeartbeatTest, ATokenInTheAnswerOfAWakeIsReadByNobody) {
  orders(kEachBeat);
  say("hello");
  EXPECT_EQ(settings(R"({"conversation":"api:a"})"), "");
  adviser_.next.push_back(AdviserForTests::reports("wake", "Mend the build."));
  model_->then(ScriptedAnswer::says("Mended. **HEARTBEAT_OK**"));
  until("2026-11-15T08:40:00.000Z");
  EXPECT_EQ(lines().back(), "assistant: Mended.");
}

// U3: whoever was woken, or waits for an automation, isn't met with silence.
TEST_F(HeartbeatTest, AnAnswerOfNothingButATokenGetsALine) {
  orders(kEachBeat);
  say("hello");
  EXPECT_EQ(settings(R"({"conversation":"api:a"})"), "");
  const Job job = create(wish("look", "15 8 * * *"));
  model_->then(ScriptedAnswer::says("NO_REPLY"));
  until("2026-11-15T08:20:00.000Z");
  EXPECT_EQ(lines().back(), "assistant: The automation \"look\" ran and had nothing to report.");
  ASSERT_EQ(runs(job).size(), 1U);
  EXPECT_EQ(runs(job)[0].state, kRunEmpty);
  adviser_.next.push_back(AdviserForTests::reports("wake", "Mend the build."));
  model_->then(ScriptedAnswer::says("**HEARTBEAT_OK**"));
  until("2026-11-15T08:40:00.000Z");
  EXPECT_EQ(lines().back(), "assistant: There was nothing to report.");
}

// HB-4: it was paid for, so it is judged
TEST_F(HeartbeatTest, WhatWasWrittenAfterTheLastBeatOfADayIsReadByTheFirstOfTheNext) {
  orders(kChangeOnly);
  reload();
  until("2026-11-15T22:50:00.000Z");
  EXPECT_TRUE(adviser_.asked.empty());
  log("Late work.");
  until("2026-11-16T07:10:00.000Z");
  ASSERT_EQ(adviser_.asked.size(), 1U);
  EXPECT_NE(adviser_.asked[0].text.find("15 November 2026, 22:50 message: Late work."),
            std::string::npos);
  until("2026-11-16T12:10:00.000Z");
  EXPECT_EQ(adviser_.asked.size(), 1U);
}

// HB-14
TEST_F(HeartbeatTest, WhatAModelJudgesAtEachBeatMayBeToldAgainAfterADay) {
  orders(kEachBeat + "\n- check: command \"test -e /flag\"");
  command_ = false;
  reload();
  until("2026-11-16T09:10:00.000Z");
  const auto fresh = std::ranges::count_if(adviser_.asked, [](const OneShotQuestion& one) {
    return one.text.find("(told before)") == std::string::npos;
  });
  EXPECT_EQ(fresh, 2);
}

TEST_F(HeartbeatTest, AVerdictWithoutWordsLeavesThemToTheFindings) {
  orders(kEachBeat + "\n- check: command \"test -e /flag\"");
  reload();
  adviser_.otherwise = AdviserForTests::reports("notify", "");
  until("2026-11-15T08:40:00.000Z");
  EXPECT_TRUE(told_people().empty());
  EXPECT_EQ(beats()[0].verdict, "nothing");
  command_ = false;
  until("2026-11-15T09:10:00.000Z");
  EXPECT_EQ(told_people(), (Lines{"The check `test -e /flag` is not fine."}));
}

TEST_F(HeartbeatTest, OneThatIsSwitchedOffWhileItAsksSaysNothing) {
  orders(kEachBeat);
  reload();
  adviser_.takes = seconds(20);
  adviser_.otherwise = AdviserForTests::reports("notify", "Tea.");
  until("2026-11-15T08:30:10.000Z");
  ASSERT_EQ(adviser_.asked.size(), 1U);
  settings(R"({"enabled":false})");
  until("2026-11-15T08:32:00.000Z");
  EXPECT_TRUE(told_people().empty());
  EXPECT_TRUE(beats().empty());
  EXPECT_EQ(status().today.cost_micros, 1'000);
  EXPECT_EQ(count("SELECT COUNT(*) FROM occurrences WHERE ended_ms IS NULL"), 0);
}

// CR-27
TEST_F(HeartbeatTest, OneWhoseJobIsBrokenIsMadeAnew) {
  reload();
  ASSERT_TRUE(world_.run(database_->write(
      Write{{{"UPDATE jobs SET extra = '{broken', state = 'quarantined', next_ms = NULL "
              "WHERE job_id = 'heartbeat'",
              {},
              1}}})));
  EXPECT_EQ(reload(), "");
  until("2026-11-15T08:40:00.000Z");
  EXPECT_EQ(beats().size(), 1U);
}

// HB-12
TEST_F(HeartbeatTest, WhatConcernsTheWholeWorkspaceIsToldByOne) {
  has_model_ = false;
  say("hello");
  create(wish("look", "15 8 * * *"));
  model_->otherwise = [](const ModelRequest&) {
    return ScriptedAnswer::fails(ModelErrc::kRefused, "no");
  };
  orders("- check: failed_runs");
  EXPECT_EQ(settings(R"({"heartbeats":[{"name":"main"},{"name":"atlas","project":"atlas"}]})"), "");
  until("2026-11-15T08:40:00.000Z");
  EXPECT_EQ(beats("main").size() + beats("atlas").size(), 2U);
  EXPECT_EQ(told_people().size(), 1U);
}

TEST_F(HeartbeatTest, AWakeWithoutAConversationBecomesANotification) {
  orders(kEachBeat);
  reload();
  adviser_.next.push_back(AdviserForTests::reports("wake", "Mend the build of api:b"));
  until("2026-11-15T08:40:00.000Z");
  EXPECT_EQ(told_people(), (Lines{"Mend the build of api:b"}));
  EXPECT_EQ(beats()[0].verdict, "notify");
}

// HB-7
TEST_F(HeartbeatTest, APersonWhoJustWroteIsLeftAloneForAWhile) {
  orders(kEachBeat);
  settings(R"({"conversation":"api:a"})");
  until("2026-11-15T08:28:00.000Z");
  say("hello");
  until("2026-11-15T08:32:30.000Z");
  EXPECT_TRUE(beats().empty());
  EXPECT_EQ(status().deferred, "person_wrote");
  until("2026-11-15T08:33:30.000Z");
  ASSERT_EQ(beats().size(), 1U);
  EXPECT_EQ(rows(beat_job()), (Lines{"2026-11-15T08:30 empty silent_token"}));
}

// HB-7
TEST_F(HeartbeatTest, ABeatNeverRunsInsideATurnAndGivesUpInTheEnd) {
  orders(kEachBeat);
  settings(R"({"conversation":"api:a","interval_minutes":2,"quiet_after_message_minutes":0})");
  until("2026-11-15T08:27:59.000Z");
  model_->then(ScriptedAnswer::hangs_until_cancelled());
  const TurnId turn = submit(chat_from("a", "a long one"));
  const std::size_t before = adviser_.asked.size();
  until("2026-11-15T08:28:40.000Z");
  EXPECT_EQ(status().deferred, "conversation_busy");
  until("2026-11-15T08:29:05.000Z");
  EXPECT_EQ(adviser_.asked.size(), before);
  EXPECT_EQ(rows(beat_job()).back(), "2026-11-15T08:28 skipped conversation_busy");
  ASSERT_TRUE(world_.run(house_->runner().cancel(turn)));
  until("2026-11-15T08:30:05.000Z");
  EXPECT_EQ(adviser_.asked.size(), before + 1);
  const auto skip = status().last_skip;
  ASSERT_TRUE(skip);
  EXPECT_EQ(skip->reason, "conversation_busy");
}

// HB-7: somebody who writes during a beat doesn't wait for it
TEST_F(HeartbeatTest, AMessageDuringABeatIsAnsweredAtOnceAndTheWakeWaitsItsTurn) {
  orders(kEachBeat);
  settings(R"({"conversation":"api:a"})");
  adviser_.takes = seconds(30);
  adviser_.next.push_back(AdviserForTests::reports("wake", "Mend it."));
  until("2026-11-15T08:30:10.000Z");
  ASSERT_EQ(adviser_.asked.size(), 1U);
  const WallTime before = now();
  EXPECT_EQ(say("hello", "hi"), "hi");
  EXPECT_LT(now() - before, seconds(1));
  model_->then(ScriptedAnswer::says("Mended."));
  until("2026-11-15T08:32:00.000Z");
  EXPECT_EQ(lines(),
            (Lines{"user: hello", "assistant: hi", "user: Mend it.", "assistant: Mended."}));
}

// HB-6
TEST_F(HeartbeatTest, OffIsOff) {
  reload();
  settings(R"({"enabled":false})");
  until("2026-11-17T08:00:00.000Z");
  EXPECT_TRUE(beats().empty());
  away_for(hours(1));
  until("2026-11-17T12:00:00.000Z");
  EXPECT_TRUE(beats().empty());
  EXPECT_EQ(now_beat().reason, "disabled");
  settings(R"({"interval_minutes":60})");
  until("2026-11-17T13:10:00.000Z");
  EXPECT_EQ(beats().size(), 1U);
}

// HB-5
TEST_F(HeartbeatTest, ABudgetThatIsSpentStopsTheBeatsWithOneNotice) {
  orders(kEachBeat);
  settings(R"({"daily_cap_calls":2})");
  until("2026-11-15T22:50:00.000Z");
  EXPECT_EQ(adviser_.asked.size(), 2U);
  EXPECT_EQ(told_people().size(), 1U);
  EXPECT_EQ(rows(beat_job())[2], "2026-11-15T09:30 skipped budget_spent");
  EXPECT_EQ(status().today.calls, 2);
  EXPECT_EQ(status().today.cost_micros, 2'000);
  until("2026-11-16T07:10:00.000Z");
  EXPECT_EQ(adviser_.asked.size(), 3U);
}

// HB-5
TEST_F(HeartbeatTest, MoneyIsACapToo) {
  orders(kEachBeat);
  settings(R"({"daily_cap_usd":0.0035})");
  until("2026-11-15T22:50:00.000Z");
  EXPECT_EQ(adviser_.asked.size(), 3U);  // a thousandth each; the fourth could pass it
  EXPECT_EQ(told_people().size(), 1U);
}

// UX-6: the heartbeat and whoever else is refused that day share the workspace's one notice.
TEST_F(HeartbeatTest, AWorkspaceThatHasSpentItsDayHearsOfItOnce) {
  orders(kEachBeat);
  settings("{}");
  SpendBook& spend = house_->agent.house.spend();
  spend.configure({.day_micros = 1'000, .day_tokens = {}, .conversation_micros = {}});
  TurnSpend used{.micros = 1'000};
  ASSERT_TRUE(world_.run(database_->write({spend.record(here_, {}, "UTC", used)})));
  until("2026-11-15T12:00:00.000Z");
  EXPECT_EQ(adviser_.asked.size(), 0U);
  ASSERT_EQ(told_people().size(), 1U);
  EXPECT_TRUE(told_people()[0].starts_with("The cap for today is reached: $0.0010 of $0.0010"))
      << told_people()[0];
  away_for(minutes(1));
  house_->agent.house.spend().configure(
      {.day_micros = 1'000, .day_tokens = {}, .conversation_micros = {}});
  until("2026-11-15T22:50:00.000Z");
  EXPECT_EQ(told_people().size(), 1U);
}

// HB-5
TEST_F(HeartbeatTest, ACapIsNoCapWhereNobodyKnowsThePrice) {
  orders(kEachBeat);
  heartbeat_->use_prices(
      [](const std::string&, const OneShotQuestion&) { return std::optional<std::int64_t>(); });
  settings(R"({"daily_cap_usd":1})");
  until("2026-11-15T09:10:00.000Z");
  EXPECT_TRUE(adviser_.asked.empty());
  EXPECT_EQ(beats()[1].reason, "price_unknown");
  EXPECT_EQ(beats()[1].state, "empty");
  EXPECT_NE(status().problem.find("price of the model 'cheap' is not known"), std::string::npos);
}

// HB-5: nobody knows whether a call that was under way at a death was paid for
TEST_F(HeartbeatTest, ADeathDuringACallKeepsWhatItMayHaveCost) {
  const auto price = [](const std::string&, const OneShotQuestion&) {
    return std::optional<std::int64_t>(2'000);
  };
  orders(kEachBeat);
  heartbeat_->use_prices(price);
  settings(R"({"daily_cap_usd":0.005})");
  adviser_.takes = seconds(20);
  until("2026-11-15T08:30:10.000Z");
  ASSERT_EQ(adviser_.asked.size(), 1U);
  watch_->stop();
  kill();
  heartbeat_.reset();
  begin();
  heartbeat_->use_prices(price);
  reload();
  until("2026-11-15T08:32:00.000Z");
  EXPECT_EQ(adviser_.asked.size(), 2U);
  EXPECT_EQ(status().today.cost_micros, 3'000);
}

// HB-14
TEST(BeatState, AClockThatIsSetBackSilencesNothingAndACallStaysAsDear) {
  const WallTime now = *from_iso("2026-11-15T08:30:00.000Z");
  BeatState state;
  state.today = {.day = "2026-11-14", .calls = 3, .dearest_micros = 700};
  state.note_told({"a", 1, "A."}, now + hours(2));
  state.note_told({"b", 1, "B."}, now + seconds(1));
  state.note_said("c", "C.", now + hours(2));
  state.move_to(now, "2026-11-15");
  EXPECT_TRUE(state.is_fresh({"a", 1, "A."}));
  EXPECT_FALSE(state.is_fresh({"b", 1, "B."}));
  EXPECT_FALSE(state.was_said("c"));
  EXPECT_EQ(state.today.calls, 0);
  EXPECT_EQ(state.today.dearest_micros, 700);
}

// HB-5
TEST_F(HeartbeatTest, AKeyThatIsRefusedIsTriedAgainAfterAnHourAndToldOnceADay) {
  orders(kEachBeat + "\n- check: command \"test -e /flag\"");
  reload();
  adviser_.otherwise = fail(Errc::kUnauthorized, "the key was refused");
  until("2026-11-15T12:10:00.000Z");
  EXPECT_EQ(adviser_.asked.size(), 3U);  // 08:30, 10:00, 11:30
  EXPECT_EQ(beats()[0].summary, "The heartbeat could not ask the model: the key was refused");
  EXPECT_EQ(beats()[0].state, "error");
  EXPECT_EQ(beats()[1].reason, "model_refused");
  EXPECT_NE(status().problem.find("refused"), std::string::npos);
  command_ = false;
  until("2026-11-15T12:40:00.000Z");
  ASSERT_EQ(told_people().size(), 2U);
  EXPECT_NE(told_people()[0].find("the key was refused"), std::string::npos);
  EXPECT_EQ(told_people()[1], "The check `test -e /flag` is not fine.");
  adviser_.otherwise = AdviserForTests::says("HEARTBEAT_OK");
  heartbeat_->configuration_changed();
  until("2026-11-15T13:10:00.000Z");
  EXPECT_EQ(adviser_.asked.size(), 4U);
  EXPECT_EQ(status().problem, "");
}

// HB-2
TEST_F(HeartbeatTest, AModelThatFailsIsAskedAgainAtTheNextBeatAndNotBefore) {
  orders(kChangeOnly);
  reload();
  log("Something.");
  adviser_.next.push_back(fail(Errc::kRateLimited, "too many requests"));
  until("2026-11-15T08:59:00.000Z");
  EXPECT_EQ(adviser_.asked.size(), 1U);
  EXPECT_EQ(rows(beat_job()), (Lines{"2026-11-15T08:30 error rate_limited"}));
  until("2026-11-15T09:59:00.000Z");
  EXPECT_EQ(adviser_.asked.size(), 2U);
  EXPECT_TRUE(told_people().empty());
}

// HB-3
TEST_F(HeartbeatTest, AQuietBeatLeavesNothingInTheConversation) {
  orders(kEachBeat);
  say("hello");
  settings(R"({"conversation":"api:a"})");
  const auto before = database_->read({"SELECT * FROM conversations", {}});
  const auto sessions = database_->read({"SELECT * FROM sessions", {}});
  until("2026-11-15T12:10:00.000Z");
  EXPECT_EQ(adviser_.asked.size(), 8U);
  EXPECT_EQ(lines().size(), 2U);
  EXPECT_EQ(*database_->read({"SELECT * FROM conversations", {}}), *before);
  EXPECT_EQ(*database_->read({"SELECT * FROM sessions", {}}), *sessions);
  say("and now?");
  EXPECT_EQ(told().find("HEARTBEAT"), std::string::npos);
  EXPECT_EQ(adviser_.asked.back().text.find("nothing to report"), std::string::npos);
}

// HB-8, HB-16
TEST_F(HeartbeatTest, MissedBeatsBecomeOne) {
  reload();
  until("2026-11-15T08:40:00.000Z");
  away_for(hours(3));
  until("2026-11-15T11:58:00.000Z");
  EXPECT_EQ(beats().size(), 2U);
  EXPECT_TRUE(beats()[1].late);
  EXPECT_EQ(beats()[1].due, from_iso("2026-11-15T11:30:00.000Z"));
  world_.clock().suspend(hours(4));
  until("2026-11-15T16:05:00.000Z");
  EXPECT_EQ(beats().size(), 4U);  // the last missed one, and 16:00
}

// HB-10
TEST_F(HeartbeatTest, ANightWindowPassesMidnightAndNothingBeatsOutsideOfIt) {
  settings(R"({"interval_minutes":60,"active_hours":{"start":"22:00","end":"02:00",
               "zone":"Europe/Berlin"}})");
  until("2026-11-16T12:00:00.000Z");
  Lines dues;
  for (const Beat& beat : beats()) dues.push_back(to_iso(*beat.due).substr(5, 11));
  EXPECT_EQ(dues, (Lines{"11-15T21:00", "11-15T22:00", "11-15T23:00", "11-16T00:00"}));
}

// HB-10
TEST_F(HeartbeatTest, AClockChangeMovesTheHoursWithTheClock) {
  at("2027-03-27T12:00:00.000Z");
  settings(R"({"interval_minutes":240,"active_hours":{"start":"07:00","end":"12:00",
               "zone":"Europe/Berlin"}})");
  until("2027-03-29T12:00:00.000Z");
  Lines dues;
  for (const Beat& beat : beats()) dues.push_back(to_iso(*beat.due).substr(5, 11));
  EXPECT_EQ(dues, (Lines{"03-28T05:00", "03-28T09:00", "03-29T05:00", "03-29T09:00"}));
}

TEST_F(HeartbeatTest, APersonWhoMovesTakesTheHoursAlong) {
  reload();
  ASSERT_TRUE(world_.run(house_->agent.kernel.workspaces.update(
      here_, {.name = {}, .timezone = "Asia/Tokyo", .locale = {}})));
  until("2026-11-15T08:40:00.000Z");
  EXPECT_EQ(beat_job().schedule.zone, "Asia/Tokyo");
  EXPECT_EQ(rows(beat_job()), (Lines{"2026-11-15T08:30 empty nothing_changed"}));
  until("2026-11-15T20:00:00.000Z");
  EXPECT_EQ(to_iso(*beats().back().due).substr(0, 16), "2026-11-15T13:30");  // 22:30 there
}

TEST_F(HeartbeatTest, ALateBeatOutsideOfItsHoursIsSkipped) {
  settings(R"({"active_hours":{"start":"07:00","end":"09:10"}})");
  until("2026-11-15T08:40:00.000Z");
  away_for(minutes(45));
  until("2026-11-15T12:00:00.000Z");
  EXPECT_EQ(beats().size(), 1U);
  EXPECT_EQ(rows(beat_job()).back(), "2026-11-15T09:00 skipped outside_hours");
}

// HB-11
TEST_F(HeartbeatTest, ItsModelComesFromItsFileAlone) {
  orders(kEachBeat);
  settings(R"({"model":"main"})");
  until("2026-11-15T08:40:00.000Z");
  EXPECT_EQ(roles_.back(), "main");
  settings("{}");
  until("2026-11-15T09:10:00.000Z");
  EXPECT_EQ(roles_.back(), "cheap");
}

// HB-12
TEST_F(HeartbeatTest, SeveralBeatOnceEachInTheirInterval) {
  say("one");
  write("b", "two");
  files_["atlas.md"] = kEachBeat;
  EXPECT_EQ(settings(R"({"heartbeats":[{"name":"main"},{"name":"atlas","interval":"1h",
                         "orders":"atlas.md"}]})"),
            "");
  until("2026-11-15T11:10:00.000Z");
  EXPECT_EQ(beats("main").size(), 6U);
  EXPECT_EQ(beats("atlas").size(), 3U);
  EXPECT_EQ(adviser_.asked.size(), 3U);
  settings(R"({"heartbeats":[{"name":"main"}]})");
  until("2026-11-15T12:10:00.000Z");
  EXPECT_EQ(beats("atlas").size(), 3U);
}

// HB-9, HB-14: checks speak without a model, once, and again when it got worse
TEST_F(HeartbeatTest, WithoutAModelTheChecksSpeakForThemselves) {
  has_model_ = false;
  reload();
  say("hello");
  Job job = create(wish("look", "15 * * * *"));
  model_->otherwise = [](const ModelRequest&) {
    return ScriptedAnswer::fails(ModelErrc::kRefused, "no");
  };
  until("2026-11-15T08:40:00.000Z");
  ASSERT_EQ(told_people().size(), 1U);
  EXPECT_TRUE(told_people()[0].starts_with("The automation \"look\" failed once in the last"))
      << told_people()[0];
  EXPECT_EQ(beats()[0].reason, "no_model");
  ASSERT_TRUE(world_.run(house_->book.pause(here_, job.id, "api", "")) || true);
  until("2026-11-15T09:10:00.000Z");
  EXPECT_EQ(told_people().size(), 1U);
  EXPECT_TRUE(beats()[1].summary.ends_with("(already told)")) << beats()[1].summary;
  EXPECT_TRUE(adviser_.asked.empty());
}

// HB-14: worse is twice as old
TEST_F(HeartbeatTest, WhatGotWorseIsToldAgain) {
  orders("- check: overdue_tasks 2h");
  TaskBook tasks(*database_, world_.clock(), world_.random(), house_->agent.house.events());
  ASSERT_TRUE(world_.run(tasks.add(here_, {.title = "Pay the rent"})));
  reload();
  until("2026-11-15T10:40:00.000Z");
  EXPECT_EQ(told_people().size(), 1U);
  until("2026-11-15T12:10:00.000Z");
  EXPECT_EQ(told_people().size(), 1U);
  until("2026-11-15T16:10:00.000Z");
  EXPECT_EQ(told_people().size(), 2U);
  until("2026-11-15T16:40:00.000Z");
  EXPECT_EQ(told_people().size(), 3U);
  EXPECT_TRUE(adviser_.asked.empty());
}

// U9
TEST_F(HeartbeatTest, TheSameWakeIsNotQueuedTwice) {
  orders(kEachBeat);
  settings(R"({"conversation":"api:a","heartbeats":[{"name":"a"},{"name":"b"}]})");
  adviser_.takes = seconds(20);
  adviser_.step = seconds(5);
  adviser_.otherwise = AdviserForTests::reports("wake", "Mend it.");
  until("2026-11-15T08:30:10.000Z");
  ASSERT_EQ(adviser_.asked.size(), 2U);
  model_->then(ScriptedAnswer::hangs_until_cancelled());
  const TurnId turn = submit(chat_from("a", "a long one"));
  until("2026-11-15T08:31:00.000Z");
  EXPECT_EQ(count("SELECT COUNT(*) FROM turns WHERE kind = 'heartbeat_wake'"), 1);
  ASSERT_EQ(beats("b").size(), 1U);
  EXPECT_EQ(beats("b")[0].outcome, "silent_dedup");
  ASSERT_TRUE(world_.run(house_->runner().cancel(turn)));
}

// The process dies while the model thinks: one row, and the call was counted.
TEST_F(HeartbeatTest, ADeathInTheMiddleLosesNoBeatAndDoublesNone) {
  orders(kEachBeat);
  settings(R"({"daily_cap_calls":2})");
  adviser_.takes = seconds(20);
  until("2026-11-15T08:30:10.000Z");
  ASSERT_EQ(adviser_.asked.size(), 1U);
  watch_->stop();
  kill();
  heartbeat_.reset();
  begin();
  reload();
  until("2026-11-15T08:32:00.000Z");
  EXPECT_EQ(beats().size(), 1U);
  EXPECT_EQ(adviser_.asked.size(), 2U);
  EXPECT_EQ(status().today.calls, 2);
  until("2026-11-15T09:32:00.000Z");
  EXPECT_EQ(adviser_.asked.size(), 2U);
}

TEST_F(HeartbeatTest, ABrokenFileChangesNothingAndSaysWhatIsWrong) {
  orders(kEachBeat);
  settings(R"({"interval_minutes":60})");
  EXPECT_EQ(settings(R"({"intervall":5})"),
            "heartbeat.json: 'intervall' is not known; did you mean 'interval'?");
  until("2026-11-15T10:10:00.000Z");
  EXPECT_EQ(beats().size(), 2U);
  EXPECT_NE(status().problem.find("did you mean"), std::string::npos);
  away_for(minutes(5));
  until("2026-11-15T11:10:00.000Z");
  EXPECT_EQ(rows(beat_job()).back(), "2026-11-15T11:00 skipped settings_broken");
  orders("- check: nonsense");
  EXPECT_NE(settings("{}").find("heartbeat-prompt.md, line 1: there is no check"),
            std::string::npos);
}

TEST_F(HeartbeatTest, ABeatByHandGoesTheSameWayAtAnyHour) {
  orders(kEachBeat);
  settings(R"({"active_hours":{"start":"20:00","end":"21:00"}})");
  adviser_.next.push_back(AdviserForTests::reports("notify", "Tea."));
  const Beat beat = now_beat();
  EXPECT_EQ(beat.verdict, "notify");
  EXPECT_EQ(beat.due, std::nullopt);
  EXPECT_EQ(told_people(), (Lines{"Tea."}));
  EXPECT_EQ(summaries(), (Lines{"Tea."}));
  EXPECT_TRUE(rows(beat_job()).empty());
  EXPECT_TRUE(world_.run(heartbeat_->beat_now(here_, "nobody")).error().is(Errc::kNotFound));
}

// S2-43: work, punchline, the heartbeat notices, wakes, the work is logged, the next beat knows
TEST_F(HeartbeatTest, TheLoopOfTheSeed) {
  orders(kChangeOnly);
  say("Draft a mail to Henrik");
  settings(R"({"conversation":"api:a"})");
  log("Drafted a mail to Henrik, not sent.");
  adviser_.next.push_back(AdviserForTests::reports("wake", "The mail to Henrik is not sent."));
  model_->then(ScriptedAnswer::says("I sent it."));
  until("2026-11-15T08:35:00.000Z");
  EXPECT_EQ(lines().back(), "assistant: I sent it.");
  log("Sent the mail to Henrik.", ActivityType::kHeartbeat);
  until("2026-11-15T09:05:00.000Z");
  ASSERT_EQ(adviser_.asked.size(), 2U);
  const std::string& knows = adviser_.asked[1].text;
  EXPECT_NE(knows.find("Sent the mail to Henrik."), std::string::npos);
  EXPECT_NE(knows.find("heartbeat: The mail to Henrik is not sent."), std::string::npos);
  until("2026-11-15T10:05:00.000Z");
  EXPECT_EQ(adviser_.asked.size(), 2U);
}

// HB-16
TEST_F(HeartbeatTest, SomebodyIsToldOnceWhenTheBeatsStop) {
  reload();
  watch_->start();
  until("2026-11-15T09:10:00.000Z");
  EXPECT_TRUE(alarms_.empty());
  house_->scheduler.configure({.enabled = false});
  until("2026-11-15T12:10:00.000Z");
  ASSERT_EQ(alarms_.size(), 1U);
  EXPECT_TRUE(alarms_[0].starts_with("heartbeat of ws_default has not beaten")) << alarms_[0];
  EXPECT_EQ(told_people().size(), 1U);
  house_->scheduler.configure({});
  until("2026-11-15T13:10:00.000Z");
  ASSERT_EQ(alarms_.size(), 2U);
  EXPECT_EQ(alarms_[1], "");
  world_.clock().suspend(hours(4));
  until("2026-11-15T18:10:00.000Z");
  EXPECT_EQ(alarms_.size(), 2U);  // a machine that slept is no alarm
}

// HB-16
TEST_F(HeartbeatTest, EachThatStopsIsToldAndAWordThatCannotBeWrittenIsSaidLater) {
  settings(R"({"heartbeats":[{"name":"a"},{"name":"b","interval":"1h"}]})");
  watch_->start();
  until("2026-11-15T09:10:00.000Z");
  house_->scheduler.configure({.enabled = false});
  world_.disk().set_read_only(true);
  until("2026-11-15T09:50:00.000Z");
  EXPECT_TRUE(told_people().empty());
  world_.disk().set_read_only(false);
  until("2026-11-15T09:55:00.000Z");
  EXPECT_EQ(told_people().size(), 1U);
  until("2026-11-15T11:10:00.000Z");
  EXPECT_EQ(told_people().size(), 2U);
  house_->scheduler.configure({});
}

}  // namespace
}  // namespace rouse
