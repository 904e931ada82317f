#include "session/session_kernel.h"

#include <gtest/gtest.h>

#include "session/invariants_for_tests.h"
#include "session/kernel_for_tests.h"
#include "session/summary/scripted_one_shot_for_tests.h"

namespace rouse {
namespace {

class SessionKernelTest : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = world_.open_store();
    ASSERT_TRUE(opened) << opened.error();
    database_ = *opened;
    house_ = std::make_unique<KernelHouse>(world_, *database_);
    ASSERT_TRUE(world_.run(house_->start()));
  }
  void TearDown() override { expect_session_invariants(*database_, "at the end"); }

  void restart() {
    house_.reset();
    world_.close_store();
    SetUp();
  }

  Resolved hear(InboundMessage message) {
    auto resolved = world_.run(house_->kernel.resolve(std::move(message)));
    EXPECT_TRUE(resolved) << resolved.error();
    return *resolved;
  }
  Resolved hear(std::string peer, std::string text) {
    return hear(message_from(std::move(peer), std::move(text)));
  }
  Session answer(const Session& session, std::string asked, std::string said) {
    auto after = world_.run(house_->kernel.record_turn({.session = session.id,
                                                        .workspace = session.workspace,
                                                        .user_message = std::move(asked),
                                                        .assistant_response = std::move(said),
                                                        .action_type = {},
                                                        .message_id = {}}));
    EXPECT_TRUE(after) << after.error();
    return *after;
  }
  std::int64_t count(std::string_view sql) {
    return database_->read({sql, {}})->front().integer(0);
  }

  sim::World world_{7};
  Database* database_ = nullptr;
  std::unique_ptr<KernelHouse> house_;
};

// S1-01, S1-14
TEST_F(SessionKernelTest, RemembersASenderAcrossMessagesAndRestarts) {
  const Resolved first = hear("+1", "hello");
  EXPECT_EQ(first.decision + " " + first.reason, "new first_message");
  world_.run_for(minutes(5));
  restart();
  const Resolved second = hear("+1", "still there?");
  EXPECT_EQ(second.decision + " " + second.reason, "continue within_timeout");
  EXPECT_EQ(second.session.id, first.session.id);
}

// SE-10
TEST_F(SessionKernelTest, TwoSendersNeverShareASession) {
  EXPECT_NE(hear("+1", "hello").session.id, hear("+2", "hello").session.id);
  EXPECT_NE(hear(message_from("+1", "hello", {}, "telegram")).session.id,
            hear("+1", "hello").session.id);
}

// S1-12, U2
TEST_F(SessionKernelTest, ATimeoutClosesTheSessionAndCarriesItsSummaryOver) {
  const Session first = hear("+1", "Plan a trip to Rome").session;
  const Session answered = answer(first, "Plan a trip to Rome", "When do you want to go?");
  ASSERT_NE(answered.context_summary.find("Rome"), std::string::npos) << answered.context_summary;
  world_.run_for(minutes(31));
  const Resolved next = hear("+1", "in May");
  EXPECT_EQ(next.decision + " " + next.reason, "new timeout");
  EXPECT_NE(next.session.context_summary.find("Rome"), std::string::npos);
  EXPECT_TRUE(next.session.context_summary.ends_with("TURNS: 0"));
  EXPECT_EQ(house_->kernel.get(first.id)->close_reason, "timeout");
  EXPECT_EQ(next.session.epoch, 2);
}

// S1-09, design section 2: a hard boundary
TEST_F(SessionKernelTest, AResetForgetsTheSummary) {
  const Session first = hear("+1", "Plan a trip to Rome").session;
  (void)answer(first, "Plan a trip to Rome", "When?");
  const Resolved next = hear("+1", "please reset");
  EXPECT_EQ(next.decision + " " + next.reason, "new explicit_reset");
  EXPECT_TRUE(next.reset_only);
  EXPECT_EQ(next.session.context_summary, "");
  EXPECT_FALSE(hear("+1", "new task: find bees").reset_only);
}

// U11: the web has its own ways to begin anew
TEST_F(SessionKernelTest, PhrasesMeanNothingWhereTheyAreNotHeeded) {
  InboundMessage message = message_from("page", "reset", {}, "websocket");
  message.heeds_reset_phrases = false;
  (void)hear(message);
  EXPECT_EQ(hear(message).reason, "within_timeout");
}

// Section 4: only bridged channels time out
TEST_F(SessionKernelTest, AWebPageHasNoTimeout) {
  (void)hear(message_from("page", "hello", {}, "websocket"));
  world_.run_for(days(30));
  EXPECT_EQ(hear(message_from("page", "again", {}, "websocket")).reason, "within_timeout");
}

// U2: an automation joins what is active, however long ago, and counts as visible
TEST_F(SessionKernelTest, AnAutomationNeverTimesOutASession) {
  (void)hear("+1", "hello");
  world_.run_for(hours(8));
  InboundMessage report = message_from("+1", "the morning report");
  report.kind = TurnKind::kAutomation;
  EXPECT_EQ(hear(report).reason, "within_timeout");
  world_.run_for(minutes(20));
  EXPECT_EQ(hear("+1", "thanks").reason, "within_timeout");
}

// S1-11, section 2
TEST_F(SessionKernelTest, AnAutomationThatFindsItsSessionClosedOpensANewOne) {
  const Session first = hear("+1", "hello").session;
  ASSERT_TRUE(world_.run(house_->kernel.close(first.id, std::string(kClosedByApi))));
  InboundMessage report = message_from("+1", "the morning report");
  report.kind = TurnKind::kAutomation;
  const Resolved opened = hear(report);
  EXPECT_EQ(opened.decision + " " + opened.reason, "new session_closed");
}

TEST_F(SessionKernelTest, AClockThatIsSetBackNeitherTimesOutNorMovesTimesBack) {
  const Session first = hear("+1", "hello").session;
  world_.clock().step_wall(hours(-5));
  const Resolved next = hear("+1", "again");
  EXPECT_EQ(next.reason, "within_timeout");
  EXPECT_EQ(next.session.last_message, first.last_message);
}

// SE-11
TEST_F(SessionKernelTest, ARedeliveryGetsTheFirstAnswerAlsoAfterARestart) {
  const Resolved first = hear(message_from("+1", "hello", "wamid.1"));
  for (int i = 0; i < 3; ++i) {
    world_.run_for(hours(6));
    restart();
    const Resolved again = hear(message_from("+1", "hello", "wamid.1"));
    EXPECT_TRUE(again.redelivered);
    EXPECT_EQ(again.session, first.session);
    EXPECT_EQ(again.decision + again.reason, first.decision + first.reason);
  }
  EXPECT_EQ(count("SELECT COUNT(*) FROM inbound"), 1);
}

Task<void> keep(SessionKernel& kernel, InboundMessage message,
                std::vector<Result<Resolved>>& answers) {
  answers.push_back(co_await kernel.resolve(std::move(message)));
}

// SE-11, SE-8: five deliveries at the same instant
TEST_F(SessionKernelTest, DeliveriesAtTheSameInstantAreOneMessage) {
  std::vector<Result<Resolved>> answers;
  for (int i = 0; i < 5; ++i) {
    world_.loop().spawn("delivery",
                        keep(house_->kernel, message_from("+1", "hello", "wamid.1"), answers));
  }
  world_.run_while([&] { return answers.size() < 5; });
  int fresh = 0;
  for (const auto& one : answers) {
    ASSERT_TRUE(one) << one.error();
    EXPECT_EQ(one->session.id, answers[0]->session.id);
    fresh += one->redelivered ? 0 : 1;
  }
  EXPECT_EQ(fresh, 1);
}

// SE-8
TEST_F(SessionKernelTest, AHundredMessagesAtOnceAreKeptInTheirOrder) {
  std::vector<Result<Resolved>> answers;
  for (int i = 0; i < 100; ++i) {
    world_.loop().spawn("message",
                        keep(house_->kernel, message_from("+1", std::to_string(i)), answers));
  }
  world_.run_while([&] { return answers.size() < 100; });
  const auto rows = database_->read({"SELECT content FROM inbound ORDER BY number", {}});
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(readable_text(*decode_content((*rows)[static_cast<std::size_t>(i)].text(0))),
              std::to_string(i));
  }
  EXPECT_EQ(count("SELECT COUNT(*) FROM sessions"), 1);
}

// S1-07, SE-5: what was said is kept once, with where it came from
TEST_F(SessionKernelTest, ATurnIsRecordedWithBothSidesInTheTranscript) {
  const Session session = hear("+1", "what is the capital of France?").session;
  EXPECT_EQ(count("SELECT COUNT(*) FROM inbound WHERE content IS NOT NULL"), 1);
  world_.run_for(seconds(3));
  const Session after = answer(session, "what is the capital of France?", "Paris.");
  EXPECT_EQ(after.turn_count, 1);
  EXPECT_GT(after.last_message, session.last_message);
  EXPECT_EQ(count("SELECT COUNT(*) FROM inbound WHERE content IS NOT NULL"), 0);
  const auto said = world_.run(house_->kernel.messages().after(session.conversation, 0, 10));
  ASSERT_TRUE(said) << said.error();
  ASSERT_EQ(said->size(), 2U);
  EXPECT_EQ((*said)[0].content, text_content("what is the capital of France?", kFromSender));
  EXPECT_EQ((*said)[0].created, session.last_message) << "when the person said it";
  EXPECT_EQ((*said)[1].content, text_content("Paris.", kFromAgent));
}

TEST_F(SessionKernelTest, ATurnNobodyAnnouncedIsRecordedAllTheSame) {
  const Session session = hear("+1", "hello").session;
  (void)answer(session, "something the kernel never saw", "fine");
  EXPECT_EQ(count("SELECT COUNT(*) FROM messages"), 2);
  EXPECT_EQ(count("SELECT COUNT(*) FROM inbound WHERE content IS NOT NULL"), 1);
}

TEST_F(SessionKernelTest, TheSameTurnToldTwiceIsRecordedOnce) {
  const Session session = hear(message_from("+1", "hello", "wamid.1")).session;
  const TurnRecord record{.session = session.id,
                          .workspace = session.workspace,
                          .user_message = "hello",
                          .assistant_response = "hi",
                          .action_type = "chat",
                          .message_id = "wamid.1"};
  for (int i = 0; i < 3; ++i) {
    const auto after = world_.run(house_->kernel.record_turn(record));
    ASSERT_TRUE(after) << after.error();
    EXPECT_EQ(after->turn_count, 1);
  }
  EXPECT_EQ(count("SELECT COUNT(*) FROM messages"), 2);
}

// The id may come only with the answer: a retry is still a retry.
TEST_F(SessionKernelTest, AnIdThatResolveNeverSawMakesARetrySafeAllTheSame) {
  const Session session = hear("+1", "hello").session;
  for (const char* text : {"hello", "hello", "something else entirely"}) {
    for (int i = 0; i < 2; ++i) {
      ASSERT_TRUE(world_.run(house_->kernel.record_turn({.session = session.id,
                                                         .workspace = session.workspace,
                                                         .user_message = text,
                                                         .assistant_response = "hi",
                                                         .action_type = {},
                                                         .message_id = "late.1"})));
    }
  }
  EXPECT_EQ(house_->kernel.get(session.id)->turn_count, 2) << "two different texts, two turns";
}

TEST_F(SessionKernelTest, AnAnswerToldToTheWrongSessionIsRefused) {
  const Session first = hear(message_from("+1", "hello", "wamid.1")).session;
  const Session second = hear("+1", "reset").session;
  TurnRecord record{.session = second.id,
                    .workspace = first.workspace,
                    .user_message = "hello",
                    .assistant_response = "hi",
                    .action_type = {},
                    .message_id = "wamid.1"};
  const auto refused = world_.run(house_->kernel.record_turn(record));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, Kind::kConflict);
  record.session = first.id;
  const auto recorded = world_.run(house_->kernel.record_turn(record));
  ASSERT_TRUE(recorded) << recorded.error();
  EXPECT_EQ(recorded->turn_count, 1);
}

// Two channels of a unified conversation may use the same id for different messages.
TEST_F(SessionKernelTest, InAUnifiedConversationAnIdAloneDoesNotMakeARetry) {
  house_->kernel.configure({.unified = true});
  const Session session = hear(message_from("42", "from telegram", "7", "telegram")).session;
  (void)hear(message_from("+1", "from whatsapp", "7"));
  for (const char* text : {"from telegram", "from whatsapp"}) {
    const auto recorded = world_.run(house_->kernel.record_turn({.session = session.id,
                                                                 .workspace = session.workspace,
                                                                 .user_message = text,
                                                                 .assistant_response = "fine",
                                                                 .action_type = {},
                                                                 .message_id = "7"}));
    ASSERT_TRUE(recorded) << recorded.error();
  }
  EXPECT_EQ(count("SELECT COUNT(*) FROM turns"), 2);
  EXPECT_EQ(count("SELECT COUNT(*) FROM inbound WHERE content IS NOT NULL"), 0);
}

// Closed never becomes active again, but what was said is not lost.
TEST_F(SessionKernelTest, AnAnswerThatComesAfterTheCloseIsKeptInTheClosedSession) {
  const Session session = hear("+1", "hello").session;
  ASSERT_TRUE(world_.run(house_->kernel.close(session.id, std::string(kClosedByApi))));
  const Session after = answer(session, "hello", "hi");
  EXPECT_FALSE(after.active);
  EXPECT_EQ(after.turn_count, 1);
}

// S1-C7
TEST_F(SessionKernelTest, AnotherWorkspaceCantRecordATurn) {
  const Session session = hear("+1", "hello").session;
  const auto other = world_.run(house_->workspaces.create("team", "Other"));
  const auto refused = world_.run(house_->kernel.record_turn({.session = session.id,
                                                              .workspace = other->id,
                                                              .user_message = "x",
                                                              .assistant_response = "y",
                                                              .action_type = {},
                                                              .message_id = {}}));
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().is(SessionErrc::kWorkspaceMismatch));
}

TEST_F(SessionKernelTest, AnUnknownWorkspaceIsNotFound) {
  InboundMessage message = message_from("+1", "hello");
  message.workspace = *WorkspaceId::parse("ws_nobody");
  const auto refused = world_.run(house_->kernel.resolve(message));
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().is(WorkspaceErrc::kNotFound));
  EXPECT_EQ(count("SELECT COUNT(*) FROM inbound"), 0);
}

TEST_F(SessionKernelTest, UnifiedChannelsAreOneConversation) {
  house_->kernel.configure({.unified = true});
  const Session first = hear("+1", "hello").session;
  EXPECT_EQ(first.key.str(), "unified:default");
  EXPECT_EQ(hear(message_from("page", "and here", {}, "websocket")).session.id, first.id);
}

// S3-46: a job keeps the key it was made with
TEST_F(SessionKernelTest, WhatKeepsItsKeyIsNotUnified) {
  house_->kernel.configure({.unified = true});
  InboundMessage report = message_from("+1", "the morning report");
  report.kind = TurnKind::kAutomation;
  report.keeps_key = true;
  EXPECT_EQ(hear(report).session.key.str(), "whatsapp:+1");
}

// S3-27
TEST_F(SessionKernelTest, WhatMadeAMessageAndWhatItsTurnIsCalledAreKept) {
  InboundMessage report = message_from("+1", "the morning report");
  report.kind = TurnKind::kAutomation;
  report.meta = R"({"automation_id":"job_1"})";
  report.turn = TurnId::make(world_.clock().wall_now(), world_.random());
  const TurnId wanted = *report.turn;
  const auto taken = world_.run(house_->kernel.accept(report));
  ASSERT_TRUE(taken) << taken.error();
  EXPECT_EQ(taken->turn, wanted);
  restart();
  EXPECT_EQ((*house_->kernel.turns().get(wanted))->kind, TurnKind::kAutomation);
  EXPECT_EQ((*house_->kernel.inbound().get(taken->inbound))->meta, R"({"automation_id":"job_1"})");
}

// S1-13, S1-C6
TEST_F(SessionKernelTest, AChangeOfSubjectOpensANewSessionWhenTheGateIsOn) {
  ScriptedOneShot model(&world_.clock());
  house_->drift.use_model(&model);
  house_->drift.set_enabled(true);
  const Session first = hear("+1", "Plan a trip to Rome").session;
  (void)answer(first, "Plan a trip to Rome", "When?");
  model.answer(R"({"drift":false,"confidence":0.95,"reason":"same trip"})");
  EXPECT_EQ(hear("+1", "in May").reason, "within_timeout");
  model.fail_with(Error(Errc::kUnavailable, "overloaded"));
  EXPECT_EQ(hear("+1", "with my sister").reason, "within_timeout") << "a failure means continue";
  model.answer(R"({"drift":true,"confidence":0.9,"reason":"from travel to taxes"})");
  const Resolved drifted = hear("+1", "how do I file my taxes?");
  EXPECT_EQ(drifted.decision + " " + drifted.reason, "new topic_drift");
  const auto row = house_->kernel.inbound().get(drifted.inbound);
  EXPECT_NE((*row)->facts.find("from travel to taxes"), std::string::npos) << (*row)->facts;
}

// S1-20, SE-9: the turn is safe before the model is asked
TEST_F(SessionKernelTest, AModelsSummaryReplacesThePlainOneAfterTheTurnIsSafe) {
  ScriptedOneShot model(&world_.clock());
  house_->summariser.use_model(&model);
  const Session session = hear("+1", "Plan a trip to Rome").session;
  model.answer("GOAL: see Rome\nENTITIES: Rome\nDECISIONS: none\nPENDING: dates\nTURNS: 1");
  EXPECT_NE(answer(session, "Plan a trip to Rome", "When?").context_summary.find("GOAL: see Rome"),
            std::string::npos);
  model.fail_with(Error(Errc::kTimeout, "too slow"));
  const Session after = answer(session, "in May", "Which week?");
  EXPECT_TRUE(after.context_summary.ends_with("TURNS: 2")) << after.context_summary;
}

// Section 2 (a): the inbound row and the queued turn are one write
TEST_F(SessionKernelTest, AcceptQueuesTheTurnThatWillAnswer) {
  const auto accepted = world_.run(house_->kernel.accept(message_from("+1", "hello", "wamid.1")));
  ASSERT_TRUE(accepted) << accepted.error();
  restart();
  const auto next = house_->kernel.turns().next(accepted->session.conversation);
  ASSERT_TRUE(next && *next);
  EXPECT_EQ((*next)->id, *accepted->turn);
  EXPECT_EQ((*next)->inbound, accepted->inbound);
  const auto again = world_.run(house_->kernel.accept(message_from("+1", "hello", "wamid.1")));
  EXPECT_EQ(again->turn, accepted->turn) << "a redelivery queues nothing";
  EXPECT_EQ(count("SELECT COUNT(*) FROM turns"), 1);
}

TEST_F(SessionKernelTest, TextsOfAnyScriptSurviveAndNulIsRefused) {
  const std::string text =
      "مرحبا بالعالم 👩‍👩‍👧‍👦 \"quoted\" \\ \n\t end";
  const Session session = hear("+1", text).session;
  (void)answer(session, text, text);
  const auto said = world_.run(house_->kernel.messages().after(session.conversation, 0, 10));
  EXPECT_EQ(said->at(0).content.at(0).text, text);
  EXPECT_EQ(said->at(1).content.at(0).text, text);
  const auto refused =
      world_.run(house_->kernel.resolve(message_from("+1", std::string("a\0b", 3))));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, Kind::kInvalid);
}

}  // namespace
}  // namespace rouse
