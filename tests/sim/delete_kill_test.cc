// A deletion killed at every single write: whoever was told that a conversation is deleted finds
// nothing of it, whoever was not finds it whole or not at all, and after the next start no row of a
// deleted one is left. CR-26, Sessions 6.
#include <gtest/gtest.h>

#include "session/invariants_for_tests.h"
#include "session/kernel_for_tests.h"
#include "session/remove/conversation_delete.h"
#include "store/sqlite/sqlite_text_index.h"
#include "tests/sim/kill_at_every_write.h"

namespace rouse::sim {
namespace {

constexpr int kTurns = 6;
constexpr std::string_view kInboundWithoutSession =
    "SELECT COUNT(*) FROM inbound i WHERE NOT EXISTS "
    "(SELECT 1 FROM sessions s WHERE s.session_id = i.session_id)";

class NoBackups final : public BackupShelf {
 public:
  Task<Result<std::vector<BackupFile>>> since(WallTime) override {
    co_return std::vector<BackupFile>{};
  }
};

// One life of the process, with all that takes part in a deletion.
struct House {
  House(World& world, Database& database)
      : kernel_house(world, database),
        indexer(database, index, world.clock(), world.loop()),
        blobs(database, world.clock()),
        removal(database, world.clock(), kernel_house.kernel, indexer, shelf) {}

  SessionKernel& kernel() { return kernel_house.kernel; }

  KernelHouse kernel_house;
  SqliteTextIndex index;
  MessageIndexer indexer;
  Blobs blobs;
  NoBackups shelf;
  ConversationDelete removal;
};

Task<Result<void>> talk(House& house, std::string peer) {
  for (int i = 0; i < kTurns; ++i) {
    const std::string text = fmt::format("{} asks {}", peer, i);
    CO_TRY(const auto resolved, co_await house.kernel().resolve(
                                    message_from(peer, text, fmt::format("{}.{}", peer, i))));
    CO_TRY_VOID(co_await house.kernel().record_turn({.session = resolved.session.id,
                                                     .workspace = resolved.session.workspace,
                                                     .user_message = text,
                                                     .assistant_response = "teapot " + peer,
                                                     .action_type = {},
                                                     .message_id = {}}));
    if (i == 2) CO_TRY_VOID(co_await house.kernel().close(resolved.session.id, "api_close"));
  }
  CO_TRY_VOID(co_await house.kernel().accept(message_from(peer, "queued")));
  co_return co_await house.indexer.catch_up();
}

Task<Result<void>> add_file(House& house, Database& database, std::string peer) {
  const WorkspaceId workspace = Workspaces::default_id();
  CO_TRY(const auto file, co_await house.blobs.put(workspace, "text/plain", "file of " + peer));
  CO_TRY(const auto found,
         house.kernel().conversations().find_by_name(workspace, "whatsapp:" + peer));
  CO_TRY_VOID(co_await database.write({Blobs::note_use(workspace, file.hash, found.id)}));
  co_return Result<void>{};
}

void begin(World& world, Ledger& ledger) {
  auto db = world.open_store();
  if (!db) return;
  House house(world, **db);
  if (!world.run(house.kernel_house.start())) return;
  for (const char* peer : {"goes", "stays"}) {
    if (!world.run(talk(house, peer)) || !world.run(add_file(house, **db, peer))) return;
    ledger.acknowledged.insert(peer);
  }
  house.indexer.stop();
  world.close_store();
}

void remove(World& world, Ledger& ledger) {
  auto db = world.open_store();
  if (!db) return;
  House house(world, **db);
  if (!world.run(house.kernel_house.start())) return;
  ledger.tried.insert("delete");
  const auto done = world.run(house.removal.remove(Workspaces::default_id(), "whatsapp:goes"));
  if (done) ledger.acknowledged.insert("deleted");
  house.indexer.stop();
  world.close_store();
}

void boot(World& world) {
  auto db = world.open_store();
  if (!db) return;
  {
    House house(world, **db);
    if (world.run(house.kernel_house.start())) world.run(house.removal.finish_deletes());
    house.indexer.stop();
  }
  world.close_store();
}

std::int64_t number(Database& db, std::string_view sql) {
  const auto rows = db.read({sql, {}});
  EXPECT_TRUE(rows) << rows.error();
  return rows ? rows->front().integer(0) : -1;
}

// Between the start and the end of the cleaning: it is there as a whole, or nowhere to be found.
void check_before_cleaning(House& house, const Ledger& ledger, bool told_of) {
  auto& conversations = house.kernel().conversations();
  const auto found = conversations.find_by_name(Workspaces::default_id(), "whatsapp:goes");
  if (ledger.acknowledged.contains("deleted")) {
    EXPECT_FALSE(found);
  }
  if (!told_of) return;
  if (found) {
    EXPECT_EQ(*house.kernel().messages().last_seq(found->id), 2 * kTurns);
  }
  const auto active =
      house.kernel().sessions().find_active(Workspaces::default_id(), {"whatsapp", "goes"});
  EXPECT_EQ(active->has_value(), found.has_value()) << "a message would go into what is deleted";
}

void check_after_cleaning(Database& db, bool is_there) {
  expect_session_invariants(db, "after the cleaning");
  const std::int64_t expected = is_there ? 2 : 1;
  EXPECT_EQ(number(db, "SELECT COUNT(*) FROM conversations"), expected);
  EXPECT_EQ(number(db, "SELECT COUNT(*) FROM messages"), expected * 2 * kTurns);
  EXPECT_EQ(number(db, "SELECT COUNT(*) FROM message_text"), expected * 2 * kTurns);
  EXPECT_EQ(number(db, "SELECT COUNT(*) FROM inbound"), expected * (kTurns + 1));
  EXPECT_EQ(number(db, "SELECT COUNT(*) FROM turns"), expected * (kTurns + 1));
  EXPECT_EQ(number(db, "SELECT COUNT(*) FROM sessions"), expected * 2);
  EXPECT_EQ(number(db, "SELECT COUNT(*) FROM blobs"), expected);
  EXPECT_EQ(number(db, "SELECT COUNT(*) FROM blob_uses"), expected);
  EXPECT_EQ(number(db, "SELECT COUNT(*) FROM tombstones"), is_there ? 0 : 1);
  EXPECT_EQ(number(db, "SELECT COUNT(*) FROM tombstones WHERE finished_ms IS NULL"), 0);
}

std::string recover(World& world, const Ledger& ledger) {
  auto opened = world.open_store();
  EXPECT_TRUE(opened) << opened.error();
  if (!opened) return "nothing";
  Database& db = **opened;
  bool is_there = false;
  {
    House house(world, db);
    EXPECT_TRUE(world.run(house.kernel_house.start()));
    const bool began = ledger.acknowledged.contains("stays");
    check_before_cleaning(house, ledger, began);
    EXPECT_EQ(number(db, kInboundWithoutSession), 0) << "a redelivery would find half a message";
    EXPECT_TRUE(world.run(house.removal.finish_deletes()));
    is_there = house.kernel()
                   .conversations()
                   .find_by_name(Workspaces::default_id(), "whatsapp:goes")
                   .has_value();
    if (began) check_after_cleaning(db, is_there);
    house.indexer.stop();
  }
  world.close_store();
  return is_there ? "there" : "gone";
}

TEST(DeletionKilledAtEveryWrite, IsAllOrNothingForReadersAndLeavesNothingBehind) {
  KillScenario scenario;
  scenario.steps.push_back({"conversations", begin, true});
  scenario.steps.push_back({"delete", remove, false});
  scenario.boot = boot;
  scenario.recover = recover;
  const KillReport report = kill_at_every_write(scenario, 3);
  EXPECT_GT(report.kills, 20);
  RecordProperty("kills", static_cast<int>(report.kills));
}

}  // namespace
}  // namespace rouse::sim
