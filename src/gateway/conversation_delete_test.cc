#include "gateway/conversations_for_tests.h"

namespace rouse {
namespace {

class ConversationDeleteTest : public ConversationApiTest {
 protected:
  DeletedConversation remove(const std::string& name) {
    const Answer answer = ask("DELETE", "/api/conversations/" + name);
    EXPECT_EQ(answer.status, 200) << answer.body;
    auto view = decode_json<DeletedConversation>(answer.body);
    return view ? std::move(*view) : DeletedConversation{};
  }
  std::int64_t rows_left() {
    return count(
        "SELECT (SELECT COUNT(*) FROM conversations) + (SELECT COUNT(*) FROM sessions) + "
        "(SELECT COUNT(*) FROM messages) + (SELECT COUNT(*) FROM inbound) + "
        "(SELECT COUNT(*) FROM turns) + (SELECT COUNT(*) FROM aliases) + "
        "(SELECT COUNT(*) FROM blobs) + (SELECT COUNT(*) FROM blob_uses) + "
        "(SELECT COUNT(*) FROM message_text)");
  }
  void use_file(const std::string& hash, const std::string& conversation) {
    const auto id = ConversationId::parse(conversation);
    ASSERT_TRUE(
        world_.run(database_->write({Blobs::note_use(Workspaces::default_id(), hash, *id)})));
  }
};

// Sessions 6
TEST_F(ConversationDeleteTest, LeavesNothingButATombstone) {
  talk("+1", "the password is swordfish");
  ASSERT_EQ(post("/kernel/sessions/" + receive("+1", "not answered") + "/close", "").status, 200);
  talk("+1", "a second session");
  post("/api/conversations/whatsapp:%2B1/aliases", R"({"external_id":"x"})");
  ASSERT_TRUE(world_.run(house_->kernel.accept({.workspace = Workspaces::default_id(),
                                                .key = {"whatsapp", "+1"},
                                                .account = "+1",
                                                .message_id = {},
                                                .content = text_content("queued", kFromSender)})));
  ASSERT_TRUE(world_.run(house_->indexer.catch_up()));
  ASSERT_EQ(get<HitList>("/api/search?q=swordfish").items.size(), 1U);
  const DeletedConversation done = remove("whatsapp:%2B1");
  EXPECT_EQ(done.counts->messages, 4);
  EXPECT_EQ(done.counts->sessions, 2);
  EXPECT_EQ(done.counts->turns, 3);
  EXPECT_EQ(done.counts->inbound, 4);
  EXPECT_EQ(rows_left(), 0);
  EXPECT_TRUE(get<HitList>("/api/search?q=swordfish").items.empty());
  EXPECT_EQ(count("SELECT COUNT(*) FROM tombstones WHERE finished_ms IS NOT NULL AND sessions = 2 "
                  "AND messages = 4"),
            1);
  EXPECT_EQ(ask("DELETE", "/api/conversations/" + *done.conversation_id).status, 404);
}

// U22
TEST_F(ConversationDeleteTest, TheNextMessageFindsNoSessionAndAnEmptyConversation) {
  const std::string old = talk("+1", "hello");
  const std::string id = *remove("whatsapp:%2B1").conversation_id;
  EXPECT_EQ(send({.target = "/kernel/sessions/" + old}).error(), "session_not_found");
  const ResolveAnswer next = resolve("+1", "hello again");
  EXPECT_EQ(next.decision, "new");
  EXPECT_EQ(next.reason, "no_session");
  const auto view = get<ConversationView>("/api/conversations/whatsapp:%2B1");
  EXPECT_NE(view.conversation_id, id);
  EXPECT_EQ(view.message_count, 0);
  EXPECT_EQ(view.sessions->size(), 1U);
}

TEST_F(ConversationDeleteTest, OthersKeepAllOfTheirs) {
  talk("+1", "mine");
  talk("+2", "yours");
  remove("whatsapp:%2B1");
  EXPECT_EQ(get<MessageList>("/api/conversations/whatsapp:%2B2/messages").items.size(), 2U);
  EXPECT_EQ(count("SELECT COUNT(*) FROM inbound"), 1);
  EXPECT_EQ(count("SELECT COUNT(*) FROM turns"), 1);
  ASSERT_TRUE(world_.run(house_->indexer.catch_up()));
  EXPECT_EQ(get<HitList>("/api/search?q=yours").items.size(), 1U);
}

TEST_F(ConversationDeleteTest, AFileGoesWithTheLastConversationThatUsesIt) {
  talk("+1", "a");
  talk("+2", "b");
  const auto list = get<ConversationList>("/api/conversations").items;
  const auto put = [&](std::string bytes) {
    return world_.run(house_->blobs.put(Workspaces::default_id(), "text/plain", std::move(bytes)))
        ->hash;
  };
  const std::string shared = put("shared");
  const std::string own = put("own");
  use_file(shared, list[0].conversation_id);
  use_file(shared, list[1].conversation_id);
  use_file(own, list[0].conversation_id);
  EXPECT_EQ(remove(list[0].conversation_id).counts->files, 1);
  EXPECT_EQ(send({.target = "/api/files/" + own}).status, 404);
  EXPECT_EQ(send({.target = "/api/files/" + shared}).body, "shared");
  EXPECT_EQ(remove(list[1].conversation_id).counts->files, 1);
  EXPECT_EQ(rows_left(), 0);
}

TEST_F(ConversationDeleteTest, IsRefusedWhileATurnRuns) {
  const auto accepted =
      world_.run(house_->kernel.accept({.workspace = Workspaces::default_id(),
                                        .key = {"whatsapp", "+1"},
                                        .account = "+1",
                                        .message_id = {},
                                        .content = text_content("hello", kFromSender)}));
  ASSERT_TRUE(world_.run(house_->kernel.turns().start(*accepted->turn)));
  const Answer refused = ask("DELETE", "/api/conversations/whatsapp:%2B1");
  EXPECT_EQ(refused.status, 409);
  EXPECT_EQ(refused.error(), "conversation_busy");
  EXPECT_EQ(get<ConversationList>("/api/conversations").items.size(), 1U);
  EXPECT_EQ(count("SELECT COUNT(*) FROM tombstones"), 0);
}

class NeverDelete final : public ConversationGuard {
 public:
  Result<void> may_delete(const Conversation& conversation) override {
    return fail(Errc::kConflict, "an automation needs " + conversation.key.str());
  }
};

// S3-36: the seam for bound automations.
TEST_F(ConversationDeleteTest, AGuardMayObject) {
  talk("+1", "hello");
  NeverDelete guard;
  house_->removal.add_guard(guard);
  const Answer refused = ask("DELETE", "/api/conversations/whatsapp:%2B1");
  EXPECT_EQ(refused.status, 409);
  EXPECT_NE(refused.body.find("an automation needs whatsapp:+1"), std::string::npos);
  EXPECT_EQ(get<ConversationList>("/api/conversations").items.size(), 1U);
}

TEST_F(ConversationDeleteTest, NamesTheBackupsThatMayStillHoldIt) {
  talk("+1", "hello");
  talk("+2", "hello");
  EXPECT_NE(remove("whatsapp:%2B2").message->find("No backup"), std::string::npos);
  house_->backups.files = {{"rouse-1.db", 4096}};
  const DeletedConversation done = remove("whatsapp:%2B1");
  ASSERT_EQ(done.backups->size(), 1U);
  EXPECT_EQ(done.backups->at(0).file, "rouse-1.db");
  EXPECT_EQ(done.backups->at(0).bytes, 4096);
  EXPECT_NE(done.message->find("a backup in the folder 'backups' may still hold it"),
            std::string::npos)
      << *done.message;
}

// More rows than one write takes, of every kind.
TEST_F(ConversationDeleteTest, TakesALongConversationInManyWritesAndGetsAllOfIt) {
  receive("+1", "hello");
  talk("+2", "stays");
  const auto id = get<ConversationView>("/api/conversations/whatsapp:%2B1").conversation_id;
  Write fill;
#define NUMBERS "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500) "
  fill.statements = {
      {"INSERT INTO messages (position, conversation_id, seq, session_id, role, source, content, "
       "created_ms) " NUMBERS
       "SELECT 1000 + i, $1, i, 'sess_x', 'user', 'whatsapp', '[]', 1 FROM n",
       {id},
       2500},
      {"INSERT INTO sessions (session_id, workspace_id, remote_jid, status, created_at, "
       "last_message_at, conversation_id, epoch, opened_reason, opened_by, close_reason, "
       "closed_ms) " NUMBERS
       "SELECT 'sess_f' || i, 'ws_default', '+1', 'closed', '', '', $1, i + 1, 'timeout', "
       "1000 + i, 'timeout', 1 FROM n",
       {id},
       2500},
      {"INSERT INTO turns (number, turn_id, workspace_id, conversation_id, session_id, kind, lane, "
       "state, attempts, queued_ms) " NUMBERS
       "SELECT 1000 + i, 'turn_f' || i, 'ws_default', $1, 'sess_f' || i, 'user', 0, 'done', 1, 1 "
       "FROM n",
       {id},
       2500},
      {"INSERT INTO inbound (number, previous, workspace_id, conversation_id, session_id, channel, "
       "account, decision, reason, facts, received_ms) " NUMBERS
       "SELECT 1000 + i, CASE WHEN i = 1 THEN 1 ELSE 999 + i END, 'ws_default', $1, 'sess_x', "
       "'whatsapp', '', 'new', 'timeout', '{}', 1 FROM n",
       {id},
       2500},
      {"UPDATE sessions SET last_inbound = 3500, created_at = '2026-01-01T00:00:00.000Z', "
       "last_message_at = '2026-01-01T00:00:00.000Z' WHERE conversation_id = $1",
       {id},
       2501}};
#undef NUMBERS
  ASSERT_TRUE(world_.run(database_->write(std::move(fill))));
  const std::uint64_t before = database_->health().writes;
  const DeletedConversation done = remove("whatsapp:%2B1");
  EXPECT_EQ(done.counts->messages, 2500);
  EXPECT_EQ(done.counts->sessions, 2501);
  EXPECT_EQ(done.counts->turns, 2500);
  EXPECT_EQ(done.counts->inbound, 2501);
  EXPECT_GT(database_->health().writes - before, 15U) << "bounded writes";
  EXPECT_EQ(count("SELECT COUNT(*) FROM messages"), 2);
  EXPECT_EQ(count("SELECT COUNT(*) FROM sessions"), 1);
  EXPECT_EQ(count("SELECT COUNT(*) FROM inbound"), 1);
}

TEST_F(ConversationDeleteTest, WhatADiskFullStoppedIsFinishedByAskingAgain) {
  talk("+1", "hello");
  const std::string id = get<ConversationView>("/api/conversations/whatsapp:%2B1").conversation_id;
  ASSERT_TRUE(world_.run(database_->write(
      one("INSERT INTO tombstones (conversation_id, workspace_id, session_key, sessions, messages, "
          "inbound_left, deleted_ms) VALUES ($1, 'ws_default', 'whatsapp:+1', 1, 2, 1, 1)",
          {id}))));
  ASSERT_TRUE(world_.run(
      database_->write(one("DELETE FROM conversations WHERE conversation_id = $1", {id}))));
  EXPECT_EQ(remove(id).counts->messages, 2);
  EXPECT_EQ(rows_left(), 0);
}

// Sessions 6: a workspace with all that is in it.
TEST_F(ConversationDeleteTest, AWorkspaceGoesWithItsConversationsFilesAndTokens) {
  const std::string workspace = make_workspace();
  const std::string token = make_token(workspace);
  talk("+1", "theirs", "Yes.", workspace);
  talk("+2", "theirs, too", "Yes.", workspace);
  talk("+1", "ours");
  ASSERT_EQ(send({.method = "POST",
                  .target = "/api/files",
                  .body = "bytes",
                  .headers = {{"authorization", "Bearer " + token}, {"content-type", "text/plain"}},
                  .owner = false})
                .status,
            201);
  const Answer answer = ask("DELETE", "/kernel/workspaces/" + workspace);
  ASSERT_EQ(answer.status, 200) << answer.body;
  const auto done = *decode_json<DeletedWorkspace>(answer.body);
  EXPECT_EQ(done.deleted.conversations, 2);
  EXPECT_EQ(done.deleted.messages, 4);
  EXPECT_EQ(done.deleted.files, 1);
  EXPECT_EQ(done.deleted.tokens, 1);
  EXPECT_EQ(ask("GET", "/api/me", token).status, 401);
  EXPECT_EQ(count("SELECT COUNT(*) FROM workspaces"), 1);
  EXPECT_EQ(count("SELECT COUNT(*) FROM tokens"), 0);
  EXPECT_EQ(count("SELECT COUNT(*) FROM tombstones"), 0);
  EXPECT_EQ(get<ConversationList>("/api/conversations").items.size(), 1U);
  EXPECT_EQ(ask("DELETE", "/kernel/workspaces/" + workspace).error(), "workspace_not_found");
  restart();
  EXPECT_EQ(ask("GET", "/api/me", token).status, 401);
}

// What was being taken in when the workspace began to go arrives between two of its writes.
TEST_F(ConversationDeleteTest, AWorkspaceTakesAlongAConversationThatComesInMeanwhile) {
  const std::string workspace = make_workspace();
  make_token(workspace);
  talk("+1", "theirs", "Yes.", workspace);
  ASSERT_TRUE(world_.run(database_->write(
      one("CREATE TRIGGER late AFTER DELETE ON tokens BEGIN INSERT INTO conversations "
          "(conversation_id, "
          "workspace_id, session_key, title, last_active_ms, created_ms) VALUES ('conv_late', "
          "old.workspace_id, 'whatsapp:late', '', 1, 1); END",
          {}))));
  const Answer answer = ask("DELETE", "/kernel/workspaces/" + workspace);
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(decode_json<DeletedWorkspace>(answer.body)->deleted.conversations, 2);
  EXPECT_EQ(count("SELECT COUNT(*) FROM workspaces"), 1);
  EXPECT_EQ(count("SELECT COUNT(*) FROM tombstones"), 0);
  EXPECT_EQ(rows_left(), 0);
}

TEST_F(ConversationDeleteTest, TheOwnersWorkspaceStays) {
  const Answer refused = ask("DELETE", "/kernel/workspaces/ws_default");
  EXPECT_EQ(refused.status, 409);
  EXPECT_NE(refused.body.find("owner's workspace"), std::string::npos);
  const std::string token = make_token("ws_default");
  EXPECT_EQ(ask("DELETE", "/kernel/workspaces/ws_default", token).status, 403);
  EXPECT_EQ(ask("DELETE", "/kernel/workspaces/nonsense").status, 404);
}

TEST_F(ConversationDeleteTest, AWorkspaceWithARunningTurnStaysAndCanBeUsed) {
  const std::string workspace = make_workspace();
  const auto accepted =
      world_.run(house_->kernel.accept({.workspace = *WorkspaceId::parse(workspace),
                                        .key = {"whatsapp", "+1"},
                                        .account = "+1",
                                        .message_id = {},
                                        .content = text_content("hello", kFromSender)}));
  ASSERT_TRUE(world_.run(house_->kernel.turns().start(*accepted->turn)));
  EXPECT_EQ(ask("DELETE", "/kernel/workspaces/" + workspace).error(), "conversation_busy");
  EXPECT_EQ(resolve("+3", "hi", workspace).reason, "first_message");
}

}  // namespace
}  // namespace rouse
