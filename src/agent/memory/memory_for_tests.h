// Memory over a simulated world: a real store on a disk in memory, a virtual clock.
#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "agent/memory/memory_book.h"
#include "agent/memory/memory_prompt.h"
#include "agent/memory/memory_recall.h"
#include "session/content.h"
#include "store/sqlite/sqlite_word_index.h"
#include "tests/sim/world.h"

namespace rouse {

struct MemoryHouseForTests {
  explicit MemoryHouseForTests(std::uint64_t seed = 1) : world(seed) { open(); }

  void open() {
    auto opened = world.open_store();
    EXPECT_TRUE(opened) << opened.error();
    database = *opened;
    book = std::make_unique<MemoryBook>(*database, index, world.clock(), world.random());
    recall = std::make_unique<MemoryRecall>(*database, index, *book, world.clock());
    prompt = std::make_unique<MemoryPrompt>(*book);
  }
  void restart() {
    prompt.reset();
    recall.reset();
    book.reset();
    world.close_store();
    open();
  }

  static MemoryOwner owner(const std::string& workspace = "ws_a", std::string agent = "") {
    return {*WorkspaceId::parse(workspace), std::move(agent)};
  }

  Note save(const std::string& text, std::optional<std::int64_t> importance = {},
            std::string_view provenance = kFromAgent, const MemoryOwner& whose = owner()) {
    return save_draft(
        {.text = text, .importance = importance, .provenance = std::string(provenance)}, whose);
  }
  Note save_draft(NoteDraft draft, const MemoryOwner& whose = owner()) {
    auto kept = world.run(book->save(whose, std::move(draft)));
    EXPECT_TRUE(kept) << kept.error();
    return kept ? kept->note : Note{};
  }
  std::vector<Note> all(const MemoryOwner& whose = owner()) {
    auto notes = world.run(book->page(whose, {}, 1'000));
    EXPECT_TRUE(notes) << notes.error();
    return notes ? *notes : std::vector<Note>{};
  }
  static std::vector<std::string> texts(const std::vector<Note>& notes) {
    std::vector<std::string> out;
    for (const Note& note : notes) out.push_back(note.text);
    return out;
  }
  std::vector<std::string> find(const std::string& question, const MemoryOwner& whose = owner(),
                                std::size_t limit = 10) {
    auto found = world.run(recall->find({whose, question, limit}));
    EXPECT_TRUE(found) << found.error();
    return found ? texts(*found) : std::vector<std::string>{};
  }
  MemoryText shown(const MemoryOwner& whose = owner()) {
    auto text = prompt->of(whose);
    EXPECT_TRUE(text) << text.error();
    return text ? **text : MemoryText{};
  }
  std::int64_t count(std::string_view sql) { return database->read({sql, {}})->front().integer(0); }

  sim::World world;
  Database* database = nullptr;
  SqliteWordIndex index;
  std::unique_ptr<MemoryBook> book;
  std::unique_ptr<MemoryRecall> recall;
  std::unique_ptr<MemoryPrompt> prompt;
};

class MemoryTest : public testing::Test {
 protected:
  MemoryHouseForTests house_;
};

}  // namespace rouse
