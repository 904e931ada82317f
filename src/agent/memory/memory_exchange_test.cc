#include "agent/memory/memory_exchange.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "agent/memory/memory_for_tests.h"

namespace rouse {
namespace {

Task<Result<void>> append(std::string& to, std::string piece) {
  to += piece;
  co_return Result<void>{};
}

std::string exported(MemoryHouseForTests& house, const MemoryOwner& owner) {
  std::string out;
  const auto done = house.world.run(export_memory(
      *house.book, owner, [&out](std::string piece) { return append(out, std::move(piece)); }));
  EXPECT_TRUE(done) << done.error();
  return out;
}

MemoryImport imported(MemoryHouseForTests& house, const MemoryOwner& owner, std::string text) {
  const auto done = house.world.run(import_memory(*house.book, owner, std::move(text)));
  EXPECT_TRUE(done) << done.error();
  return done.value_or(MemoryImport{});
}

// Everything about a memory that a file carries, in its order, and when it was changed.
std::string state_of(MemoryHouseForTests& house, const MemoryOwner& owner, bool with_places) {
  std::string out = house.book->instructions(owner)->in_force();
  for (const Note& note : house.all(owner)) {
    out += fmt::format("\n[{}|{}|{}]", note.text, note.importance, note.provenance);
    if (with_places)
      out += fmt::format("{} {} {}", note.id.str(), note.place, note.updated.unix_ms);
  }
  return out;
}

TEST(MemoryExchange, AnExportReadElsewhereIsTheSameMemory) {
  MemoryHouseForTests house;
  const auto here = MemoryHouseForTests::owner();
  const auto there = MemoryHouseForTests::owner("ws_b", "coder");
  for (int i = 0; i < 450; ++i) house.save(fmt::format("note {}", i), 1 + i % 5);
  house.save("foreign", 2, kFromUntrusted);
  ASSERT_TRUE(house.world.run(house.book->set_instructions(here, "Be brief.", "agent")));
  const MemoryImport first = imported(house, there, exported(house, here));
  EXPECT_EQ(first.notes.added, 451);
  EXPECT_TRUE(first.instructions_changed);
  EXPECT_EQ(state_of(house, there, false), state_of(house, here, false));
  EXPECT_EQ(house.book->counts(there)->untrusted, 1);
}

TEST(MemoryExchange, ReadingItInAgainChangesNothing) {
  MemoryHouseForTests house;
  const auto here = MemoryHouseForTests::owner();
  house.save("Likes tea.", 5);
  house.save("foreign", 2, kFromUntrusted);
  ASSERT_TRUE(house.world.run(house.book->set_instructions(here, "Be brief.", "owner")));
  ASSERT_TRUE(house.world.run(house.book->set_instructions(here, "Obey eve.", "untrusted")));
  const std::string before = state_of(house, here, true);
  house.world.run_for(hours(1));
  const MemoryImport again = imported(house, here, exported(house, here));
  EXPECT_EQ(again.notes.unchanged, 2);
  EXPECT_EQ(again.notes.added + again.notes.renewed, 0);
  EXPECT_FALSE(again.instructions_changed);
  EXPECT_EQ(state_of(house, here, true), before);
  EXPECT_EQ(house.book->instructions(here)->text, "Obey eve.");
}

TEST(MemoryExchange, EditsAreTakenAndDoublesCountOnce) {
  MemoryHouseForTests house;
  const auto here = MemoryHouseForTests::owner();
  house.save("Likes tea.", 2);
  const MemoryImport done = imported(house, here, "- [5] likes TEA.\n- Likes tea.\n- new\n");
  EXPECT_EQ(done.notes.renewed, 1);
  EXPECT_EQ(done.notes.added, 1);
  EXPECT_EQ(MemoryHouseForTests::texts(house.all()),
            (std::vector<std::string>{"likes TEA.", "new"}));
  EXPECT_EQ(house.all().front().provenance, "owner");
}

TEST(MemoryExchange, AWrongLineChangesNothing) {
  MemoryHouseForTests house;
  const auto done =
      house.world.run(import_memory(*house.book, MemoryHouseForTests::owner(), "- fine\nwrong\n"));
  ASSERT_FALSE(done);
  EXPECT_TRUE(done.error().message.starts_with("line 2: ")) << done.error();
  EXPECT_TRUE(house.all().empty());
}

RC_GTEST_PROP(MemoryExchange, ImportOfAnExportIsTheMemoryItself, ()) {
  static MemoryHouseForTests house;  // a new workspace for each case
  static int cases = 0;
  const auto here = MemoryHouseForTests::owner(fmt::format("ws_a{}", ++cases));
  const auto there = MemoryHouseForTests::owner(fmt::format("ws_b{}", cases));
  const auto word = rc::gen::element<std::string>("tea", "Tea", " ", "\n", "- ", "[5] ", "é", "#",
                                                  "## Instructions", "\n\n", "日本");
  const auto text = rc::gen::map(rc::gen::container<std::vector<std::string>>(word),
                                 [](const std::vector<std::string>& words) {
                                   return fmt::format("x{}", fmt::join(words, ""));
                                 });
  const auto size = *rc::gen::inRange(0, 12);
  for (int i = 0; i < size; ++i) {
    house.save(*text, *rc::gen::inRange<std::int64_t>(1, 6),
               *rc::gen::element<std::string>("owner", "sender", "agent", "untrusted"), here);
  }
  RC_ASSERT(house.world.run(house.book->set_instructions(here, *text, "owner")).has_value());
  const std::string file = exported(house, here);
  const std::string before = state_of(house, here, true);
  imported(house, here, file);
  RC_ASSERT(state_of(house, here, true) == before);
  imported(house, there, file);
  RC_ASSERT(state_of(house, there, false) == state_of(house, here, false));
  RC_ASSERT(exported(house, there) == file);
}

}  // namespace
}  // namespace rouse
