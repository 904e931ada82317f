#include <set>

#include "gateway/conversations_for_tests.h"

namespace rouse {
namespace {

// Sessions 6: list, look, read back.
TEST_F(ConversationApiTest, ListsConversationsWithTheMostRecentlyActiveFirst) {
  talk("+1", "one");
  world_.run_for(seconds(1));
  talk("+2", "two");
  world_.run_for(seconds(1));
  talk("+1", "again");
  const auto list = get<ConversationList>("/api/conversations");
  ASSERT_EQ(list.items.size(), 2U);
  EXPECT_FALSE(list.next_cursor);
  const ConversationView& first = list.items[0];
  EXPECT_EQ(first.session_key, "whatsapp:+1");
  EXPECT_EQ(first.title, "one");
  EXPECT_EQ(first.message_count, 4);
  EXPECT_EQ(first.session.status, "active");
  EXPECT_EQ(first.session.turn_count, 2);
  EXPECT_EQ(list.items[1].session_key, "whatsapp:+2");
  const Answer raw = send({.target = "/api/conversations?limit=1"});
  EXPECT_NE(raw.body.find(R"("project":null,"agent":null)"), std::string::npos) << raw.body;
  EXPECT_EQ(raw.body.find("aliases"), std::string::npos);
}

TEST_F(ConversationApiTest, PagesOfConversationsHaveNoGapAndNoDouble) {
  for (int i = 0; i < 25; ++i) receive("+" + std::to_string(i), "hi");  // many at one instant
  std::set<std::string> seen;
  std::string cursor;
  int pages = 0;
  do {
    const auto page = get<ConversationList>("/api/conversations?limit=4" + cursor);
    for (const auto& one : page.items) EXPECT_TRUE(seen.insert(one.conversation_id).second);
    cursor = page.next_cursor ? "&cursor=" + percent_encode(*page.next_cursor) : "";
    ++pages;
  } while (!cursor.empty());
  EXPECT_EQ(seen.size(), 25U);
  EXPECT_EQ(pages, 7);
  EXPECT_EQ(send({.target = "/api/conversations?cursor=nonsense"}).status, 400);
}

TEST_F(ConversationApiTest, AConversationIsFoundByAnyOfItsNames) {
  const std::string session = talk("+1555", "hello");
  const auto list = get<ConversationList>("/api/conversations");
  const std::string id = list.items.at(0).conversation_id;
  ASSERT_EQ(post("/api/conversations/" + id + "/aliases", R"({"external_id":"ext 7/ü"})").status,
            200);
  for (const std::string& name :
       {id, session, std::string("whatsapp:%2B1555"), percent_encode("ext 7/ü")}) {
    const auto view = get<ConversationView>("/api/conversations/" + name);
    EXPECT_EQ(view.conversation_id, id) << name;
    EXPECT_EQ(view.aliases, std::vector<std::string>{"ext 7/ü"});
    ASSERT_EQ(view.sessions->size(), 1U);
    EXPECT_EQ(view.sessions->front().session_id, session);
    EXPECT_EQ(view.sessions->front().opened_reason, "first_message");
  }
  const Answer none = send({.target = "/api/conversations/whatsapp:nobody"});
  EXPECT_EQ(none.status, 404);
  EXPECT_EQ(none.error(), "conversation_not_found");
}

TEST_F(ConversationApiTest, ShowsItsNewestFiftySessionsNewestFirst) {
  for (int i = 0; i < 52; ++i) {
    const std::string session = receive("+1", "hi");
    ASSERT_EQ(post("/kernel/sessions/" + session + "/close", "").status, 200);
  }
  const auto view = get<ConversationView>("/api/conversations/whatsapp:%2B1");
  ASSERT_EQ(view.sessions->size(), 50U);
  EXPECT_EQ(view.sessions->front().epoch, 52);
  EXPECT_EQ(view.sessions->back().epoch, 3);
  EXPECT_EQ(view.sessions->front().close_reason, "api_close");
}

TEST_F(ConversationApiTest, MessagesComeNewestFirstInPagesWithoutGapOrDouble) {
  for (int i = 0; i < 12; ++i) talk("+1", "question " + std::to_string(i));
  const std::string base = "/api/conversations/whatsapp:%2B1/messages?limit=5";
  std::vector<std::int64_t> seqs;
  std::string cursor;
  do {
    const auto page = get<MessageList>(base + cursor);
    for (const auto& one : page.items) seqs.push_back(one.seq);
    cursor = page.next_cursor ? "&cursor=" + *page.next_cursor : "";
  } while (!cursor.empty());
  ASSERT_EQ(seqs.size(), 24U);
  for (std::size_t i = 0; i < seqs.size(); ++i) EXPECT_EQ(seqs[i], 24 - static_cast<int>(i));

  std::vector<std::int64_t> forward;
  std::string more = "&after=3";
  do {
    const auto page = get<MessageList>(base + more);
    for (const auto& one : page.items) forward.push_back(one.seq);
    more = page.next_cursor ? "&after=3&cursor=" + *page.next_cursor : "";
  } while (!more.empty());
  ASSERT_EQ(forward.size(), 21U);
  EXPECT_EQ(forward.front(), 4);
  EXPECT_EQ(forward.back(), 24);
  EXPECT_EQ(send({.target = base + "&cursor=x"}).status, 400);
}

TEST_F(ConversationApiTest, AMessageSaysWhoSaidWhatWhereAndWhen) {
  const std::string session = talk("+1", "hello", "Hi there");
  const auto page = get<MessageList>("/api/conversations/" + session + "/messages");
  ASSERT_EQ(page.items.size(), 2U);
  const MessageView& reply = page.items[0];
  EXPECT_EQ(reply.role, "assistant");
  EXPECT_EQ(reply.source, "whatsapp");
  EXPECT_EQ(reply.session_id, session);
  EXPECT_TRUE(reply.turn_id);
  EXPECT_EQ(reply.content.at(0).text, "Hi there");
  EXPECT_EQ(reply.content.at(0).from, "agent");
  EXPECT_EQ(page.items[1].content.at(0).from, "sender");
}

TEST_F(ConversationApiTest, TitleProjectAndAgentCanBeSetAndCleared) {
  talk("+1", "hello");
  ASSERT_TRUE(world_.run(
      house_->projects.put(Workspaces::default_id(), {"house", "House", "/home/me/house"})));
  Agent cook;
  cook.name = "cook";
  ASSERT_TRUE(world_.run(house_->agents.put(Workspaces::default_id(), cook)));
  const std::string target = "/api/conversations/whatsapp:%2B1";
  const auto patch = [&](const std::string& body) { return ask("PATCH", target, "", body); };
  const Answer set = patch(R"({"title":" Plans 🎉 ","project":"house","agent":"cook"})");
  ASSERT_EQ(set.status, 200) << set.body;
  auto view = get<ConversationView>(target);
  EXPECT_EQ(view.title, "Plans 🎉");
  EXPECT_EQ(view.project, "house");
  EXPECT_EQ(view.agent, "cook");
  ASSERT_EQ(patch(R"({"project":null})").status, 200);
  view = get<ConversationView>(target);
  EXPECT_EQ(view.project, std::nullopt);
  EXPECT_EQ(view.agent, "cook") << "what is not named stays";
  EXPECT_EQ(patch(R"({"title":""})").status, 400);
  EXPECT_EQ(patch(R"({"title":"a\nb"})").status, 400);
  EXPECT_EQ(patch(R"({"title":")" + std::string(201, 'x') + "\"}").status, 400);
  std::string umlauts;
  for (int i = 0; i < 200; ++i) umlauts += "ü";
  EXPECT_EQ(patch(R"({"title":")" + umlauts + "\"}").status, 200) << "characters, not bytes";
  EXPECT_EQ(patch(R"({"project":"nowhere"})").error(), "project_not_found");
  EXPECT_EQ(patch(R"({"agent":"nobody"})").error(), "agent_not_found");
}

TEST_F(ConversationApiTest, AnExternalIdBelongsToOneConversationOfAWorkspace) {
  talk("+1", "hello");
  talk("+2", "hello");
  const std::string one = "/api/conversations/whatsapp:%2B1/aliases";
  const std::string two = "/api/conversations/whatsapp:%2B2/aliases";
  EXPECT_EQ(post(one, R"({"external_id":"x"})").status, 200);
  EXPECT_EQ(post(one, R"({"external_id":"x"})").status, 200) << "twice is once";
  const Answer taken = post(two, R"({"external_id":"x"})");
  EXPECT_EQ(taken.status, 409);
  EXPECT_EQ(taken.error(), "alias_taken");
  EXPECT_EQ(post(two, R"({"external_id":"whatsapp:+1"})").status, 409) << "it would hide the key";
  EXPECT_EQ(post(two, R"({"external_id":" \n"})").status, 400);
  EXPECT_EQ(count("SELECT COUNT(*) FROM aliases"), 1);
}

// SC-2: the wall between workspaces.
TEST_F(ConversationApiTest, AnotherWorkspacesConversationDoesNotExist) {
  const std::string session = talk("+1", "a secret");
  const auto id = get<ConversationList>("/api/conversations").items.at(0).conversation_id;
  const std::string token = make_token(make_workspace());
  EXPECT_TRUE(get<ConversationList>("/api/conversations", token).items.empty());
  for (const std::string& name : {id, session, std::string("whatsapp:%2B1")}) {
    const std::string target = "/api/conversations/" + name;
    EXPECT_EQ(ask("GET", target, token).error(), "conversation_not_found");
    EXPECT_EQ(ask("GET", target + "/messages", token).status, 404);
    EXPECT_EQ(ask("GET", target + "/export", token).status, 404);
    EXPECT_EQ(ask("PATCH", target, token, R"({"title":"x"})").status, 404);
    EXPECT_EQ(ask("POST", target + "/aliases", token, R"({"external_id":"x"})").status, 404);
    EXPECT_EQ(ask("DELETE", target, token).status, 404);
    EXPECT_EQ(ask("GET", target + "?workspace_id=ws_default", token).status, 403);
  }
  EXPECT_EQ(ask("GET", "/api/export?workspace_id=ws_default", token).status, 403);
  EXPECT_EQ(ask("GET", "/api/search?q=secret&workspace_id=ws_default", token).status, 403);
  EXPECT_EQ(get<ConversationView>("/api/conversations/" + id).title, "a secret");
}

TEST_F(ConversationApiTest, AnAdminMayNameAnyWorkspaceThatExists) {
  const std::string workspace = make_workspace();
  const std::string session = talk("+9", "theirs", "Yes.", workspace);
  EXPECT_TRUE(get<ConversationList>("/api/conversations").items.empty());
  const std::string named = "?workspace_id=" + workspace;
  EXPECT_EQ(get<ConversationList>("/api/conversations" + named).items.size(), 1U);
  EXPECT_EQ(get<MessageList>("/api/conversations/" + session + "/messages" + named).items.size(),
            2U);
  EXPECT_EQ(send({.target = "/api/conversations?workspace_id=ws_nobody"}).error(),
            "workspace_not_found");
}

// Sessions 6: search.
TEST_F(ConversationApiTest, SearchFindsWhatWasSaidAndShowsWhere) {
  talk("+1", "where is the blue teapot?", "On the shelf.");
  talk("+2", "the teapot is broken");
  ASSERT_TRUE(world_.run(house_->indexer.catch_up()));
  const auto hits = get<HitList>("/api/search?q=TEAPOT");
  ASSERT_EQ(hits.items.size(), 2U);
  EXPECT_EQ(hits.items[0].title, "the teapot is broken");
  EXPECT_EQ(hits.items[0].snippet, "the teapot is broken");
  EXPECT_EQ(hits.items[0].matches, (std::vector<std::vector<std::int64_t>>{{4, 6}}));
  const auto one = get<HitList>("/api/search?q=teapot&conversation=whatsapp:%2B1");
  ASSERT_EQ(one.items.size(), 1U);
  EXPECT_EQ(one.items[0].seq, 1);
  EXPECT_EQ(one.items[0].role, "user");
  const auto page = get<HitList>("/api/search?q=teapot&limit=1");
  ASSERT_TRUE(page.next_cursor);
  const auto rest = get<HitList>("/api/search?q=teapot&limit=1&cursor=" + *page.next_cursor);
  EXPECT_EQ(rest.items.at(0).conversation_id, one.items[0].conversation_id);
  EXPECT_EQ(send({.target = "/api/search"}).status, 400);
  EXPECT_EQ(send({.target = "/api/search?q=teapot&conversation=nobody"}).status, 404);
  const std::string token = make_token(make_workspace());
  EXPECT_TRUE(get<HitList>("/api/search?q=teapot", token).items.empty());
}

// Issue 8: pin, seen marks and preview in the list
TEST_F(ConversationApiTest, TheListShowsWhatWasSaidLastAndHowMuchOfItWasSeen) {
  talk("+1", "hello", "Hi there,\nhow are you?");
  const auto view = get<ConversationList>("/api/conversations").items.at(0);
  EXPECT_EQ(view.last_message, "Hi there, how are you?");
  EXPECT_TRUE(view.last_message_at);
  EXPECT_EQ(view.last_seq, 2);
  EXPECT_EQ(view.seen_seq, 0);
  EXPECT_EQ(view.automation_count, 0);
  EXPECT_FALSE(view.pinned);
  receive("+2", "nobody answered");
  EXPECT_EQ(get<ConversationView>("/api/conversations/whatsapp:%2B2").last_message, std::nullopt);
}

// What called for a turn by itself is nobody's message.
TEST_F(ConversationApiTest, ThePreviewIsWhatAPersonWouldRead) {
  talk("+1", "hello", "Hi");
  talk("+1", "Scheduled automation triggered", "[tool]");
  const auto run = [&](std::string_view sql) {
    ASSERT_TRUE(world_.run(database_->write(one(sql, {}))));
  };
  run("UPDATE messages SET role = 'tool' WHERE seq = 4");
  EXPECT_EQ(get<ConversationView>("/api/conversations/whatsapp:%2B1").last_message,
            "Scheduled automation triggered");
  run("UPDATE turns SET kind = 'automation' WHERE first_seq = 3");
  EXPECT_EQ(get<ConversationView>("/api/conversations/whatsapp:%2B1").last_message, "Hi");
}

TEST_F(ConversationApiTest, TheListCountsTheAutomationsThatBelongToAConversation) {
  for (const char* peer : {"+1", "+2"}) talk(peer, "hello");
  const auto made = post("/api/automations", R"({"message":"m","session_key":"whatsapp:+1",)"
                                             R"("schedule":{"kind":"every","every_ms":60000}})");
  ASSERT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(get<ConversationView>("/api/conversations/whatsapp:%2B1").automation_count, 1);
  EXPECT_EQ(get<ConversationView>("/api/conversations/whatsapp:%2B2").automation_count, 0);
}

TEST_F(ConversationApiTest, ThePinnedCanBeListedAlone) {
  for (int i = 0; i < 9; ++i) receive("+" + std::to_string(i), "hi");
  for (int i = 0; i < 9; i += 2) {
    const Answer done = ask("PATCH", "/api/conversations/whatsapp:%2B" + std::to_string(i), "",
                            R"({"pinned":true})");
    ASSERT_EQ(done.status, 200) << done.body;
    EXPECT_TRUE(decode_json<ConversationView>(done.body)->pinned);
  }
  std::set<std::string> pinned;
  std::string cursor;
  do {
    const auto page = get<ConversationList>("/api/conversations?pinned=true&limit=2" + cursor);
    for (const auto& one : page.items) EXPECT_TRUE(pinned.insert(one.session_key).second);
    cursor = page.next_cursor ? "&cursor=" + percent_encode(*page.next_cursor) : "";
  } while (!cursor.empty());
  EXPECT_EQ(pinned.size(), 5U);
  EXPECT_TRUE(pinned.contains("whatsapp:+8"));
  EXPECT_EQ(get<ConversationList>("/api/conversations").items.size(), 9U);
  ask("PATCH", "/api/conversations/whatsapp:%2B8", "", R"({"pinned":false})");
  EXPECT_EQ(get<ConversationList>("/api/conversations?pinned=true").items.size(), 4U);
}

TEST_F(ConversationApiTest, WhatWasSeenNeverGoesBackAndNeverPastTheEnd) {
  for (int i = 0; i < 3; ++i) talk("+1", "again");
  const std::string target = "/api/conversations/whatsapp:%2B1";
  const auto seen = [&](int seq) {
    const std::string body = R"({"seen_seq":)" + std::to_string(seq) + "}";
    return decode_json<ConversationView>(ask("PATCH", target, "", body).body)->seen_seq;
  };
  EXPECT_EQ(seen(4), 4);
  EXPECT_EQ(seen(2), 4);
  EXPECT_EQ(seen(99), 6);
  talk("+1", "more");
  EXPECT_EQ(get<ConversationView>(target).seen_seq, 6);
}

// Another tab follows: the event is written with the change, and only if there is one.
TEST_F(ConversationApiTest, AChangeAndADeletionAreEvents) {
  talk("+1", "hello");
  const auto last = [&] {
    const auto events = house_->events.after(Workspaces::default_id(), 0, 100);
    return events->empty() ? Event{} : events->back();
  };
  const std::string target = "/api/conversations/whatsapp:%2B1";
  const auto id = get<ConversationView>(target).conversation_id;
  ask("PATCH", target, "", R"({"title":"Plans","pinned":true,"model":"small"})");
  EXPECT_EQ(last().type, "conversation_changed");
  EXPECT_EQ(last().conversation, id);
  EXPECT_EQ(last().body,
            R"({"title":"Plans","project":null,"agent":null,"model":"small","pinned":true,)"
            R"("seen_seq":0})");
  const auto seq = last().seq;
  ask("PATCH", target, "", R"({"title":"Plans"})");
  EXPECT_EQ(last().seq, seq) << "nothing was changed";
  ask("DELETE", target);
  EXPECT_EQ(last().type, "conversation_deleted");
  EXPECT_EQ(last().conversation, id);
}

TEST_F(ConversationApiTest, AModelMustBeThereToBeChosen) {
  talk("+1", "hello");
  house_->conversation_routes.check_models([](std::string_view name) { return name == "small"; });
  const std::string target = "/api/conversations/whatsapp:%2B1";
  EXPECT_EQ(ask("PATCH", target, "", R"({"model":"large"})").status, 400);
  ASSERT_EQ(ask("PATCH", target, "", R"({"model":"small"})").status, 200);
  EXPECT_EQ(get<ConversationView>(target).model, "small");
  ASSERT_EQ(ask("PATCH", target, "", R"({"model":null})").status, 200);
  EXPECT_EQ(get<ConversationView>(target).model, std::nullopt);
}

TEST_F(ConversationApiTest, MessagesBeforeANumberAreAPageBack) {
  for (int i = 0; i < 3; ++i) talk("+1", "again");
  const auto page = get<MessageList>("/api/conversations/whatsapp:%2B1/messages?limit=2&before=4");
  ASSERT_EQ(page.items.size(), 2U);
  EXPECT_EQ(page.items[0].seq, 3);
  EXPECT_EQ(page.items[1].seq, 2);
  EXPECT_EQ(page.items[0].turn_kind, "user");
  EXPECT_EQ(page.items[0].verdict, std::nullopt);
  const auto rest = get<MessageList>(
      "/api/conversations/whatsapp:%2B1/messages?limit=2&before=4&cursor=" + *page.next_cursor);
  ASSERT_EQ(rest.items.size(), 1U);
  EXPECT_EQ(rest.items[0].seq, 1);
}

}  // namespace
}  // namespace rouse
