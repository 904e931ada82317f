#include "store/sqlite/sqlite_word_index.h"

#include <gtest/gtest.h>

#include "store/schema.h"
#include "tests/sim/world.h"

namespace rouse {
namespace {

using Positions = std::vector<std::int64_t>;
using Words = std::vector<std::string>;

class WordIndexTest : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = world_.open_store();
    ASSERT_TRUE(opened) << opened.error();
    database_ = *opened;
  }
  void add(std::int64_t position, const std::string& owner, const Words& words) {
    write({index_.add(position, owner, words), index_.tidy(words.size())});
  }
  void write(std::vector<Statement> statements) {
    const auto written = world_.run(database_->write(Write{std::move(statements)}));
    ASSERT_TRUE(written) << written.error();
  }
  Positions find(const std::string& owner, const Words& words, std::size_t limit = 10) {
    const auto rows = world_.run(database_->read_page(index_.holding(owner, words, limit)));
    EXPECT_TRUE(rows) << rows.error();
    Positions out;
    for (const Row& row : *rows) out.push_back(row.integer(0));
    return out;
  }

  sim::World world_{1};
  Database* database_ = nullptr;
  SqliteWordIndex index_;
};

TEST_F(WordIndexTest, FindsTheDocumentsThatHoldAllWordsHighestPositionFirst) {
  add(1, "a", {"dog", "rex"});
  add(2, "a", {"dog", "cat"});
  add(3, "a", {"doghouse"});
  EXPECT_EQ(find("a", {"dog"}), (Positions{2, 1}));
  EXPECT_EQ(find("a", {"dog", "rex"}), Positions{1});
  EXPECT_EQ(find("a", {"dog"}, 1), Positions{2});
  EXPECT_EQ(find("a", {"rex", "cat"}), Positions{});
}

TEST_F(WordIndexTest, AnOwnerNeverFindsAnothersDocuments) {
  add(1, "a", {"dog"});
  add(2, "b", {"dog"});
  EXPECT_EQ(find("a", {"dog"}), Positions{1});
  EXPECT_EQ(find("b", {"dog"}), Positions{2});
  EXPECT_EQ(find("", {"adog"}), Positions{});
}

TEST_F(WordIndexTest, WordsMayBeAnyBytes) {
  const Words words{"", "a AND b", "\"", std::string("nul\0nul", 7), "日本"};
  add(1, "a", words);
  for (const std::string& word : words) EXPECT_EQ(find("a", {word}), Positions{1}) << word;
}

TEST_F(WordIndexTest, WhatIsTakenOutIsNotFoundAndItsPlaceIsFree) {
  add(1, "a", {"dog", "rex"});
  write({index_.remove(1), index_.tidy(2)});
  EXPECT_EQ(find("a", {"dog"}), Positions{});
  add(1, "a", {"cat"});
  EXPECT_EQ(find("a", {"dog"}), Positions{});
  EXPECT_EQ(find("a", {"cat"}), Positions{1});
}

TEST_F(WordIndexTest, AWriteThatFailsLeavesTheIndexAsItWas) {
  add(1, "a", {"dog"});
  const auto written = world_.run(database_->write(
      Write{{index_.add(2, "a", {"dog"}), {"DELETE FROM workspaces WHERE 0 = 1", {}, 1}}}));
  EXPECT_FALSE(written);
  EXPECT_EQ(find("a", {"dog"}), Positions{1});
}

}  // namespace
}  // namespace rouse
