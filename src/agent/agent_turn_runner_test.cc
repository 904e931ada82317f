#include "agent/agent_turn_runner.h"

#include <gtest/gtest.h>

#include "agent/agent_for_tests.h"

namespace rouse {
namespace {

class TurnRunnerTest : public testing::Test {
 protected:
  void SetUp() override {
    model_ = std::make_shared<ScriptedModel>();
    begin();
  }
  void TearDown() override {
    world_.run(stopping());  // what a test left hanging
    house_.reset();
  }
  void begin() {
    auto opened = world_.open_store();
    ASSERT_TRUE(opened) << opened.error();
    database_ = *opened;
    house_ = std::make_unique<AgentHouseForTests>(world_, *database_, model_, outside_);
    const auto started = world_.run(house_->start());
    ASSERT_TRUE(started) << started.error();
  }
  void restart() {
    world_.run(stopping());
    house_.reset();
    world_.close_store();
    begin();
  }
  Task<void> stopping() { co_await house_->house.runner().stop(seconds(1)); }
  Task<void> a_second() { (void)co_await world_.clock().wait_for(seconds(1)); }

  TurnId submit(std::string text, std::string peer = "a", std::optional<std::string> id = {}) {
    auto taken = world_.run(house_->runner().submit(chat_from(std::move(peer), text, id)));
    EXPECT_TRUE(taken) << taken.error();
    conversation_ = taken->resolved.session.conversation;
    return *taken->resolved.turn;
  }
  TurnOutcome wait(const TurnId& id) {
    auto outcome = world_.run(house_->runner().wait(id, {}));
    EXPECT_TRUE(outcome) << outcome.error();
    return outcome ? *outcome : TurnOutcome{};
  }
  TurnOutcome say(std::string text) { return wait(submit(std::move(text))); }

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
  std::uint64_t commits() { return database_->health().commits; }

  using Lines = std::vector<std::string>;
  sim::World world_{7};
  Database* database_ = nullptr;
  OutsideForTests outside_;
  std::shared_ptr<ScriptedModel> model_;
  std::unique_ptr<AgentHouseForTests> house_;
  ConversationId conversation_;
};

TEST_F(TurnRunnerTest, AMessageIsAnsweredAndBothAreInTheTranscript) {
  model_->then(ScriptedAnswer::says("Hello!"));
  const TurnOutcome outcome = say("hi");
  EXPECT_EQ(outcome.response, "Hello!");
  EXPECT_EQ(outcome.verdict.kind, "spoke");
  EXPECT_EQ(lines(), (Lines{"user: hi", "assistant: Hello!"}));
}

// design.md, 2: "A turn without tools costs two fsyncs"
TEST_F(TurnRunnerTest, ATurnWithoutToolsCostsTwoCommits) {
  model_->then(ScriptedAnswer::says("one"));
  say("first");  // makes the conversation
  model_->then(ScriptedAnswer::hangs_until_cancelled());
  const auto before = commits();
  const TurnId id = submit("second");
  world_.run(a_second());
  EXPECT_EQ(commits() - before, 1U);
  EXPECT_TRUE(world_.run(house_->runner().cancel(id)));
  EXPECT_EQ(commits() - before, 2U);
}

// ADR 22: the end is handed to the store behind the message, and one commit may make both durable.
TEST_F(TurnRunnerTest, ATurnThatIsAnsweredAtOnceCostsOneCommit) {
  model_->then(ScriptedAnswer::says("one"));
  say("first");
  model_->then(ScriptedAnswer::says("two"));
  const auto before = commits();
  EXPECT_EQ(say("second").response, "two");
  EXPECT_EQ(commits() - before, 1U);
  EXPECT_EQ(lines(), (Lines{"user: first", "assistant: one", "user: second", "assistant: two"}));
}

TEST_F(TurnRunnerTest, NothingIsLeftOfATurnThatEndedBeforeItsMessageCouldNotBeKept) {
  model_->then(ScriptedAnswer::says("one"));
  say("first");
  world_.disk().set_quota(world_.disk().bytes_used());
  model_->then(ScriptedAnswer::says("two"));
  const auto refused = world_.run(house_->runner().submit(chat_from("a", "second")));
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().is(StoreErrc::kFull)) << refused.error();
  world_.run(a_second());
  EXPECT_EQ(house_->runner().running(), 0U);
  EXPECT_EQ(lines(), (Lines{"user: first", "assistant: one"}));

  world_.disk().set_quota({});
  model_->then(ScriptedAnswer::says("three"));
  EXPECT_EQ(say("third").response, "three");
  EXPECT_EQ(lines(), (Lines{"user: first", "assistant: one", "user: third", "assistant: three"}));
}

TEST_F(TurnRunnerTest, WhoeverWritesWhileATurnEndsAheadComesAfterIt) {
  model_->then(ScriptedAnswer::says("one"));
  say("first");
  for (const char* answer : {"two", "three", "four"}) model_->then(ScriptedAnswer::says(answer));
  std::vector<Result<Submitted>> taken;
  for (const char* text : {"second", "third", "fourth"}) {
    world_.loop().spawn("submit",
                        [](TurnRunner& runner, InboundMessage message,
                           std::vector<Result<Submitted>>* out) -> Task<void> {
                          out->push_back(co_await runner.submit(std::move(message)));
                        }(house_->runner(), chat_from("a", text), &taken));
  }
  world_.run(a_second());
  ASSERT_EQ(taken.size(), 3U);
  for (const auto& one : taken) EXPECT_TRUE(one) << one.error();
  EXPECT_EQ(lines(), (Lines{"user: first", "assistant: one", "user: second", "assistant: two",
                            "user: third", "assistant: three", "user: fourth", "assistant: four"}));
}

// ADR 20: the model is asked while the message is on its way to the disk. A message that can't be
// kept leaves nothing behind: no event, no tool's work, no line, and the next one is as if it were
// the first.
TEST_F(TurnRunnerTest, NothingIsSeenOfATurnWhoseMessageCannotBeKept) {
  model_->then(ScriptedAnswer::says("one"));
  say("first");
  std::size_t events = 0;
  const auto watching = house_->house.stage().watch_workspace(Workspaces::default_id(),
                                                              [&](const TurnEvent&) { ++events; });
  world_.disk().set_quota(world_.disk().bytes_used());
  model_->then(ScriptedAnswer::calls_tool("c1", "look"));
  const auto refused = world_.run(house_->runner().submit(chat_from("a", "second")));
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().is(StoreErrc::kFull)) << refused.error();
  world_.run(a_second());
  EXPECT_EQ(model_->requests.size(), 2U);
  EXPECT_EQ(events, 0U);
  EXPECT_TRUE(outside_.done.empty());
  EXPECT_EQ(house_->runner().running(), 0U);
  EXPECT_FALSE(house_->runner().busy(conversation_));

  world_.disk().set_quota({});
  model_->then(ScriptedAnswer::says("three"));
  EXPECT_EQ(say("third").response, "three");
  EXPECT_EQ(lines(), (Lines{"user: first", "assistant: one", "user: third", "assistant: three"}));
  EXPECT_GT(events, 0U);
}

TEST_F(TurnRunnerTest, WordsThatComeAfterAMessageCouldNotBeKeptAreHeardByNobody) {
  model_->then(ScriptedAnswer::says("one"));
  say("first");
  std::size_t events = 0;
  const auto watching = house_->house.stage().watch_workspace(Workspaces::default_id(),
                                                              [&](const TurnEvent&) { ++events; });
  world_.disk().set_quota(world_.disk().bytes_used());
  model_->then(ScriptedAnswer::says_after_the_stop("two"));
  ASSERT_FALSE(world_.run(house_->runner().submit(chat_from("a", "second"))));
  world_.run(a_second());
  EXPECT_EQ(model_->running(), 0U);
  EXPECT_EQ(events, 0U);
  EXPECT_EQ(house_->house.stage().running(), 0U);
  EXPECT_EQ(house_->runner().running(), 0U);
}

TEST_F(TurnRunnerTest, EventsComeInOrderAfterTheMessageIsDurable) {
  model_->then(ScriptedAnswer::says("one"));
  say("first");
  std::vector<TurnEvent::Kind> seen;
  std::uint64_t commits_at_first = 0;
  const auto before = commits();
  const auto watching =
      house_->house.stage().watch_workspace(Workspaces::default_id(), [&](const TurnEvent& event) {
        if (seen.empty()) commits_at_first = commits();
        seen.push_back(event.kind);
      });
  model_->then(ScriptedAnswer::says_in_pieces({"a", "b"}));
  say("second");
  using Kind = TurnEvent::Kind;
  EXPECT_EQ(seen,
            (std::vector{Kind::kStarted, Kind::kText, Kind::kText, Kind::kUsage, Kind::kEnded}));
  EXPECT_EQ(commits_at_first, before + 1);
}

TEST_F(TurnRunnerTest, TheModelSeesWhatWasSaidBefore) {
  model_->then(ScriptedAnswer::says("Nice to meet you, Ada."));
  say("I am Ada");
  model_->then(ScriptedAnswer::says("Ada."));
  say("who am I?");
  const auto& messages = model_->requests.back().messages;
  ASSERT_EQ(messages.size(), 3U);
  EXPECT_EQ(messages[0].blocks[0].text, "I am Ada");
  EXPECT_EQ(messages[1].blocks[0].text, "Nice to meet you, Ada.");
  EXPECT_EQ(messages[2].blocks[0].text, "who am I?");
}

TEST_F(TurnRunnerTest, ToolCallsRunAndTheirResultsGoBackToTheModel) {
  model_->then(ScriptedAnswer::calls_tool("c1", "look").and_calls("c2", "change"));
  model_->then(ScriptedAnswer::says("All done."));
  const TurnOutcome outcome = say("do it");
  EXPECT_EQ(outcome.response, "All done.");
  EXPECT_EQ(outside_.done, (std::map<std::string, int>{{"c1", 1}, {"c2", 1}}));
  const auto& last = model_->requests.back().messages.back();
  ASSERT_EQ(last.blocks.size(), 2U);
  EXPECT_EQ(last.blocks[0].text, "look done");
  EXPECT_EQ(last.blocks[1].call_id, "c2");
  EXPECT_EQ(lines(), (Lines{"user: do it", "assistant: [look]\n[change]",
                            "tool: look done\nchange done", "assistant: All done."}));
  EXPECT_EQ(database_->read({"SELECT COUNT(*) FROM turn_steps", {}})->front().integer(0), 0);
}

TEST_F(TurnRunnerTest, AToolThatIsNotThereIsAFailedResultAndTheModelGoesOn) {
  model_->then(ScriptedAnswer::calls_tool("c1", "fly"));
  model_->then(ScriptedAnswer::says("I can't fly."));
  EXPECT_EQ(say("fly").response, "I can't fly.");
  EXPECT_TRUE(model_->requests.back().messages.back().blocks[0].failed);
}

// SE-8
TEST_F(TurnRunnerTest, MessagesOfOneConversationAreAnsweredInTheirOrderOneAtATime) {
  for (int i = 0; i < 20; ++i) model_->then(ScriptedAnswer::says("answer " + std::to_string(i)));
  std::vector<TurnId> turns;
  for (int i = 0; i < 20; ++i) turns.push_back(submit("question " + std::to_string(i)));
  for (int i = 0; i < 20; ++i) EXPECT_EQ(wait(turns[i]).response, "answer " + std::to_string(i));
  const auto said = lines();
  ASSERT_EQ(said.size(), 40U);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(said[2 * i], "user: question " + std::to_string(i));
}

TEST_F(TurnRunnerTest, ConversationsDoNotWaitForOneAnother) {
  model_->then(ScriptedAnswer::hangs_until_cancelled());
  const TurnId slow = submit("slow", "a");
  world_.settle();
  model_->then(ScriptedAnswer::says("quick"));
  EXPECT_EQ(wait(submit("fast", "b")).response, "quick");
  ASSERT_TRUE(world_.run(house_->runner().cancel(slow)));
}

// SE-11
TEST_F(TurnRunnerTest, TheSameMessageAgainIsTheSameTurn) {
  model_->then(ScriptedAnswer::says("once"));
  const TurnId first = submit("hi", "a", "m1");
  EXPECT_EQ(wait(first).response, "once");
  const TurnId second = submit("hi", "a", "m1");
  EXPECT_EQ(second, first);
  EXPECT_EQ(wait(second).response, "once");
  EXPECT_EQ(model_->requests.size(), 1U);
}

TEST_F(TurnRunnerTest, ACancelledTurnKeepsWhatItSaidAndTheNextMessageWorks) {
  model_->then(ScriptedAnswer::hangs_until_cancelled({"Once upon ", "a time"}));
  const TurnId id = submit("a story");
  world_.run_for(millis(100));
  const auto cancelled = world_.run(house_->runner().cancel(id));
  ASSERT_TRUE(cancelled) << cancelled.error();
  EXPECT_EQ(cancelled->verdict, "interrupted");
  EXPECT_EQ(cancelled->reason, "cancelled");
  EXPECT_EQ(lines().back(), "assistant: Once upon a time\n\n(Stopped.)");
  model_->then(ScriptedAnswer::says("ok"));
  EXPECT_EQ(say("and now?").response, "ok");
}

TEST_F(TurnRunnerTest, AWaitingTurnCanBeCancelledAndNeverRuns) {
  model_->then(ScriptedAnswer::hangs_until_cancelled());
  const TurnId running = submit("one");
  const TurnId waiting = submit("two");
  ASSERT_TRUE(world_.run(house_->runner().cancel(waiting)));
  EXPECT_EQ(wait(waiting).verdict.reason, "cancelled");
  ASSERT_TRUE(world_.run(house_->runner().cancel(running)));
  EXPECT_EQ(model_->requests.size(), 1U);
}

TEST_F(TurnRunnerTest, ATurnThatTakesTooLongIsEndedByItsDeadline) {
  house_->house.runner().configure({.deadline = minutes(1), .inactive = minutes(5), .loop = {}});
  model_->then(ScriptedAnswer::hangs_until_cancelled());
  const auto before = world_.clock().mono_now();
  EXPECT_EQ(say("hm").verdict.reason, "deadline");
  EXPECT_LE((world_.clock().mono_now() - before).count, minutes(1).count + 1000);
}

TEST_F(TurnRunnerTest, ATurnInWhichNothingMovesIsEndedByTheWatch) {
  house_->house.runner().configure({.deadline = hours(1), .inactive = minutes(2), .loop = {}});
  model_->then(ScriptedAnswer::hangs_until_cancelled({"so"}));
  EXPECT_EQ(say("hm").verdict.reason, "inactive");
}

TEST_F(TurnRunnerTest, AFailureOfTheModelIsToldAndTheConversationGoesOn) {
  model_->then(ScriptedAnswer::fails(ModelErrc::kOverloaded, "the model is overloaded"));
  const TurnOutcome outcome = say("hi");
  EXPECT_EQ(outcome.verdict.kind, "failed");
  EXPECT_EQ(outcome.verdict.reason, "model_overloaded");
  EXPECT_NE(outcome.response.find("overloaded"), std::string::npos);
  model_->then(ScriptedAnswer::says("back"));
  EXPECT_EQ(say("again").response, "back");
}

TEST_F(TurnRunnerTest, AnEmptyAnswerIsAFailureWithWords) {
  model_->then(ScriptedAnswer());
  const TurnOutcome outcome = say("hi");
  EXPECT_EQ(outcome.verdict.reason, "empty_answer");
  EXPECT_FALSE(outcome.response.empty());
}

TEST_F(TurnRunnerTest, AModelThatNeverComesToAnEndIsStoppedAtTheBound) {
  house_->house.runner().configure({.loop = {.model_calls = 3}});
  model_->otherwise = [n = 0](const ModelRequest&) mutable {
    return ScriptedAnswer::calls_tool("c" + std::to_string(n++), "look");
  };
  EXPECT_EQ(say("loop").verdict.reason, "too_many_steps");
  EXPECT_EQ(model_->requests.size(), 3U);
}

// S4-22
TEST_F(TurnRunnerTest, ClearCancelsDropsClosesAndTheNextMessageStartsFresh) {
  model_->then(ScriptedAnswer::says("noted"));
  say("my cat is called Mia");
  model_->then(ScriptedAnswer::hangs_until_cancelled());
  const TurnId running = submit("long");
  const TurnId waiting = submit("more");
  const auto cleared =
      world_.run(house_->runner().clear(Workspaces::default_id(), conversation_.str()));
  ASSERT_TRUE(cleared) << cleared.error();
  EXPECT_TRUE(cleared->cancelled);
  ASSERT_TRUE(cleared->closed);
  EXPECT_EQ(wait(running).verdict.reason, "cleared");
  EXPECT_EQ(wait(waiting).verdict.kind, "interrupted");
  const auto closed = house_->kernel.kernel.sessions().get(*cleared->closed);
  EXPECT_EQ(closed->close_reason, "cleared");
  const auto kept = database_->read(
      {"SELECT close_summary FROM sessions WHERE session_id = $1", {cleared->closed->str()}});
  EXPECT_NE(kept->front().text(0).find("Mia"), std::string::npos) << kept->front().text(0);
  model_->then(ScriptedAnswer::says("hello"));
  say("hi");
  EXPECT_EQ(model_->requests.back().messages.size(), 1U) << "nothing of before";
}

TEST_F(TurnRunnerTest, ClearingWhatIsNotThereIsAcknowledged) {
  const auto cleared = world_.run(house_->runner().clear(Workspaces::default_id(), "nobody"));
  ASSERT_TRUE(cleared) << cleared.error();
  EXPECT_FALSE(cleared->conversation);
}

// Section 2: soft boundaries
TEST_F(TurnRunnerTest, TwelveVisibleMessagesCrossASoftBoundary) {
  for (int i = 0; i < 10; ++i) {
    model_->then(ScriptedAnswer::says("a" + std::to_string(i)));
    say("q" + std::to_string(i));
  }
  const auto session = house_->kernel.kernel.sessions().latest_of(conversation_);
  ASSERT_TRUE(world_.run(house_->kernel.kernel.close((*session)->id, std::string(kClosedByApi))));
  model_->then(ScriptedAnswer::says("yes"));
  say("still there?");
  const auto& messages = model_->requests.back().messages;
  EXPECT_EQ(messages.size(), 13U);
  EXPECT_EQ(messages.front().blocks[0].text, "q4");
}

TEST_F(TurnRunnerTest, AStopInGoodOrderPutsARunningTurnBackAndTheNextStartAnswersIt) {
  model_->then(ScriptedAnswer::hangs_until_cancelled({"half"}));
  const TurnId id = submit("hi");
  world_.settle();
  model_->otherwise = [](const ModelRequest&) { return ScriptedAnswer::says("whole"); };
  restart();
  EXPECT_EQ(wait(id).response, "whole");
  EXPECT_EQ(house_->house.ledger().get(id)->attempts, 1) << "the first try doesn't count";
  EXPECT_EQ(lines(), (Lines{"user: hi", "assistant: whole"}));
}

TEST_F(TurnRunnerTest, AMessageCanJoinTheTurnThatRunsIfThatIsWanted) {
  house_->house.runner().configure({.loop = {}, .join_running = true});
  TurnId second;
  model_->then(ScriptedAnswer::calls_tool("c1", "look"));
  model_->otherwise = [&](const ModelRequest& request) {
    return ScriptedAnswer::says("heard " + request.messages.back().blocks[0].text);
  };
  const TurnId first = submit("one");
  second = submit("two");
  EXPECT_EQ(wait(first).response, "heard two");
  EXPECT_EQ(wait(second).response, "heard two");
  EXPECT_EQ(house_->house.ledger().get(second)->reason, "joined " + first.str());
  EXPECT_EQ(lines(), (Lines{"user: one", "assistant: [look]", "tool: look done", "user: two",
                            "assistant: heard two"}));
  EXPECT_EQ(model_->requests.size(), 2U);
}

// Kept steps of a try that was put back are gone on from, not begun anew
TEST_F(TurnRunnerTest, AStopAfterAToolGoesOnFromWhatWasKept) {
  model_->then(ScriptedAnswer::calls_tool("c1", "look"));
  model_->then(ScriptedAnswer::hangs_until_cancelled());
  const TurnId id = submit("hi");
  world_.run_for(millis(100));
  model_->otherwise = [](const ModelRequest& request) {
    return ScriptedAnswer::says(request.messages.back().blocks[0].text);
  };
  restart();
  EXPECT_EQ(wait(id).response, "look done");
  EXPECT_EQ(outside_.done.at("c1"), 1);
  EXPECT_EQ(lines(),
            (Lines{"user: hi", "assistant: [look]", "tool: look done", "assistant: look done"}));
}

TEST_F(TurnRunnerTest, AWaitingTurnThatNobodyBeganIsBegunByTheNextMessage) {
  auto first = world_.run(house_->kernel.kernel.accept(chat_from("a", "one")));
  ASSERT_TRUE(first) << first.error();
  model_->then(ScriptedAnswer::says("1"));
  model_->then(ScriptedAnswer::says("2"));
  EXPECT_EQ(wait(submit("two")).response, "2");
  EXPECT_EQ(wait(*first->turn).response, "1");
}

TEST_F(TurnRunnerTest, AConversationTakesNoMoreThanItsBoundOfWaitingMessages) {
  model_->then(ScriptedAnswer::hangs_until_cancelled());
  for (std::int64_t i = 0; i <= kWaitingTurns; ++i) (void)submit("q");
  const auto refused = world_.run(house_->runner().submit(chat_from("a", "one too many")));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, Kind::kRateLimited);
}

TEST_F(TurnRunnerTest, WhoeverWaitsIsTurnedAwayWhenTheServerStops) {
  model_->then(ScriptedAnswer::hangs_until_cancelled());
  (void)submit("one");
  const TurnId second = submit("two");
  std::optional<Result<TurnOutcome>> told;
  world_.loop().spawn(
      "wait",
      [](TurnRunner& runner, TurnId id, std::optional<Result<TurnOutcome>>* out) -> Task<void> {
        *out = co_await runner.wait(std::move(id), {});
      }(house_->runner(), second, &told));
  world_.settle();
  world_.run(stopping());
  ASSERT_TRUE(told);
  ASSERT_FALSE(*told);
  EXPECT_EQ(told->error().kind, Kind::kUnavailable);
}

TEST_F(TurnRunnerTest, ALongPauseOfTheModelIsNoInactivity) {
  house_->house.runner().configure({.deadline = hours(1), .inactive = minutes(2), .loop = {}});
  struct Patient final : Model {
    explicit Patient(Clock& c) : clock(c) {}
    [[nodiscard]] const ModelInfo& info() const override { return described; }
    Task<Result<ModelAnswer>> answer(const ModelRequest&, ModelStream& stream,
                                     std::stop_token stop) override {
      stream.expect_quiet(minutes(10));
      (void)co_await clock.wait_for(minutes(10), stop);
      ModelAnswer out;
      out.blocks.emplace_back().text = "at last";
      if (stop.stop_requested()) co_return fail(ModelErrc::kCancelled, "");
      co_return out;
    }
    Clock& clock;
    ModelInfo described;
  };
  house_->house.use_models(
      std::make_shared<ModelBook>(std::map<std::string, std::shared_ptr<Model>, std::less<>>{
          {"main", std::make_shared<Patient>(world_.clock())}}));
  EXPECT_EQ(say("hm").response, "at last");
}

// S1-20, without paying for a summary of each turn
TEST_F(TurnRunnerTest, AModelSummarisesAConversationWhenItHasComeToRest) {
  struct Counting final : OneShot {
    Task<Result<std::string>> ask(OneShotQuestion question) override {
      ++asked;
      payer = question.workspace;
      co_return "GOAL: tea\nENTITIES: none\nDECISIONS: none\nPENDING: none\nTURNS: 3";
    }
    int asked = 0;
    std::optional<WorkspaceId> payer;
  } cheap;
  house_->kernel.summariser.use_model(&cheap);
  for (int i = 0; i < 3; ++i) {
    model_->then(ScriptedAnswer::says("a"));
    say("I would like some tea");
  }
  EXPECT_EQ(cheap.asked, 0);
  world_.run_for(seconds(10));
  EXPECT_EQ(cheap.asked, 1);
  EXPECT_EQ(cheap.payer, Workspaces::default_id());
  const auto session = house_->kernel.kernel.sessions().latest_of(conversation_);
  EXPECT_TRUE((*session)->context_summary.starts_with("GOAL: tea")) << (*session)->context_summary;
}

TEST_F(TurnRunnerTest, EventsHaveNoGapAndTellOfEachTurn) {
  for (int i = 0; i < 3; ++i) {
    model_->then(ScriptedAnswer::says("a"));
    say("q");
  }
  const auto events = house_->house.events().after(Workspaces::default_id(), 0, 100);
  ASSERT_TRUE(events) << events.error();
  ASSERT_EQ(events->size(), 6U);
  for (std::size_t i = 0; i < events->size(); ++i) {
    EXPECT_EQ((*events)[i].seq, static_cast<std::int64_t>(i) + 1);
    EXPECT_EQ((*events)[i].type, i % 2 == 0 ? "turn_queued" : "turn_ended");
  }
  EXPECT_EQ(events->back().last_seq, 6);
}

TEST_F(TurnRunnerTest, WhatIsStreamedAddsUpToTheAnswer) {
  std::string streamed;
  const auto watching =
      house_->house.stage().watch_workspace(Workspaces::default_id(), [&](const TurnEvent& event) {
        if (event.kind == TurnEvent::Kind::kAgain) streamed.clear();
        if (event.kind != TurnEvent::Kind::kText) return;
        EXPECT_EQ(event.offset, streamed.size());
        streamed += event.text;
      });
  model_->then(ScriptedAnswer::says_in_pieces({"To", "get", "her"}).after_a_void_try({"no"}));
  EXPECT_EQ(say("hi").response, "Together");
  EXPECT_EQ(streamed, "Together");
}

}  // namespace
}  // namespace rouse
