#include "activity/activity_for_tests.h"
#include "session/remove/conversation_delete.h"
#include "store/sqlite/sqlite_text_index.h"

namespace rouse {
namespace {

class ChronicleTest : public ActivityTest {
 protected:
  // The last turn was a run of an automation.
  void note_run() {
    ASSERT_TRUE(world_.run(database_->write(one(
        "INSERT INTO runs (number, run_id, workspace_id, job, job_id, job_name, due_ms, attempt, "
        "kind, state, reason, session_key, prompt_id, prompt_version, prompt_sha256, variables, "
        "prompt, turn_id, answer, routed, error, model, tokens_in, tokens_out, queued_ms, late) "
        "VALUES (1, 'run-1', 'ws_default', 1, 'job-1', 'daily', 0, 1, 'bound', 'ok', '', '', '', "
        "1, '', '{}', '', $1, '', '', '', '', 0, 0, 0, 0)",
        {house_->last_turn.str()}))));
  }
};

// S2-09, S2-10, S2-14
TEST_F(ChronicleTest, TwoMinutesOfRestBecomeOneRow) {
  say("book a table", "booked for 19:00");
  world_.run_for(seconds(119));
  EXPECT_EQ(rows(), Lines{});
  world_.run_for(seconds(2));
  EXPECT_EQ(rows(), Lines{"message: Line 1."});
  const Activity row = page().rows.front();
  EXPECT_EQ(row.conversation, house_->conversation);
  EXPECT_EQ(row.turn, house_->last_turn);
  EXPECT_TRUE(row.session);
  EXPECT_EQ(row.details, R"({"by":"model","turns":1})");
}

// S2-10
TEST_F(ChronicleTest, NewWorkBeginsTheRestAnew) {
  for (int i = 0; i < 5; ++i) {
    say("and another thing");
    world_.run_for(seconds(100));
  }
  EXPECT_EQ(rows(), Lines{});
  world_.run_for(seconds(60));
  EXPECT_EQ(rows(), Lines{"message: Line 1."});
  EXPECT_EQ(page().rows.front().details, R"({"by":"model","turns":5})");
}

// S2-15
TEST_F(ChronicleTest, WhereThereIsNeverRestItIsToldAllTheSame) {
  for (int minute = 0; minute < 30; ++minute) {
    say("breathe", "Reminder: breathe", TurnKind::kAutomation);
    world_.run_for(minutes(1));
  }
  EXPECT_GE(rows().size(), 20u);
}

TEST_F(ChronicleTest, OnlyTheNewPartIsTold) {
  say("the first thing");
  world_.run_for(minutes(3));
  say("the second thing");
  world_.run_for(minutes(3));
  EXPECT_EQ(rows(), (Lines{"message: Line 1.", "message: Line 2."}));
  EXPECT_EQ(house_->model.questions.back().text.find("the first"), std::string::npos);
  EXPECT_NE(house_->model.questions.back().text.find("the second"), std::string::npos);
}

// S2-12, S2-13, S2-16
TEST_F(ChronicleTest, TheModelSeesTheLastWordsAndNothingElse) {
  say("OLDEST " + std::string(3'000, 'a'), "x");
  say("NEWER " + std::string(3'000, 'b'), "the end");
  world_.run_for(minutes(3));
  ASSERT_EQ(house_->model.questions.size(), 1u);
  const OneShotQuestion& asked = house_->model.questions.front();
  EXPECT_TRUE(asked.instructions.starts_with(
      "Summarize what was accomplished in this conversation in 1-2 lines.\n"
      "Just the outcome. No filler. No \"the user asked...\" framing."));
  EXPECT_EQ(asked.text.find("OLDEST"), std::string::npos);
  EXPECT_NE(asked.text.find("aaa"), std::string::npos);
  EXPECT_NE(asked.text.find("NEWER"), std::string::npos);
  EXPECT_EQ(asked.text.find("SECRET"), std::string::npos);
  EXPECT_LT(asked.text.size(), 4'200u);
  EXPECT_FALSE(asked.form);
  EXPECT_EQ(asked.workspace, Workspaces::default_id());
}

// U15, S2-40
TEST_F(ChronicleTest, TheTypeIsWhatCausedTheWork) {
  say("hello");
  say("again");
  say("the trigger", "the report", TurnKind::kAutomation);
  say("the trigger", "the second report", TurnKind::kAutomation);
  say("look at this", "done", TurnKind::kHeartbeatWake);
  say("INTERNAL PROMPT", "welcome back", TurnKind::kSessionOpen);
  say("yes", "then I did it", TurnKind::kApproval);
  world_.run_for(minutes(3));
  EXPECT_EQ(rows(), (Lines{"message: Line 1.", "scheduled: Line 2.", "scheduled: Line 3.",
                           "heartbeat: Line 4.", "system: Line 5.", "message: Line 6."}));
  EXPECT_EQ(house_->model.questions[4].text.find("INTERNAL"), std::string::npos);
}

TEST_F(ChronicleTest, ARunAmidTalkWaitsForTheRestOfTheTalk) {
  say("hello");
  world_.run_for(seconds(30));
  say("the trigger", "the report", TurnKind::kAutomation);
  note_run();
  world_.run_for(seconds(60));
  EXPECT_TRUE(rows().empty());
  world_.run_for(minutes(2));
  EXPECT_EQ(rows().size(), 2u);
}

// U5
TEST_F(ChronicleTest, ARunOfAnAutomationIsLinkedToItsRow) {
  say("the trigger", "the report", TurnKind::kAutomation);
  const std::string turn = house_->last_turn.str();
  note_run();
  world_.run_for(seconds(3));  // at once, so to speak
  ASSERT_EQ(rows().size(), 1u);
  const Activity row = page().rows.front();
  EXPECT_EQ(row.run, "run-1");
  EXPECT_EQ(row.turn->str(), turn);
  EXPECT_EQ(row.details, R"({"by":"model","turns":1,"automation":"job-1","status":"ok"})");
}

TEST_F(ChronicleTest, AMessageThatATurnHeardOnTheWayBelongsToThatTurn) {
  say("the trigger", "working", TurnKind::kAutomation);
  const std::string ran = house_->last_turn.str();
  ASSERT_TRUE(house_->work("+1", TurnKind::kUser, "hurry up", "", "joined " + ran));
  world_.run_for(minutes(3));
  EXPECT_EQ(rows(), Lines{"scheduled: Line 1."});
}

TEST_F(ChronicleTest, WhereNothingWasSaidOnlyTheCursorMoves) {
  ASSERT_TRUE(house_->work("+1", TurnKind::kUser, "", ""));
  world_.run_for(minutes(3));
  EXPECT_EQ(rows(), Lines{});
  EXPECT_EQ(count("SELECT through_seq FROM activity_cursors"), 1);
  EXPECT_EQ(count("SELECT position FROM index_cursors WHERE name = 'activity'"), 1);
  EXPECT_EQ(house_->model.questions.size(), 0u);
}

// U15: whoever ran it writes the row.
TEST_F(ChronicleTest, IsolatedWorkIsNotToldHere) {
  house_->channel = "isolated";
  say("look", "done", TurnKind::kIsolated);
  world_.run_for(minutes(3));
  EXPECT_EQ(rows(), Lines{});
  EXPECT_EQ(count("SELECT position FROM index_cursors WHERE name = 'activity'"), 3);
}

TEST_F(ChronicleTest, ForeignWordsAreMarked) {
  house_->from = kFromUntrusted;
  say("from a web page");
  world_.run_for(minutes(3));
  EXPECT_EQ(page().rows.front().details, R"({"by":"model","turns":1,"untrusted":true})");
}

// U4
TEST_F(ChronicleTest, WithoutAModelOrWithOneThatFailsPlainRulesWriteTheRow) {
  house_->model.fails = true;
  say("Please book a table at Luigi's for 4 people", "Booked for 19:00.");
  world_.run_for(minutes(3));
  house_->kernel.summariser.use_model(nullptr);
  say("Remind me to call Anna tomorrow", "I will remind you.");
  world_.run_for(minutes(3));
  ASSERT_EQ(rows().size(), 2u);
  EXPECT_NE(rows()[0].find("Luigi"), std::string::npos) << rows()[0];
  EXPECT_NE(rows()[1].find("Anna"), std::string::npos) << rows()[1];
  EXPECT_EQ(page().rows.front().details, R"({"by":"rules","turns":1})");
}

TEST_F(ChronicleTest, ARunningTurnIsNoRest) {
  say("hello");
  ASSERT_TRUE(world_.run(database_->write(
      one("UPDATE turns SET state = 'running' WHERE turn_id = $1", {house_->last_turn.str()}))));
  world_.run_for(minutes(9));
  EXPECT_EQ(rows(), Lines{});
  ASSERT_TRUE(world_.run(database_->write(
      one("UPDATE turns SET state = 'done' WHERE turn_id = $1", {house_->last_turn.str()}))));
  world_.run_for(minutes(3));
  EXPECT_EQ(rows(), Lines{"message: Line 1."});
}

TEST_F(ChronicleTest, WhereNothingIsSaidNobodyWaits) {
  EXPECT_EQ(world_.clock().waiting(), 0u);
  say("hello");
  world_.run_for(minutes(3));
  EXPECT_EQ(world_.clock().waiting(), 0u);
}

// --- lives

TEST_F(ChronicleTest, WhatIsLeftAtTheEndIsToldByTheNextStart) {
  say("hello");
  world_.run_for(seconds(30));
  end();
  world_.clock().advance(hours(8));
  begin();
  world_.run_for(seconds(1));
  EXPECT_EQ(rows(), Lines{"message: Line 1."});
  EXPECT_EQ(to_iso(page().rows.front().at).substr(11, 8), "00:00:00");  // when it happened
  end();
  begin();
  world_.run_for(minutes(10));
  EXPECT_EQ(rows().size(), 1u);
}

TEST_F(ChronicleTest, AKillWhileTheModelThinksNeitherLosesNorDoubles) {
  house_->model.takes = seconds(10);
  say("hello");
  world_.run_for(seconds(125));
  EXPECT_EQ(house_->model.questions.size(), 1u);
  kill();
  begin();
  world_.run_for(minutes(3));
  EXPECT_EQ(rows(), Lines{"message: Line 1."});
}

TEST_F(ChronicleTest, ASecondWriterCannotTellTheSameTwice) {
  house_->model.takes = seconds(10);
  say("hello");
  world_.run_for(seconds(125));
  // While the model thinks, somebody else was faster.
  ASSERT_TRUE(world_.run(database_->write(
      one("INSERT INTO activity_cursors (conversation_id, through_seq) VALUES ($1, 3)",
          {house_->conversation.str()}))));
  world_.run_for(minutes(5));
  EXPECT_EQ(rows(), Lines{});
}

TEST_F(ChronicleTest, AnOldConversationIsToldFromItsFirstNewMessageOn) {
  say("long ago");
  world_.run_for(minutes(3));
  // As a store that had conversations before it had an activity log.
  ASSERT_TRUE(world_.run(database_->write(Write{{{"DELETE FROM activity_cursors", {}, {}}}})));
  say("just now");
  world_.run_for(minutes(3));
  EXPECT_EQ(house_->model.questions.back().text.find("long ago"), std::string::npos);
  EXPECT_EQ(rows().size(), 2u);
}

TEST_F(ChronicleTest, ManyRunsBecomeManyRowsInSeveralWrites) {
  for (int i = 0; i < 40; ++i) say("trigger", "report", TurnKind::kAutomation);
  world_.run_for(minutes(4));
  EXPECT_EQ(rows().size(), 40u);
  EXPECT_EQ(count("SELECT COUNT(DISTINCT turn_id) FROM activity"), 40);
}

TEST_F(ChronicleTest, ADeletedConversationIsLetGoWithItsRows) {
  class NoBackups final : public BackupShelf {
    Task<Result<std::vector<BackupFile>>> since(WallTime) override {
      co_return std::vector<BackupFile>{};
    }
  } backups;
  SqliteTextIndex text_index;
  MessageIndexer indexer(*database_, text_index, world_.clock(), world_.loop());
  ConversationDelete removal(*database_, world_.clock(), house_->kernel.kernel, indexer, backups);
  say("hello");
  world_.run_for(minutes(3));
  ASSERT_EQ(rows().size(), 1u);
  say("the untold");
  const auto gone =
      world_.run(removal.remove(Workspaces::default_id(), house_->conversation.str()));
  ASSERT_TRUE(gone) << gone.error();
  EXPECT_EQ(gone->rows.messages, 6);
  world_.run_for(minutes(5));
  EXPECT_EQ(rows(), Lines{});
  EXPECT_EQ(count("SELECT COUNT(*) FROM activity_cursors"), 0);
  EXPECT_EQ(count("SELECT COUNT(*) FROM events WHERE body LIKE '%Line 1%'"), 0);
  // A start gives the positions of the deleted messages out again; numbers of rows never.
  EXPECT_EQ(count("SELECT position FROM index_cursors WHERE name = 'activity'"), 0);
  end();
  begin();
  say("a new one");
  end();
  begin();
  world_.run_for(minutes(3));
  EXPECT_EQ(rows(), Lines{"message: Line 1."});
  EXPECT_EQ(page().rows.front().id, 2);
}

// S2-15
TEST_F(ChronicleTest, AWriteThatFailsIsTriedAgain) {
  say("hello");
  world_.run_for(seconds(119));
  ASSERT_TRUE(world_.run(
      database_->write(Write{{{"DELETE FROM index_cursors WHERE name = 'activity'", {}, 1}}})));
  world_.run_for(minutes(2));
  EXPECT_EQ(rows(), Lines{});
  EXPECT_NE(house_->logged.find("activity.put_off"), std::string::npos);
  ASSERT_TRUE(world_.run(database_->write(
      Write{{{"INSERT INTO index_cursors (name, position, forgotten) VALUES ('activity', 0, 0)",
              {},
              1}}})));
  world_.run_for(minutes(2));
  EXPECT_EQ(rows().size(), 1u);
  EXPECT_EQ(house_->model.questions.size(), 1u);  // nobody pays twice for the same words
  EXPECT_EQ(page().rows.front().details, R"({"by":"rules","turns":1})");
}

// Else each alert that is spoken into a conversation would be news to the next heartbeat.
TEST_F(ChronicleTest, WordsThatAreOnlyCarriedIntoAConversationAreNoWork) {
  say("Notification (heartbeat)", "Mind the backup.", TurnKind::kAutomation);
  ASSERT_TRUE(
      world_.run(database_->write(one("UPDATE turns SET message_id = 'notify:1' "
                                      "WHERE turn_id = $1",
                                      {house_->last_turn.str()}))));
  say("the trigger", "the report", TurnKind::kAutomation);
  ASSERT_TRUE(
      world_.run(database_->write(one("UPDATE turns SET message_id = 'run:a:1:turn' "
                                      "WHERE turn_id = $1",
                                      {house_->last_turn.str()}))));
  world_.run_for(minutes(3));
  EXPECT_EQ(rows(), Lines{"scheduled: Line 1."});
  EXPECT_EQ(count("SELECT through_seq FROM activity_cursors"), 6);
}

}  // namespace
}  // namespace rouse
