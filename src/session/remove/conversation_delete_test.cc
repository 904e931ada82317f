#include "session/remove/conversation_delete.h"

#include <gtest/gtest.h>

#include "session/kernel_for_tests.h"
#include "session/notification/notification.h"
#include "store/sqlite/sqlite_text_index.h"

namespace rouse {
namespace {

class ShelfForTests final : public BackupShelf {
 public:
  Task<Result<std::vector<BackupFile>>> since(WallTime) override { co_return files; }
  Result<std::vector<BackupFile>> files;
};

class ConversationDeletion : public testing::Test {
 protected:
  ConversationDeletion()
      : db_(**world_.open_store()),
        house_(world_, db_),
        indexer_(db_, index_, world_.clock(), world_.loop()),
        blobs_(db_, world_.clock()),
        removal_(db_, world_.clock(), house_.kernel, indexer_, shelf_) {
    EXPECT_TRUE(world_.run(house_.start()));
  }
  ~ConversationDeletion() override {
    indexer_.stop();
    world_.close_store();
  }

  Session hear(const std::string& peer, std::string text, WorkspaceId workspace = kHome) {
    auto message = message_from(peer, std::move(text));
    message.workspace = std::move(workspace);
    const auto resolved = world_.run(house_.kernel.resolve(std::move(message)));
    EXPECT_TRUE(resolved) << resolved.error();
    return resolved->session;
  }
  void answer(const Session& session, std::string text) {
    EXPECT_TRUE(world_.run(house_.kernel.record_turn({.session = session.id,
                                                      .workspace = session.workspace,
                                                      .user_message = std::move(text),
                                                      .assistant_response = "Sure.",
                                                      .action_type = {},
                                                      .message_id = {}})));
  }
  void execute(std::string_view sql) { ASSERT_TRUE(world_.run(db_.write(one(sql, {})))) << sql; }
  std::int64_t count(std::string_view sql) { return db_.read({sql, {}})->front().integer(0); }
  Result<Deletion> remove(std::string name) {
    return world_.run(removal_.remove(kHome, std::move(name)));
  }
  // Deletes it with a store that refuses to delete messages: half of it stays.
  void fail_to_remove(const std::string& name) {
    execute("CREATE TRIGGER refuse BEFORE DELETE ON messages BEGIN SELECT RAISE(ABORT, 'no'); END");
    EXPECT_FALSE(remove(name));
    execute("DROP TRIGGER refuse");
    EXPECT_GT(count("SELECT COUNT(*) FROM tombstones WHERE finished_ms IS NULL"), 0);
  }
  std::int64_t left() {
    return count(
        "SELECT (SELECT COUNT(*) FROM messages) + (SELECT COUNT(*) FROM sessions) + "
        "(SELECT COUNT(*) FROM turns) + (SELECT COUNT(*) FROM inbound) + "
        "(SELECT COUNT(*) FROM aliases) + "
        "(SELECT COUNT(*) FROM tombstones WHERE finished_ms IS NULL)");
  }

  static inline const WorkspaceId kHome = Workspaces::default_id();
  sim::World world_{1};
  Database& db_;
  KernelHouse house_;
  SqliteTextIndex index_;
  MessageIndexer indexer_;
  Blobs blobs_;
  ShelfForTests shelf_;
  ConversationDelete removal_;
};

// A heartbeat's word has no turn to be found by.
TEST_F(ConversationDeletion, WhatIsOnItsWayToSomePlaceLosesItsWords) {
  const Session session = hear("1", "hello");
  EventLog events(db_);
  Notifications notifications(db_, world_.clock(), world_.random(), events);
  notifications.configure(
      {{.name = "phone", .channel = std::string(kNotifyNtfy), .workspace = kHome}});
  Notification said{.workspace = kHome, .kind = "heartbeat", .text = "secret"};
  said.conversation = session.conversation;
  ASSERT_TRUE(world_.run(notifications.send(said)));
  said.conversation = *ConversationId::parse("conv_other");
  ASSERT_TRUE(world_.run(notifications.send(said)));
  ASSERT_TRUE(remove(session.conversation.str()));
  EXPECT_EQ(count("SELECT COUNT(*) FROM outbox WHERE text = ''"), 1);
  EXPECT_EQ(count("SELECT COUNT(*) FROM outbox WHERE text LIKE '%secret%'"), 1);
}

// PF-5: what is freed goes through the log as zeros.
TEST_F(ConversationDeletion, NoWriteFreesMoreThanAFewMegabytes) {
  const Session session = hear("+1", "hello");
  for (int i = 0; i < 8; ++i) hear("+1", std::string(600'000, 'x'));
  for (int i = 0; i < 5; ++i) {
    const auto file = world_.run(blobs_.put(kHome, "text/plain", std::string(2'500'000 + i, 'x')));
    ASSERT_TRUE(
        world_.run(db_.write(Write{Blobs::note_use(kHome, file->hash, session.conversation)})));
  }
  world_.run_for(seconds(10));
  const std::uint64_t before = db_.health().writes;
  const auto done = remove("whatsapp:+1");
  ASSERT_TRUE(done) << done.error();
  EXPECT_EQ(done->rows.inbound, 9);
  EXPECT_EQ(done->rows.files, 5);
  EXPECT_EQ(left(), 0);
  // Hiding, 8 for inbound, turns, sessions, 5 for files, finishing.
  EXPECT_GE(db_.health().writes - before, 17U);
}

TEST_F(ConversationDeletion, LongMessagesAreForgottenAFewAtATime) {
  const Session session = hear("+1", "hello");
  for (int i = 0; i < 6; ++i) answer(session, std::string(50'000, 'x'));
  answer(session, std::string(900'000, 'x'));
  ASSERT_TRUE(world_.run(indexer_.catch_up()));
  const std::uint64_t before = db_.health().writes;
  const auto done = remove("whatsapp:+1");
  ASSERT_TRUE(done) << done.error();
  EXPECT_EQ(done->rows.messages, 14);
  EXPECT_EQ(count("SELECT COUNT(*) FROM message_text"), 0);
  EXPECT_GE(db_.health().writes - before, 7U + 5U);
}

TEST_F(ConversationDeletion, OneThatFailedGoesOnByAnyOfItsNames) {
  for (const char* name : {"whatsapp:+1", "x", "its id"}) {
    const Session session = hear("+1", "hello");
    answer(session, "hello");
    const auto found = house_.kernel.conversations().find_by_name(kHome, "whatsapp:+1");
    ASSERT_TRUE(world_.run(
        db_.write(Write{{ConversationTable::add_alias(*found, "x", world_.clock().wall_now())}})));
    fail_to_remove("whatsapp:+1");
    const bool by_id = std::string_view(name) == "its id";
    const auto done = remove(by_id ? found->id.str() : name);
    ASSERT_TRUE(done) << name << ": " << done.error();
    EXPECT_EQ(done->conversation, found->id);
    EXPECT_EQ(done->rows.messages, 2);
    EXPECT_EQ(left(), 0) << name;
  }
}

TEST_F(ConversationDeletion, ItsNameIsFreeBeforeItsRowsAreGone) {
  const auto hear_as_x = [&](const char* peer) {
    auto message = message_from(peer, "hello");
    message.alias = "x";
    return world_.run(house_.kernel.resolve(std::move(message)));
  };
  const auto old = hear_as_x("+1");
  ASSERT_TRUE(old);
  answer(old->session, "hello");
  EXPECT_TRUE(hear_as_x("+2").error().is(StoreErrc::kConflict)) << "somebody's name";
  fail_to_remove("x");
  const auto made = hear_as_x("+3");
  ASSERT_TRUE(made) << made.error();
  ASSERT_TRUE(world_.run(removal_.finish_deletes()));
  EXPECT_EQ(house_.kernel.find_conversation(kHome, "x")->id, made->session.conversation);
}

TEST_F(ConversationDeletion, OneThatFailedGoesOnByASessionThatIsStillThere) {
  const Session session = hear("+1", "hello");
  execute("CREATE TRIGGER refuse BEFORE DELETE ON inbound BEGIN SELECT RAISE(ABORT, 'no'); END");
  EXPECT_FALSE(remove("whatsapp:+1"));
  execute("DROP TRIGGER refuse");
  EXPECT_TRUE(remove(session.id.str()));
  EXPECT_EQ(left(), 0);
}

TEST_F(ConversationDeletion, TheNextOneThatWorksFinishesWhatFailed) {
  answer(hear("+1", "hello"), "hello");
  fail_to_remove("whatsapp:+1");
  hear("+2", "hello");
  ASSERT_TRUE(remove("whatsapp:+2"));
  EXPECT_EQ(left(), 0);
}

TEST_F(ConversationDeletion, AWorkspaceBeginsWithWhatIsHalfDeleted) {
  answer(hear("+1", "hello"), "hello");
  hear("+2", "hello");
  fail_to_remove("whatsapp:+1");
  const auto rows = world_.run(removal_.remove_all(kHome));
  ASSERT_TRUE(rows) << rows.error();
  EXPECT_EQ(rows->conversations, 2);
  EXPECT_EQ(rows->messages, 2);
  EXPECT_EQ(left(), 0);
}

Task<void> remove_later(ConversationDelete& removal, std::optional<Result<Deletion>>& done) {
  done = co_await removal.remove(Workspaces::default_id(), "whatsapp:+1");
}

TEST_F(ConversationDeletion, TheNextMessageDoesNotWaitForTheCleaning) {
  const Session old = hear("+1", "hello");
  for (int i = 0; i < 40; ++i) answer(old, std::string(40'000, 'x'));
  std::optional<Result<Deletion>> done;
  world_.loop().spawn("delete", remove_later(removal_, done));
  world_.run_while([&] { return count("SELECT COUNT(*) FROM conversations") > 0; });
  const Session next = hear("+1", "hello again");
  EXPECT_FALSE(done) << "it waited";
  EXPECT_NE(next.conversation, old.conversation);
  world_.run_while([&] { return !done; });
  ASSERT_TRUE(*done) << done->error();
  EXPECT_EQ((*done)->conversation, old.conversation);
  EXPECT_EQ(count("SELECT COUNT(*) FROM messages"), 0);
  EXPECT_EQ(count("SELECT COUNT(*) FROM sessions"), 1);
  EXPECT_EQ(count("SELECT COUNT(*) FROM inbound"), 1);
}

TEST_F(ConversationDeletion, OfTwoAtOnceOneDeletesAndTheOtherFindsNothing) {
  answer(hear("+1", "hello"), "hello");
  std::optional<Result<Deletion>> one_done;
  std::optional<Result<Deletion>> other_done;
  world_.loop().spawn("one", remove_later(removal_, one_done));
  world_.loop().spawn("other", remove_later(removal_, other_done));
  world_.run_while([&] { return !one_done || !other_done; });
  ASSERT_TRUE(*one_done) << one_done->error();
  EXPECT_EQ((*one_done)->rows.messages, 2);
  ASSERT_FALSE(*other_done);
  EXPECT_TRUE(other_done->error().is(ConversationErrc::kNotFound)) << other_done->error();
  EXPECT_EQ(left(), 0);
}

TEST_F(ConversationDeletion, SucceedsWhenTheBackupsCannotBeListed) {
  hear("+1", "hello");
  shelf_.files = fail(Errc::kInternal, "no such folder");
  const auto done = remove("whatsapp:+1");
  ASSERT_TRUE(done) << done.error();
  EXPECT_FALSE(done->backups.listed);
  EXPECT_NE(deletion_message("It", done->backups).find("could not be read"), std::string::npos);
}

// A message that was on its way when the workspace began to go.
TEST_F(ConversationDeletion, AWorkspaceWithAConversationStays) {
  const auto made = world_.run(house_.workspaces.create("team", "t"));
  hear("+1", "hello", made->id);
  ASSERT_TRUE(house_.workspaces.begin_removal(made->id));
  const auto removed = world_.run(house_.workspaces.remove(made->id));
  ASSERT_FALSE(removed);
  EXPECT_TRUE(removed.error().is(StoreErrc::kConflict));
  EXPECT_EQ(count("SELECT COUNT(*) FROM workspaces"), 2);
  ASSERT_TRUE(world_.run(removal_.remove_all(made->id)));
  ASSERT_TRUE(world_.run(house_.workspaces.clear(made->id)));
  EXPECT_TRUE(world_.run(house_.workspaces.remove(made->id)));
  EXPECT_EQ(count("SELECT COUNT(*) FROM workspaces"), 1);
}

// More than a page, in which most are used.
TEST_F(ConversationDeletion, UnusedFilesAreFoundBetweenManyUsedOnes) {
#define NUMBERS "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900) "
  execute("INSERT INTO blobs (workspace_id, hash, media_type, size, created_ms, bytes) " NUMBERS
          "SELECT 'ws_default', 'h' || i, 'text/plain', 1000000, i / 300, x'00' FROM n");
  execute("INSERT INTO blob_uses (workspace_id, hash, conversation_id) " NUMBERS
          "SELECT 'ws_default', 'h' || i, 'conv_x' FROM n WHERE i % 30 <> 0");
#undef NUMBERS
  world_.run_for(days(2));
  const std::uint64_t before = db_.health().writes;
  EXPECT_EQ(world_.run(blobs_.prune()), 30);
  EXPECT_GE(db_.health().writes - before, 30U / 4) << "4 MB a write";
  EXPECT_EQ(count("SELECT COUNT(*) FROM blobs"), 870);
}

}  // namespace
}  // namespace rouse
