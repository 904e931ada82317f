#include "gateway/live_hub.h"

#include "gateway/live/live_for_tests.h"

namespace rouse {
namespace {

TEST(LiveHub, AnothersTurnCanNotBeCancelled) {
  LiveHouse house;
  const Turn turn = house.begin("Hello");
  const auto page = house.open({}, *WorkspaceId::parse("ws_other"));
  page->say(R"({"type":"cancel","turn_id":")" + turn.id.str() + "\"}");
  house.settle();
  EXPECT_EQ(text_at(page->of_type("error").front(), "error"), "turn_not_found");
  EXPECT_FALSE(house.ledger.get(turn.id)->ended);
}

TEST(LiveHub, AMessageIsAcceptedAndShownToEveryPage) {
  LiveHouse house;
  const auto writer = house.open();
  const auto reader = house.open();
  writer->say(
      R"({"type":"chat","conversation_id":"c0ffee","message":"Hi","client_message_id":"m1"})");
  house.settle();
  const auto accepted = writer->of_type("accepted");
  ASSERT_EQ(accepted.size(), 1U);
  EXPECT_EQ(text_at(accepted.front(), "client_message_id"), "m1");
  EXPECT_TRUE(reader->of_type("accepted").empty());
  const auto queued = reader->of_type("turn_queued");
  ASSERT_EQ(queued.size(), 1U);
  EXPECT_EQ(text_at(queued.front(), "turn_id"), text_at(accepted.front(), "turn_id"));
  EXPECT_EQ(text_at(queued.front(), "client_message_id"), "m1");
  const Json& message = queued.front().at("message").as_object();
  EXPECT_EQ(text_at(message.at("content").as_array().front().as_object(), "text"), "Hi");
  const auto found =
      house.house.kernel.conversations().find_by_name(Workspaces::default_id(), "websocket:c0ffee");
  ASSERT_TRUE(found);
  EXPECT_EQ(text_at(accepted.front(), "conversation_id"), found->id.str());
}

TEST(LiveHub, TheSameMessageAgainIsTheSameTurn) {
  LiveHouse house;
  const auto page = house.open();
  for (int i = 0; i < 2; ++i) {
    page->say(R"({"type":"chat","session_id":"a","message":"Hi","client_message_id":"m1"})");
    house.settle();
  }
  const auto accepted = page->of_type("accepted");
  ASSERT_EQ(accepted.size(), 2U);
  EXPECT_EQ(text_at(accepted[0], "turn_id"), text_at(accepted[1], "turn_id"));
  EXPECT_EQ(page->of_type("turn_queued").size(), 1U);
}

// U9
TEST(LiveHub, MessagesSentInHasteKeepTheirOrder) {
  LiveHouse house;
  const auto page = house.open();
  for (const char* text : {"ALPHA", "BETA", "GAMMA"}) {
    page->say(fmt::format(R"({{"type":"chat","session_id":"a","message":"{}"}})", text));
  }
  house.settle();
  std::string order;
  for (const Json& one : page->of_type("turn_queued")) {
    const Json& message = one.at("message").as_object();
    order += text_at(message.at("content").as_array().front().as_object(), "text") + " ";
  }
  EXPECT_EQ(order, "ALPHA BETA GAMMA ");
}

TEST(LiveHub, WhatCanNotBeTakenIsAnsweredWithAReason) {
  LiveHouse house;
  const auto page = house.open();
  for (
      const char* frame : {
          R"({"type":"chat","client_message_id":"m1","message":"Hi"})",
          R"({"type":"chat","client_message_id":"m1","session_id":"a"})",
          R"({"type":"chat","client_message_id":"m1","session_id":"a","message":"  "})",
          R"({"type":"chat","client_message_id":"m1","session_id":"a","message":[{"type":"x"}]})",
          R"({"type":"chat","client_message_id":"m1","session_id":"a","message":[{"type":"image"}]})",
      }) {
    page->frames.clear();
    page->say(frame);
    house.settle();
    const auto errors = page->of_type("error");
    ASSERT_EQ(errors.size(), 1U) << frame;
    EXPECT_EQ(text_at(errors.front(), "client_message_id"), "m1");
    EXPECT_FALSE(text_at(errors.front(), "message").empty());
  }
}

TEST(LiveHub, ARunningTurnIsCancelledAndEveryPageIsTold) {
  LiveHouse house;
  const auto page = house.open();
  const Turn turn = house.begin("Count to a million");
  page->say(R"({"type":"cancel","turn_id":")" + turn.id.str() + "\"}");
  house.settle();
  EXPECT_EQ(text_at(page->of_type("cancelled").front(), "verdict"), "interrupted");
  const auto ended = page->of_type("turn_ended");
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_EQ(text_at(ended.front(), "reason"), "cancelled");
}

// S4-22, S4-C10
TEST(LiveHub, ClearingIsAcknowledgedEvenIfNothingWasThere) {
  LiveHouse house;
  const auto page = house.open();
  page->say(R"({"type":"clear_chat","conversation_id":"old"})");
  house.settle();
  const auto cleared = page->of_type("chat_cleared");
  ASSERT_EQ(cleared.size(), 1U);
  EXPECT_EQ(text_at(cleared.front(), "conversation_id"), "old");
  EXPECT_FALSE(cleared.front().contains("cleared"));
  EXPECT_EQ(house.runner.cleared, std::vector<std::string>{"old"});
}

// S4-22
TEST(LiveHub, ClearingWithoutANameIsIgnored) {
  LiveHouse house;
  const auto page = house.open();
  page->say(R"({"type":"clear_chat"})");
  page->say(R"({"type":"clear_chat","conversation_id":""})");
  house.settle();
  EXPECT_EQ(page->frames.size(), 2U);
  EXPECT_TRUE(house.runner.cleared.empty());
}

// S4-26
TEST(LiveHub, TheSlashCommandClearsToo) {
  LiveHouse house;
  const auto page = house.open();
  page->say(R"({"type":"chat","session_id":"mine","message":"Hello"})");
  house.settle();
  page->say(R"({"type":"chat","session_id":"mine","message":" /clear ","client_message_id":"m2"})");
  house.settle();
  const auto cleared = page->of_type("chat_cleared");
  ASSERT_EQ(cleared.size(), 1U);
  EXPECT_EQ(text_at(cleared.front(), "client_message_id"), "m2");
  EXPECT_TRUE(text_at(cleared.front(), "cleared").starts_with("conv_"));
  EXPECT_EQ(page->of_type("turn_queued").size(), 1U);
}

TEST(LiveHub, PingHealthAndWhatNobodyKnows) {
  LiveHouse house;
  const auto page = house.open();
  for (const char* frame : {R"({"type":"ping"})", R"({"type":"health"})", R"({"type":"x"})", "{"}) {
    page->say(frame);
  }
  house.settle();
  EXPECT_EQ(page->of_type("pong").size(), 1U);
  EXPECT_EQ(page->of_type("health").size(), 2U);
  EXPECT_EQ(page->of_type("error").size(), 1U);
  EXPECT_EQ(page->frames.size(), 5U);
}

TEST(PageOwner, IsTakenFromTheRequest) {
  Principal user;
  user.workspace = *WorkspaceId::parse("ws_a");
  const auto plain = page_owner(user, "b", "");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->workspace, user.workspace);
  EXPECT_FALSE(plain->after);
  EXPECT_EQ(page_owner(user, "", "x=1&after=12")->after, 12);
  for (const char* query : {"after=", "after=-1", "after=1x", "workspace_id=ws_b"}) {
    EXPECT_FALSE(page_owner(user, "", query)) << query;
  }
  user.role = Role::kAdmin;
  EXPECT_EQ(page_owner(user, "", "workspace_id=ws_b")->workspace.str(), "ws_b");
}

}  // namespace
}  // namespace rouse
