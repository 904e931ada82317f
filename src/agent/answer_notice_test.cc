// An answer with a `::notify` line, all the way through a turn.
#include <gtest/gtest.h>

#include "agent/agent_for_tests.h"

namespace rouse {
namespace {

class AnswerNoticeTest : public testing::Test {
 protected:
  AnswerNoticeTest()
      : database_(**world_.open_store()), house_(world_, database_, model_, outside_) {
    EXPECT_TRUE(world_.run(house_.start()));
  }
  TurnOutcome say(std::string text) {
    const auto seen = house_.house.stage().watch_workspace(
        Workspaces::default_id(), [this](const TurnEvent& event) {
          if (event.kind == TurnEvent::Kind::kText) shown_ += event.text;
        });
    const auto taken = world_.run(house_.runner().submit(chat_from("a", std::move(text))));
    conversation_ = taken->resolved.session.conversation;
    return *world_.run(house_.runner().wait(*taken->resolved.turn, {}));
  }
  std::vector<Notification> notifications() {
    return *world_.run(house_.house.notifications().list(Workspaces::default_id(), 0, 10));
  }
  std::string stored() {
    std::string out;
    const auto tail = house_.kernel.kernel.messages().tail(conversation_, {}, 100);
    for (const Message& message : *tail) {
      for (const ContentBlock& block : message.content) out += block.text.value_or("") + "|";
    }
    return out;
  }

  sim::World world_{21};
  OutsideForTests outside_;
  std::shared_ptr<ScriptedModel> model_ = std::make_shared<ScriptedModel>();
  Database& database_;
  AgentHouseForTests house_;
  ConversationId conversation_;
  std::string shown_;
};

// UX-8
TEST_F(AnswerNoticeTest, TheLineIsNeitherShownNorStoredAndTheNotificationIsThere) {
  model_->then(
      ScriptedAnswer::says_in_pieces({"Do", "ne.\n:", ":not", "ify Build", " is green", "\nBye."}));
  EXPECT_EQ(say("go").response, "Done.\nBye.");
  EXPECT_EQ(shown_, "Done.\nBye.");
  EXPECT_FALSE(stored().contains("notify")) << stored();
  const auto told = notifications();
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].kind, "agent");
  EXPECT_EQ(told[0].subject, "Build is green");
  EXPECT_EQ(told[0].text, "Done.\nBye.");
  EXPECT_EQ(told[0].conversation, conversation_);
}

TEST_F(AnswerNoticeTest, TheSubjectIsTheAnswerIfThereIsNothingElse) {
  model_->then(ScriptedAnswer::says("::notify Tea is ready"));
  EXPECT_EQ(say("go").response, "Tea is ready");
  EXPECT_EQ(notifications().size(), 1u);
}

TEST_F(AnswerNoticeTest, ALineBesideAToolCallCountsUnlessALaterOneComes) {
  model_->then(ScriptedAnswer::says("::notify early").and_calls("c1", "look"));
  model_->then(ScriptedAnswer::says("All done."));
  EXPECT_EQ(say("go").response, "All done.");
  EXPECT_FALSE(stored().contains("notify")) << stored();
  ASSERT_EQ(notifications().size(), 1u);
  EXPECT_EQ(notifications()[0].subject, "early");
  EXPECT_EQ(notifications()[0].text, "All done.");
}

TEST_F(AnswerNoticeTest, WhatIsHeldBackAndIsNoSuchLineIsShownAtTheEnd) {
  model_->then(ScriptedAnswer::says_in_pieces({"Look:\n", "::not"}));
  EXPECT_EQ(say("go").response, "Look:\n::not");
  EXPECT_EQ(shown_, "Look:\n::not");
  EXPECT_TRUE(notifications().empty());
}

TEST_F(AnswerNoticeTest, ATurnThatFailedAnnouncesNothing) {
  model_->then(ScriptedAnswer::says("::notify early").and_calls("c1", "look"));
  model_->then(ScriptedAnswer::fails(ModelErrc::kUnauthorized));
  EXPECT_EQ(say("go").verdict.kind, "failed");
  EXPECT_TRUE(notifications().empty());
}

}  // namespace
}  // namespace rouse
