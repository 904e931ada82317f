// POST /api/chat, /api/turns and /clear over the whole gateway, with a model that plays a script.
#include "gateway/agent_gateway_for_tests.h"

namespace rouse {
namespace {

class ChatTest : public AgentGatewayTest {
 protected:
  void SetUp() override {
    script_ = std::make_shared<ScriptedModel>();
    model_ = script_;
    AgentGatewayTest::SetUp();
  }
  Answer chat(const std::string& session, const std::string& message,
              const std::string& more = "") {
    return post("/api/chat",
                R"({"session_id":")" + session + R"(","message":")" + message + "\"" + more + "}");
  }
  ChatAnswer said(const Answer& answer) {
    EXPECT_EQ(answer.status, 200) << answer.body;
    return decode_json<ChatAnswer>(answer.body).value_or(ChatAnswer{});
  }
  std::string keep(std::string bytes, const std::string& type) {
    const Answer kept = send({.method = "POST",
                              .target = "/api/files",
                              .body = std::move(bytes),
                              .headers = {{"content-type", type}}});
    EXPECT_EQ(kept.status, 201) << kept.body;
    return kept.body.substr(kept.body.find("\"hash\":\"") + 8, 64);
  }
  TurnView turn(const std::string& id) {
    const Answer answer = send({.target = "/api/turns/" + id});
    EXPECT_EQ(answer.status, 200) << answer.body;
    return decode_json<TurnView>(answer.body).value_or(TurnView{});
  }
  std::string token_for_new_workspace() {
    const auto made =
        decode_json<MadeWorkspace>(post("/kernel/workspaces", R"({"type":"personal"})").body);
    const Answer token = post(
        "/api/tokens", R"({"name":"t","role":"user","workspace":")" + made->workspace_id + "\"}");
    return decode_json<MadeToken>(token.body)->token;
  }

  std::shared_ptr<ScriptedModel> script_;
};

TEST_F(ChatTest, AnswersWithTheFieldsOfTheContract) {
  script_->then(ScriptedAnswer::says("Hello!"));
  const Answer answer = chat("s1", "hi");
  const ChatAnswer view = said(answer);
  EXPECT_EQ(view.session_id, "s1");
  EXPECT_EQ(view.response, "Hello!");
  EXPECT_EQ(view.verdict, "spoke");
  EXPECT_TRUE(view.turn_id.starts_with("turn_"));
  EXPECT_NE(answer.body.find("\"pending_approvals\":[]"), std::string::npos);
  EXPECT_EQ(turn(view.turn_id).state, "done");
  EXPECT_EQ(turn(view.turn_id).response, "Hello!");
}

TEST_F(ChatTest, TheSameSessionIsTheSameConversationByItsExternalId) {
  script_->then(ScriptedAnswer::says("one"));
  script_->then(ScriptedAnswer::says("two"));
  const ChatAnswer first = said(chat("s1", "a"));
  EXPECT_EQ(said(chat("s1", "b")).conversation_id, first.conversation_id);
  EXPECT_EQ(send({.target = "/api/conversations/s1"}).status, 200);
}

// Two tokens, one session_id: two conversations
TEST_F(ChatTest, TwoWorkspacesWithTheSameSessionIdNeverMeet) {
  const std::string token = token_for_new_workspace();
  script_->then(ScriptedAnswer::says("mine"));
  script_->then(ScriptedAnswer::says("theirs"));
  const ChatAnswer mine = said(chat("s1", "my secret"));
  const Answer theirs = send({.method = "POST",
                              .target = "/api/chat",
                              .body = R"({"session_id":"s1","message":"hello"})",
                              .headers = {{"authorization", "Bearer " + token}},
                              .owner = false});
  EXPECT_NE(said(theirs).conversation_id, mine.conversation_id);
  EXPECT_EQ(script_->requests.back().messages.size(), 1U) << "nothing of the other's";
  const Answer foreign = send({.target = "/api/turns/" + mine.turn_id,
                               .headers = {{"authorization", "Bearer " + token}},
                               .owner = false});
  EXPECT_EQ(foreign.status, 404);
  EXPECT_EQ(foreign.error(), "turn_not_found");
}

TEST_F(ChatTest, TheSameClientMessageIdIsTheSameTurn) {
  script_->then(ScriptedAnswer::says("once"));
  const std::string id = R"(,"client_message_id":"m1")";
  const ChatAnswer first = said(chat("s1", "hi", id));
  const ChatAnswer again = said(chat("s1", "hi", id));
  EXPECT_EQ(again.turn_id, first.turn_id);
  EXPECT_EQ(again.response, "once");
  EXPECT_EQ(script_->requests.size(), 1U);
}

TEST_F(ChatTest, TheIdCountsByTheConversationWhateverItIsCalled) {
  script_->then(ScriptedAnswer::says("once"));
  const std::string id = R"(,"client_message_id":"m1")";
  const ChatAnswer first = said(chat("terminal:me", "hi", id));
  EXPECT_EQ(said(chat("terminal:me", "hi", id)).turn_id, first.turn_id);
  EXPECT_EQ(said(chat(first.conversation_id, "hi", id)).turn_id, first.turn_id);
  EXPECT_EQ(script_->requests.size(), 1U);
}

TEST_F(ChatTest, AnIdempotencyKeyDoesTheSame) {
  script_->then(ScriptedAnswer::says("once"));
  const auto ask = [&] {
    return send({.method = "POST",
                 .target = "/api/chat",
                 .body = R"({"session_id":"s1","message":"hi"})",
                 .headers = {{"idempotency-key", "k1"}}});
  };
  EXPECT_EQ(said(ask()).turn_id, said(ask()).turn_id);
  EXPECT_EQ(script_->requests.size(), 1U);
}

TEST_F(ChatTest, StreamsTheAnswerAsItComesAndEndsWithTheCommittedWords) {
  script_->then(ScriptedAnswer::says_in_pieces({"Hel", "lo"}).after_a_void_try({"no"}));
  const Answer answer = chat("s1", "hi", R"(,"stream":true)");
  EXPECT_EQ(answer.headers.at("content-type"), "text/event-stream");
  const auto at = [&](std::string_view text) { return answer.body.find(text); };
  EXPECT_EQ(at("event: turn"), 0U);
  EXPECT_NE(at("event: delta"), std::string::npos);
  EXPECT_LT(at("event: delta"), at("event: done"));
  EXPECT_EQ(at("no"), std::string::npos) << "what was taken back is not in the snapshot";
  EXPECT_NE(at(R"("response":"Hello")"), std::string::npos);
}

TEST_F(ChatTest, AClientThatGoesAwayCancelsNothing) {
  script_->then(ScriptedAnswer::says_in_pieces({"a", "b", "c"}));
  stream_.pieces_taken = 1;
  (void)chat("s1", "hi", R"(,"stream":true,"client_message_id":"m1")");
  world_.run_for(seconds(1));
  EXPECT_EQ(said(chat("s1", "hi", R"(,"client_message_id":"m1")")).response, "abc");
}

TEST_F(ChatTest, AFailureIsAnAnswerWithItsVerdict) {
  script_->then(ScriptedAnswer::fails(ModelErrc::kUnauthorized, "the key was refused"));
  const ChatAnswer answer = said(chat("s1", "hi"));
  EXPECT_EQ(answer.verdict, "failed");
  EXPECT_EQ(answer.reason, "model_unauthorized");
  EXPECT_EQ(turn(answer.turn_id).error, "the key was refused");
}

// S4-26
TEST_F(ChatTest, SlashClearStartsFreshWithoutATurn) {
  script_->then(ScriptedAnswer::says("noted"));
  const ChatAnswer before = said(chat("s1", "remember me"));
  const ChatAnswer cleared = said(chat("s1", "/clear"));
  EXPECT_EQ(cleared.response, "Starting fresh. How can I help you?");
  EXPECT_EQ(cleared.turn_id, "");
  script_->then(ScriptedAnswer::says("hello"));
  const ChatAnswer after = said(chat("s1", "hi"));
  EXPECT_EQ(after.conversation_id, before.conversation_id);
  EXPECT_NE(after.kernel_session_id, before.kernel_session_id);
  EXPECT_EQ(script_->requests.back().messages.size(), 1U);
}

TEST_F(ChatTest, ClearOverHttpIsAcknowledgedEvenIfNothingIsThere) {
  const Answer answer = post("/api/conversations/nothing/clear", "");
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_NE(answer.body.find("chat_cleared"), std::string::npos);
}

TEST_F(ChatTest, ListsTurnsNewestFirstInPages) {
  for (int i = 0; i < 5; ++i) {
    script_->then(ScriptedAnswer::says("a"));
    (void)chat("s1", "q");
  }
  const auto first = decode_json<TurnList>(send({.target = "/api/turns?limit=3"}).body);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->items.size(), 3U);
  ASSERT_TRUE(first->next_cursor);
  const auto rest = decode_json<TurnList>(
      send({.target = "/api/turns?limit=3&conversation_id=s1&cursor=" + *first->next_cursor}).body);
  EXPECT_EQ(rest->items.size(), 2U);
  EXPECT_FALSE(rest->next_cursor);
}

TEST_F(ChatTest, BadRequestsSayWhatIsWrong) {
  EXPECT_EQ(post("/api/chat", R"({"message":"hi"})").status, 400);
  EXPECT_EQ(post("/api/chat", R"({"session_id":"s1"})").status, 400);
  EXPECT_EQ(chat("s1", "  ").status, 400);
  EXPECT_EQ(post("/api/chat", R"({"session_id":"s1","message":7})").status, 400);
  EXPECT_EQ(post("/api/chat", R"({"session_id":"s1","message":[{"type":"image"}]})").status, 400);
  EXPECT_EQ(send({.target = "/api/turns/turn_nope"}).status, 404);
  EXPECT_EQ(post("/api/turns/turn_nope/cancel", "").status, 404);
  EXPECT_TRUE(script_->requests.empty());
}

TEST_F(ChatTest, APictureForAModelThatCannotSeeIsRefusedAndNothingIsKept) {
  const std::string hash = keep("\x89PNG", "image/png");
  const std::string body =
      R"({"session_id":"s1","message":[{"type":"image","hash":")" + hash + R"("}]})";
  EXPECT_EQ(post("/api/chat", body).status, 415);
  EXPECT_EQ(database_->read({"SELECT COUNT(*) FROM inbound", {}})->front().integer(0), 0);
  script_->described.takes_images = true;
  script_->then(ScriptedAnswer::says("a picture"));
  EXPECT_EQ(said(post("/api/chat", body)).response, "a picture");
  EXPECT_EQ(script_->requests.back().messages.back().blocks.front().kind, BlockKind::kImage);
}

TEST_F(ChatTest, ATextFileReachesTheModelAsItsTextUnderItsName) {
  const std::string hash = keep("a,b\n1,2\n", "text/csv");
  script_->then(ScriptedAnswer::says("two columns"));
  const std::string body = R"({"session_id":"s1","message":[{"type":"text","text":"what is it?"},)"
                           R"({"type":"file","name":"t.csv","media_type":"image/png","hash":")" +
                           hash + R"("}]})";
  EXPECT_EQ(said(post("/api/chat", body)).response, "two columns");
  const auto& blocks = script_->requests.back().messages.back().blocks;
  ASSERT_EQ(blocks.size(), 2U);
  EXPECT_EQ(blocks[0].text, "what is it?");
  EXPECT_EQ(blocks[1].text, "[File t.csv, text/csv, 8 bytes]\na,b\n1,2\n\n[End of the file t.csv]");
  script_->then(ScriptedAnswer::says("still two"));
  (void)chat("s1", "sure?");
  EXPECT_EQ(script_->requests.back().messages.front().blocks, blocks) << "as long as it is visible";
}

TEST_F(ChatTest, APdfIsToldToAModelThatCannotReadItAndGivenToOneThatCan) {
  const auto body = [](const std::string& hash) {
    return R"({"session_id":"s1","message":[{"type":"file","name":"p.pdf","hash":")" + hash +
           R"("}]})";
  };
  const std::string pdf = keep("%PDF-1.7 …", "application/pdf");
  script_->then(ScriptedAnswer::says("I can't"));
  EXPECT_EQ(said(post("/api/chat", body(pdf))).response, "I can't");
  EXPECT_EQ(script_->requests.back().messages.back().blocks.front().text,
            "[PDF p.pdf, 12 bytes: this model can't read it]");
  script_->described.provider = "anthropic";
  script_->described.takes_images = true;
  script_->then(ScriptedAnswer::says("a plan"));
  (void)chat("s1", "and now?");
  EXPECT_EQ(script_->requests.back().messages.front().blocks.back().bytes, "%PDF-1.7 …");
}

TEST_F(ChatTest, AFileThatNobodyCanReadIsRefusedAndNothingIsKept) {
  for (const std::string& hash : {keep("PK", "application/zip"), keep("<html>", "application/pdf"),
                                  keep("PNG", "image/png")}) {
    const Answer refused = post(
        "/api/chat", R"({"session_id":"s1","message":[{"type":"file","hash":")" + hash + R"("}]})");
    EXPECT_EQ(refused.status, 415) << refused.body;
  }
  EXPECT_EQ(database_->read({"SELECT COUNT(*) FROM inbound", {}})->front().integer(0), 0);
}

TEST_F(ChatTest, WhatWasAcceptedSurvivesARestartAndIsAnswered) {
  script_->then(ScriptedAnswer::says("Nice, Ada."));
  (void)chat("s1", "I am Ada");
  restart();
  script_->then(ScriptedAnswer::says("Ada!"));
  (void)chat("s1", "who am I?");
  EXPECT_EQ(script_->requests.back().messages.size(), 3U);
}

TEST_F(ChatTest, TheLastMessageOfATurnSaysHowItEnded) {
  script_->then(ScriptedAnswer::says("fine"));
  script_->then(ScriptedAnswer::fails(ModelErrc::kUnauthorized));
  said(chat("s1", "one"));
  const ChatAnswer failed = said(chat("s1", "two"));
  const Answer answer = send({.target = "/api/conversations/s1/messages"});
  const auto list = *decode_json<MessageList>(answer.body);
  ASSERT_EQ(list.items.size(), 4U);
  EXPECT_EQ(list.items[0].verdict, "failed");
  EXPECT_EQ(list.items[0].reason, failed.reason);
  for (std::size_t i = 1; i < 4; ++i) EXPECT_EQ(list.items[i].verdict, std::nullopt) << i;
  for (const MessageView& one : list.items) EXPECT_EQ(one.turn_kind, "user");
}

TEST_F(ChatTest, ATurnTellsWhatItWasAskedWhileItRunsAndAfter) {
  script_->then(ScriptedAnswer::says("done"));
  const ChatAnswer view = said(chat("s1", "what I asked"));
  EXPECT_EQ(turn(view.turn_id).message, "what I asked");
  EXPECT_EQ(send({.target = "/api/turns"}).body.find("what I asked"), std::string::npos);
}

TEST_F(ChatTest, TheModelChosenForAConversationAnswersThere) {
  auto other = std::make_shared<ScriptedModel>();
  doors_->agent.use_models(
      std::make_shared<ModelBook>(std::map<std::string, std::shared_ptr<Model>, std::less<>>{
          {"main", model_}, {"small", other}}));
  script_->then(ScriptedAnswer::says("from main"));
  other->then(ScriptedAnswer::says("from small"));
  EXPECT_EQ(said(chat("s1", "a")).response, "from main");
  const Answer chosen =
      send({.method = "PATCH", .target = "/api/conversations/s1", .body = R"({"model":"small"})"});
  ASSERT_EQ(chosen.status, 200) << chosen.body;
  EXPECT_EQ(said(chat("s1", "b")).response, "from small");
  script_->then(ScriptedAnswer::says("another chat"));
  EXPECT_EQ(said(chat("s2", "c")).response, "another chat");
  // Taken out of the settings since: the usual one answers.
  doors_->agent.use_models(std::make_shared<ModelBook>(
      std::map<std::string, std::shared_ptr<Model>, std::less<>>{{"main", model_}}));
  script_->then(ScriptedAnswer::says("as usual"));
  EXPECT_EQ(said(chat("s1", "d")).response, "as usual");
}

}  // namespace
}  // namespace rouse
