// The message index killed at every single write, while messages come and go. CR-28: whatever the
// moment, after the next start each message is findable exactly once and nothing else is.
#include "session/search/search_for_tests.h"
#include "tests/sim/kill_at_every_write.h"

namespace rouse::sim {
namespace {

// What kill_at_every_write hands us is a World; the kernel's part of the work is a few lines here.
struct Kernel {
  explicit Kernel(World& in) : world(in) {}

  bool open() {
    auto opened = world.open_store();
    if (!opened) return false;
    db = *opened;
    indexer = std::make_unique<MessageIndexer>(*db, index, world.clock(), world.loop());
    const auto rows = db->read({"SELECT COALESCE(MAX(position), 0) FROM messages", {}});
    position = rows ? rows->front().integer(0) : 0;
    return rows.has_value();
  }

  void say(Ledger& ledger, const std::string& text) {
    Write write;
    write.statements.push_back(SearchWorld::starting("conv_a", "ws_a"));
    write.statements.push_back(
        SearchWorld::appending(++position, "conv_a", text_content(text, kFromOwner)));
    ledger.tried.insert(text);
    if (!world.run(db->write(std::move(write)))) return;
    ledger.acknowledged.insert(text);
    Message said;
    said.position = position;
    said.conversation = *ConversationId::parse("conv_a");
    said.content = text_content(text, kFromOwner);
    indexer->messages_were_added(*WorkspaceId::parse("ws_a"),
                                 {std::make_shared<Message>(std::move(said))});
  }

  void forget(Ledger& ledger, std::int64_t first, std::int64_t last) {
    Write write;
    write.statements = indexer->forget(*ConversationId::parse("conv_a"), first, last);
    write.statements.push_back(
        {"DELETE FROM messages WHERE conversation_id = 'conv_a' AND seq BETWEEN $1 AND $2",
         {first, last},
         {}});
    ledger.acknowledged.clear();  // whether they are there is for the store to say
    (void)world.run(db->write(std::move(write)));
  }

  bool close() {
    indexer->stop();
    if (world.disk().killed()) return false;
    world.close_store();
    return true;
  }

  std::vector<std::string> texts(std::string_view sql) {
    std::vector<std::string> out;
    const auto rows = db->read({sql, {}});
    EXPECT_TRUE(rows) << rows.error();
    for (const Row& row : *rows) out.push_back(row.text(0));
    return out;
  }

  World& world;
  SqliteTextIndex index;
  Database* db = nullptr;
  std::unique_ptr<MessageIndexer> indexer;
  std::int64_t position = 0;
};

void talk(World& world, Ledger& ledger, const std::string& name) {
  Kernel kernel(world);
  if (!kernel.open()) return;
  for (int i = 0; i < 4 && !world.disk().killed(); ++i) {
    kernel.say(ledger, fmt::format("{} {}", name, i));
    if (i % 2 == 1) world.run_for(millis(600));  // the index comes in between
  }
  kernel.close();
}

void boot(World& world) {
  Kernel kernel(world);
  if (!kernel.open()) return;
  (void)world.run(kernel.indexer->catch_up());
  kernel.close();
}

// The documents are the messages, and a search finds each of them once.
std::string recover(World& world, const Ledger& ledger) {
  Kernel kernel(world);
  EXPECT_TRUE(kernel.open());
  EXPECT_TRUE(world.run(kernel.indexer->catch_up()));
  const auto documents = kernel.texts("SELECT text FROM message_text ORDER BY rowid");
  std::vector<std::string> messages;
  for (const auto& content : kernel.texts("SELECT content FROM messages ORDER BY position")) {
    messages.push_back(readable_text(*decode_content(content)));
  }
  EXPECT_EQ(documents, messages);
  const std::set<std::string> there(messages.begin(), messages.end());
  for (const auto& text : ledger.acknowledged) EXPECT_TRUE(there.contains(text)) << text;
  for (const auto& text : messages) {
    const auto page = world.run(
        MessageSearch(*kernel.db, kernel.index).search(SearchWorld::query("\"" + text + "\"")));
    EXPECT_TRUE(page && page->hits.size() == 1) << text;
  }
  EXPECT_TRUE(kernel.close());
  return fmt::format("{}", fmt::join(messages, "\n"));
}

TEST(SearchKilledAtEveryWrite, FindsEachMessageExactlyOnce) {
  KillScenario scenario;
  scenario.steps.push_back(
      {"first words", [](World& world, Ledger& ledger) { talk(world, ledger, "first"); }});
  scenario.steps.push_back(
      {"more words", [](World& world, Ledger& ledger) { talk(world, ledger, "second"); }});
  scenario.steps.push_back({"forget the newest", [](World& world, Ledger& ledger) {
                              Kernel kernel(world);
                              if (!kernel.open()) return;
                              kernel.forget(ledger, 3, kernel.position);
                              kernel.close();
                            }});
  scenario.steps.push_back({"say others at their positions",
                            [](World& world, Ledger& ledger) { talk(world, ledger, "third"); }});
  scenario.boot = boot;
  scenario.recover = recover;
  const KillReport report = kill_at_every_write(scenario, 1);
  EXPECT_GT(report.kills, 60);
  RecordProperty("kills", static_cast<int>(report.kills));
}

}  // namespace
}  // namespace rouse::sim
