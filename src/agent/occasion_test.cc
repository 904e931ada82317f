// What a scheduled turn does differently: the words the model is told, how far back it sees, its
// deadline, its tools, and how it ends.
#include "agent/occasion.h"

#include <gtest/gtest.h>

#include "agent/agent_for_tests.h"
#include "session/invariants_for_tests.h"

namespace rouse {
namespace {

constexpr std::string_view kMeta = R"({"_automation_turn":true,"automation_id":"job_1"})";

// One occasion for every turn that is asked about; closes in a few words of its own.
class OccasionsForTests final : public Occasions {
 public:
  Result<std::optional<Occasion>> of_turn(const Turn& turn) override {
    asked.push_back(turn.kind);
    if (error) return fail(*error);
    return occasion;
  }
  OccasionEnd closing(const Turn& turn, OccasionEnd end, const std::string& error_story) override {
    ended.push_back(end.verdict.kind + " " + end.verdict.reason);
    stories.push_back(error_story);
    if (end.verdict.kind != "spoke") end.words = "It did not work out this time.";
    if (end.verdict.reason == "empty_answer") end = {{"spoke", "empty"}, "Nothing to report."};
    return end;
  }

  std::optional<Occasion> occasion = Occasion{};
  std::optional<Error> error;
  std::vector<TurnKind> asked;
  std::vector<std::string> ended, stories;
};

// What else is written when a turn ends.
class NotingParticipant final : public CloseParticipant {
 public:
  Result<std::vector<Statement>> at_close(const Turn& turn, const Session&,
                                          const std::string& response,
                                          const Verdict& verdict) override {
    notes.push_back(fmt::format("{} {} {}: {}", turn_kind_name(turn.kind), verdict.kind,
                                verdict.reason, response));
    return std::vector<Statement>();
  }
  void closed(const TurnId&) override {}
  std::vector<std::string> notes;
};

class OccasionTest : public testing::Test {
 protected:
  void SetUp() override {
    model_ = std::make_shared<ScriptedModel>();
    begin();
  }
  void TearDown() override {
    world_.run(stopping());
    expect_session_invariants(*database_, "at the end");
    house_.reset();
  }
  void begin() {
    auto opened = world_.open_store();
    ASSERT_TRUE(opened) << opened.error();
    database_ = *opened;
    house_ = std::make_unique<AgentHouseForTests>(world_, *database_, model_, outside_);
    house_->house.use_occasions(&occasions_);
    house_->house.runner().add_participant(participant_);
    const auto started = world_.run(house_->start());
    ASSERT_TRUE(started) << started.error();
  }
  Task<void> stopping() { co_await house_->house.runner().stop(seconds(1)); }

  TurnId submit(InboundMessage message) {
    auto taken = world_.run(house_->runner().submit(std::move(message)));
    EXPECT_TRUE(taken) << taken.error();
    conversation_ = taken->resolved.session.conversation;
    return *taken->resolved.turn;
  }
  static InboundMessage automation(std::string words) {
    InboundMessage message = chat_from("a", std::move(words));
    message.kind = TurnKind::kAutomation;
    message.meta = std::string(kMeta);
    message.content.front().from = kFromAgent;
    return message;
  }
  TurnId fire(std::string words = "Scheduled automation triggered: news") {
    return submit(automation(std::move(words)));
  }
  TurnOutcome wait(const TurnId& id) {
    auto outcome = world_.run(house_->runner().wait(id, {}));
    EXPECT_TRUE(outcome) << outcome.error();
    return outcome ? *outcome : TurnOutcome{};
  }
  TurnOutcome say(std::string text, std::string answer) {
    model_->then(ScriptedAnswer::says(std::move(answer)));
    return wait(submit(chat_from("a", std::move(text))));
  }
  TurnOutcome report(std::string words, std::string answer) {
    model_->then(ScriptedAnswer::says(std::move(answer)));
    return wait(fire(std::move(words)));
  }

  void close_session(std::string_view reason) {
    const auto session = house_->kernel.kernel.sessions().latest_of(conversation_);
    ASSERT_TRUE(world_.run(house_->kernel.kernel.close((*session)->id, std::string(reason))));
  }
  std::vector<Message> transcript() {
    auto tail = house_->kernel.kernel.messages().tail(conversation_, {}, 1000);
    EXPECT_TRUE(tail) << tail.error();
    std::ranges::reverse(*tail);
    return *tail;
  }
  std::vector<std::string> lines() {
    std::vector<std::string> out;
    for (const Message& message : transcript()) {
      out.push_back(message.role + ": " + readable_text(message.content));
    }
    return out;
  }
  std::vector<std::string> told() {  // to the model, last
    std::vector<std::string> out;
    for (const PromptMessage& message : model_->requests.back().messages) {
      out.push_back(message.blocks.front().text);
    }
    return out;
  }

  using Lines = std::vector<std::string>;
  sim::World world_{23};
  Database* database_ = nullptr;
  OutsideForTests outside_;
  OccasionsForTests occasions_;
  NotingParticipant participant_;
  std::shared_ptr<ScriptedModel> model_;
  std::unique_ptr<AgentHouseForTests> house_;
  ConversationId conversation_;
};

// S3-27
TEST_F(OccasionTest, TheModelIsToldThePromptAndTheTranscriptKeepsTheReadableWords) {
  occasions_.occasion->prompt = "It is 9:00. Report the news.";
  model_->then(ScriptedAnswer::says("Nothing new."));
  const TurnId id = fire();
  EXPECT_EQ(wait(id).response, "Nothing new.");
  EXPECT_EQ(told(), (Lines{"It is 9:00. Report the news."}));
  EXPECT_EQ(lines(),
            (Lines{"user: Scheduled automation triggered: news", "assistant: Nothing new."}));

  const auto again = world_.run(house_->house.prompts().of_turn(*house_->house.ledger().get(id)));
  ASSERT_TRUE(again) << again.error();
  ASSERT_EQ(again->request.messages.size(), 1U);
  EXPECT_EQ(again->request.messages[0].blocks[0].text, "It is 9:00. Report the news.");
  EXPECT_EQ(again->message, "Scheduled automation triggered: news");
}

// S3-27, S3-28
TEST_F(OccasionTest, TheTriggerAndTheAnswerSayWhatMadeThemAndToolLinesDoNot) {
  model_->then(ScriptedAnswer::calls_tool("c1", "look"));
  model_->then(ScriptedAnswer::says("done"));
  wait(fire());
  say("thanks", "you are welcome");
  std::vector<std::string> metas;
  for (const Message& message : transcript()) metas.push_back(message.meta.value_or("none"));
  const std::string meta(kMeta);
  EXPECT_EQ(metas, (Lines{meta, "none", "none", meta, "none", "none"}));
}

TEST_F(OccasionTest, OnlyScheduledTurnsAreAskedAbout) {
  say("hi", "hello");
  EXPECT_TRUE(occasions_.asked.empty());
  EXPECT_TRUE(occasions_.ended.empty());
  occasions_.occasion.reset();  // a turn like any other
  report("go", "gone");
  EXPECT_FALSE(occasions_.asked.empty());
  EXPECT_EQ(told().back(), "go");
}

// design.md, 2: a bound automation also gets everything said since its previous run
TEST_F(OccasionTest, EverythingSaidSinceTheLastRunIsSeenInANewSessionToo) {
  for (int i = 0; i < 10; ++i) {
    say(fmt::format("old {}", i), "ok");
  }
  report("report", "the report");
  occasions_.occasion->since = transcript().back().seq;
  for (int i = 0; i < 10; ++i) {
    say(fmt::format("about it {}", i), "ok");
  }
  close_session(kClosedByApi);
  model_->then(ScriptedAnswer::says("I know"));
  const TurnId id = fire("report again");
  wait(id);
  const Lines seen = told();
  ASSERT_EQ(seen.size(), 20U + 12U + 1U);
  EXPECT_EQ(seen.front(), "old 5");
  EXPECT_EQ(seen[12], "about it 0");

  // Rebuilt, it saw the same, whatever the last run is by now.
  occasions_.occasion->since = transcript().back().seq;
  const auto again = world_.run(house_->house.prompts().of_turn(*house_->house.ledger().get(id)));
  ASSERT_TRUE(again) << again.error();
  EXPECT_EQ(again->request.messages.size(), seen.size());
}

TEST_F(OccasionTest, NothingCrossesAHardBoundary) {
  say("forget me", "ok");
  close_session(kClosedByClear);
  occasions_.occasion->since = 0;
  report("report", "fresh");
  EXPECT_EQ(told(), (Lines{"report"}));
}

TEST_F(OccasionTest, AnotherModelAnswersIfItIsThereAndTheUsualOneIfNot) {
  auto other = std::make_shared<ScriptedModel>();
  other->then(ScriptedAnswer::says("cheaply"));
  house_->house.use_models(
      std::make_shared<ModelBook>(std::map<std::string, std::shared_ptr<Model>, std::less<>>{
          {"main", model_}, {"small", other}}));
  occasions_.occasion->model = "small";
  EXPECT_EQ(wait(fire()).response, "cheaply");
  occasions_.occasion->model = "gone";
  EXPECT_EQ(report("go", "as usual").response, "as usual");
}

TEST_F(OccasionTest, OtherToolsThanItsOwnAreNeitherOfferedNorRun) {
  occasions_.occasion->tools = std::vector<std::string>{"look"};
  model_->then(ScriptedAnswer::calls_tool("c1", "change").and_calls("c2", "look"));
  model_->then(ScriptedAnswer::says("done"));
  EXPECT_EQ(wait(fire()).response, "done");
  ASSERT_EQ(model_->requests.back().tools.size(), 1U);
  EXPECT_EQ(model_->requests.back().tools[0].name, "look");
  EXPECT_EQ(outside_.done, (std::map<std::string, int>{{"c2", 1}}));
  const auto& results = model_->requests.back().messages.back().blocks;
  EXPECT_TRUE(results[0].failed);
  EXPECT_NE(results[0].text.find("not among the tools"), std::string::npos) << results[0].text;
}

// CR-14, S3-35
TEST_F(OccasionTest, ItsOwnDeadlineEndsItAndTheNextOneRuns) {
  occasions_.occasion->deadline = seconds(30);
  model_->then(ScriptedAnswer::hangs_until_cancelled());
  const auto before = world_.clock().mono_now();
  const TurnOutcome outcome = wait(fire());
  EXPECT_EQ(outcome.verdict.reason, "deadline");
  EXPECT_LE((world_.clock().mono_now() - before).count, seconds(31).count);
  EXPECT_EQ(model_->requests.back().deadline, seconds(30));
  EXPECT_EQ(lines().back(), "assistant: It did not work out this time.");
  EXPECT_EQ(report("go", "back").response, "back");
}

// CR-16
TEST_F(OccasionTest, WaitingCostsNothingOfItsDeadline) {
  house_->house.runner().configure({.deadline = hours(1), .inactive = hours(1), .loop = {}});
  occasions_.occasion->deadline = seconds(30);
  model_->then(ScriptedAnswer::hangs_until_cancelled());
  const TurnId talk = submit(chat_from("a", "long"));
  const TurnId id = fire();
  world_.run_for(minutes(10));
  EXPECT_EQ(house_->house.ledger().get(id)->state, "queued");
  model_->then(ScriptedAnswer::says("in time"));
  ASSERT_TRUE(world_.run(house_->runner().cancel(talk)));
  EXPECT_EQ(wait(id).response, "in time");
}

TEST_F(OccasionTest, AnAnswerThatIsKnownIsSaidWithoutAModel) {
  occasions_.occasion->ready = "Reminder: tea";
  EXPECT_EQ(wait(fire()).response, "Reminder: tea");
  EXPECT_TRUE(model_->requests.empty());
  EXPECT_EQ(lines(),
            (Lines{"user: Scheduled automation triggered: news", "assistant: Reminder: tea"}));
}

// S3-33, S3-34, S3-35
TEST_F(OccasionTest, AFailureIsClosedInAFewWordsAndTheStoryStaysInTheRecord) {
  model_->then(ScriptedAnswer::fails(ModelErrc::kOverloaded, "the whole story"));
  const TurnId id = fire();
  EXPECT_EQ(wait(id).verdict.kind, "failed");
  EXPECT_EQ(occasions_.ended, (Lines{"failed model_overloaded"}));
  EXPECT_EQ(occasions_.stories, (Lines{"the whole story"}));
  EXPECT_EQ(lines().back(), "assistant: It did not work out this time.");
  EXPECT_EQ(house_->house.ledger().get(id)->error, "the whole story");
  EXPECT_EQ(participant_.notes,
            (Lines{"automation failed model_overloaded: It did not work out this time."}));
}

// S3-34
TEST_F(OccasionTest, AnEmptyAnswerBecomesAStatusLine) {
  model_->then(ScriptedAnswer());
  const TurnOutcome outcome = wait(fire());
  EXPECT_EQ(outcome.verdict.kind, "spoke");
  EXPECT_EQ(outcome.response, "Nothing to report.");
  EXPECT_EQ(lines().back(), "assistant: Nothing to report.");
}

TEST_F(OccasionTest, ATurnWhoseOccasionCannotBeReadFailsWithWords) {
  occasions_.error = Error(Errc::kUnavailable, "not now");
  const TurnOutcome outcome = wait(fire());
  EXPECT_EQ(outcome.verdict.kind, "failed");
  EXPECT_EQ(outcome.response, "It did not work out this time.");
  EXPECT_TRUE(model_->requests.empty());
}

// S3-20, S3-22, S3-23, S3-24, S3-25, S3-26
TEST_F(OccasionTest, ARunningTurnNeverHearsAWaitingAutomation) {
  house_->house.runner().configure({.loop = {}, .join_running = true});
  model_->then(ScriptedAnswer::calls_tool("c1", "look"));
  model_->then(ScriptedAnswer::says("done"));
  model_->then(ScriptedAnswer::says("the news"));
  const TurnId talk = submit(chat_from("a", "hi"));
  const TurnId id = fire();
  EXPECT_EQ(wait(talk).response, "done");
  EXPECT_EQ(model_->requests[1].messages.size(), 3U);
  EXPECT_EQ(wait(id).response, "the news");
  EXPECT_EQ(lines(), (Lines{"user: hi", "assistant: [look]", "tool: look done", "assistant: done",
                            "user: Scheduled automation triggered: news", "assistant: the news"}));
}

// CR-37
TEST_F(OccasionTest, PeopleNeverJoinAnAutomationsTurn) {
  house_->house.runner().configure({.loop = {}, .join_running = true});
  model_->then(ScriptedAnswer::calls_tool("c1", "look"));
  model_->then(ScriptedAnswer::says("the news"));
  model_->then(ScriptedAnswer::says("hello"));
  const TurnId id = fire();
  const TurnId talk = submit(chat_from("a", "hi"));
  EXPECT_EQ(wait(id).response, "the news");
  EXPECT_EQ(wait(talk).response, "hello");
  EXPECT_FALSE(transcript().back().meta) << "a person's turn is no job's";
}

// S3-33
TEST_F(OccasionTest, ADroppedTurnLeavesNothingInTheTranscript) {
  model_->then(ScriptedAnswer::hangs_until_cancelled());
  const TurnId talk = submit(chat_from("a", "hi"));
  const TurnId id = fire();
  const auto dropped = world_.run(house_->runner().drop_waiting(id, "expired"));
  ASSERT_TRUE(dropped) << dropped.error();
  EXPECT_EQ(dropped->verdict, "interrupted");
  EXPECT_EQ(dropped->reason, "expired");
  EXPECT_TRUE(dropped->over());
  EXPECT_EQ(wait(id).response, "");
  EXPECT_EQ(participant_.notes, (Lines{"automation interrupted expired: "}));

  const auto running = world_.run(house_->runner().drop_waiting(talk, "expired"));
  ASSERT_TRUE(running) << running.error();
  EXPECT_EQ(running->state, "running");
  ASSERT_TRUE(world_.run(house_->runner().cancel(talk)));
  EXPECT_EQ(lines(), (Lines{"user: hi", "assistant: Stopped."}));
  const auto over = world_.run(house_->runner().drop_waiting(talk, "expired"));
  EXPECT_EQ(over->reason, "cancelled");
}

TEST_F(OccasionTest, WhatADroppedTurnKeptOfAnEarlierTryGoesWithIt) {
  const auto taken =
      world_.run(house_->kernel.kernel.accept(automation("news"), Accept::kBeginIfFree));
  ASSERT_TRUE(taken) << taken.error();
  const std::vector<TurnStep> steps{
      {"answer", text_content("let me see", kFromAgent), world_.clock().wall_now()}};
  TurnLedger& ledger = house_->house.ledger();
  ASSERT_TRUE(world_.run(ledger.keep(*taken->turn, 1, steps)));
  ASSERT_TRUE(world_.run(ledger.put_back(*taken->accepted)));
  const auto dropped = world_.run(house_->runner().drop_waiting(*taken->turn, "expired"));
  ASSERT_TRUE(dropped) << dropped.error();
  EXPECT_EQ(dropped->reason, "expired");
  EXPECT_EQ(database_->read({"SELECT COUNT(*) FROM turn_steps", {}})->front().integer(0), 0);
}

TEST_F(OccasionTest, AStopInGoodOrderIsNoEndAndTheNextStartGoesOn) {
  model_->then(ScriptedAnswer::hangs_until_cancelled());
  const TurnId id = fire();
  world_.settle();
  world_.run(stopping());
  EXPECT_TRUE(occasions_.ended.empty());
  house_.reset();
  world_.close_store();
  model_->then(ScriptedAnswer::says("after all"));
  begin();
  EXPECT_EQ(wait(id).response, "after all");
}

TEST_F(OccasionTest, ATurnIsCalledAsItsScheduleSays) {
  model_->then(ScriptedAnswer::says("hello"));
  InboundMessage message = chat_from("a", "go");
  message.kind = TurnKind::kIsolated;
  message.turn = TurnId::make(world_.clock().wall_now(), world_.random());
  const TurnId wanted = *message.turn;
  EXPECT_EQ(submit(std::move(message)), wanted);
  EXPECT_EQ(wait(wanted).response, "hello");
}

// S3-34: a turn that can't go on after a restart is closed in the schedule's words
TEST_F(OccasionTest, AnInterruptedAutomationIsClosedInTheSchedulesWords) {
  const auto taken =
      world_.run(house_->kernel.kernel.accept(automation("news"), Accept::kBeginIfFree));
  ASSERT_TRUE(taken) << taken.error();
  conversation_ = taken->session.conversation;
  const TurnId id = *taken->turn;
  PromptBlock call;
  call.kind = BlockKind::kToolCall;
  call.call_id = "c1";
  call.tool = "change";
  const WallTime now = world_.clock().wall_now();
  const std::vector<TurnStep> steps{{"answer", {to_content_block(call)}, now},
                                    {"intent", {to_content_block(call)}, now}};
  ASSERT_TRUE(world_.run(house_->house.ledger().keep(id, 1, steps)));
  house_.reset();
  world_.close_store();
  begin();
  EXPECT_EQ(wait(id).verdict.reason, "restart");
  EXPECT_EQ(occasions_.ended, (Lines{"interrupted restart"}));
  EXPECT_EQ(lines().back(), "assistant: It did not work out this time.");
  EXPECT_EQ(transcript().back().meta, std::string(kMeta));
}

}  // namespace
}  // namespace rouse
