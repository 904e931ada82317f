#include "store/text_index_contract_for_tests.h"

#include <limits>

namespace rouse {
namespace {

constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max();

Task<bool> as_value(Task<void> task) {
  co_await std::move(task);
  co_return true;
}

}  // namespace

void TextIndexContract::SetUp() {
  world_ = GetParam().make_store();
  index_ = GetParam().make_index();
  open();
}

void TextIndexContract::TearDown() {
  if (db_) close();
}

void TextIndexContract::open() {
  auto opened = world_->open(schema(), {});
  ASSERT_TRUE(opened) << opened.error();
  db_ = std::move(*opened);
}

void TextIndexContract::close() {
  run(as_value(db_->close()));
  db_.reset();
}

void TextIndexContract::add(std::int64_t position, std::string text, std::string workspace,
                            std::string conversation) {
  Write write;
  const std::size_t bytes = text.size();
  write.statements.push_back(
      index_->add({position, std::move(workspace), std::move(conversation), std::move(text)}));
  write.statements.push_back(index_->tidy(bytes));
  const auto written = run(db_->write(std::move(write)));
  ASSERT_TRUE(written) << written.error();
}

void TextIndexContract::append(std::int64_t position, std::string conversation) {
  const auto written = run(db_->write(
      one("INSERT INTO messages (position, conversation_id, seq, session_id, role, source, "
          "content, created_ms) VALUES ($1, $2, $1, 'sess_1', 'user', 'web', '[]', 1)",
          {position, std::move(conversation)})));
  ASSERT_TRUE(written) << written.error();
}

void TextIndexContract::remove(std::string conversation, std::int64_t first_seq,
                               std::int64_t last_seq) {
  Write write;
  write.statements.push_back(index_->remove(std::move(conversation), first_seq, last_seq));
  const auto written = run(db_->write(std::move(write)));
  ASSERT_TRUE(written) << written.error();
}

Rows TextIndexContract::candidates(TextSearch search) {
  if (search.before == 0) search.before = kEnd;
  if (search.limit == 0) search.limit = 100;
  auto rows = run(db_->read_page(index_->candidates(search)));
  EXPECT_TRUE(rows) << rows.error();
  return rows ? *rows : Rows{};
}

TextIndexContract::Positions TextIndexContract::find_in(TextSearch search) {
  Positions positions;
  for (const Row& row : candidates(std::move(search))) positions.push_back(row.integer(0));
  return positions;
}

TextIndexContract::Positions TextIndexContract::find(std::vector<std::string> words) {
  return find_in({.workspace = "ws_a", .conversation = {}, .words = std::move(words)});
}

// ---- what is found

TEST_P(TextIndexContract, FindsADocumentByAnyPartOfItWhateverTheCase) {
  add(1, "The quick Brown fox, foo_bar.cc, https://example.org/a?b=1");
  for (const char* word : {"quick", "QUICK", "rown f", "foo_bar.cc", "_ba",
                           "https://example.org/a?", "b=1", "fox, foo"}) {
    EXPECT_EQ(find({word}), Positions{1}) << word;
  }
  EXPECT_TRUE(find({"slow"}).empty());
}

TEST_P(TextIndexContract, GivesTheTextWithEachDocument) {
  add(7, "Grüße aus Köln 👋");
  const Rows rows = candidates({.workspace = "ws_a", .conversation = {}, .words = {"köln"}});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0], Row({std::int64_t{7}, std::string("Grüße aus Köln 👋")}));
}

TEST_P(TextIndexContract, AllWordsMustOccur) {
  add(1, "apples and pears");
  add(2, "pears and plums");
  EXPECT_EQ(find({"pears"}), (Positions{2, 1}));
  EXPECT_EQ(find({"pears", "apples"}), Positions{1});
  EXPECT_TRUE(find({"apples", "plums"}).empty());
}

TEST_P(TextIndexContract, FindsEveryScript) {
  add(1, "مرحبا بالعالم");
  add(2, "今天天气很好");
  add(3, "Привет, мир");
  add(4, "👩‍👩‍👧 family 🎉🎉🎉");
  EXPECT_EQ(find({"بالعالم"}), Positions{1});
  EXPECT_EQ(find({"天气很"}), Positions{2});
  EXPECT_EQ(find({"ПРИВЕТ"}), Positions{3});
  EXPECT_EQ(find({"🎉🎉🎉"}), Positions{4});
  EXPECT_EQ(find({"👩‍👩‍👧"}), Positions{4});
}

TEST_P(TextIndexContract, AWordUnderThreeCharactersNarrowsNothing) {
  add(1, "one");
  add(2, "two");
  EXPECT_EQ(find({"天气"}), (Positions{2, 1}));
  EXPECT_EQ(find({"x", "two"}), Positions{2});
  EXPECT_EQ(find(std::vector<std::string>{}), (Positions{2, 1}));
}

TEST_P(TextIndexContract, MissesNothingThatIsLongerThanItLooksAt) {
  const std::string line =
      "Redistribution and use in source and binary forms, with or without "
      "modification, are permitted provided that the following conditions";
  add(1, "So: " + line + " are met.");
  EXPECT_EQ(find({line}), Positions{1});
  EXPECT_EQ(find({line.substr(0, 40), line.substr(50), "are met"}), Positions{1});
}

// SC-8
TEST_P(TextIndexContract, AQueryIsTextAndNeverSyntax) {
  add(1, "nothing of the kind");
  for (const char* text :
       {"\" OR *", "NEAR(", "nothing OR else", "text:nothing", "^nothing", "-kind", "noth*",
        "\"\"\"", "{text}: x", "');--", "kind AND NOT", "\\\"noth"}) {
    EXPECT_TRUE(find({text}).empty()) << text;
  }
  add(2, "say \" OR * and NEAR(a, b) and 'noth*'");
  for (const char* text : {"\" OR *", "NEAR(", "noth*"}) {
    EXPECT_EQ(find({text}), Positions{2}) << text;
  }
}

TEST_P(TextIndexContract, ANulDoesNotHideWhatFollows) {
  add(1, std::string("before\0after", 12));
  EXPECT_EQ(find({"after"}), Positions{1});
  EXPECT_TRUE(find({std::string("be\0af", 5)}).empty());
}

// ---- order and walls

TEST_P(TextIndexContract, GivesTheNewestFirstAPieceAtATime) {
  for (std::int64_t i = 1; i <= 25; ++i) add(i * 3, "message " + std::to_string(i));
  Positions all;
  std::int64_t before = kEnd;
  while (true) {
    const Positions piece = find_in({.workspace = "ws_a",
                                     .conversation = {},
                                     .words = {"message"},
                                     .before = before,
                                     .limit = 10});
    all.insert(all.end(), piece.begin(), piece.end());
    if (piece.size() < 10) break;
    before = piece.back();
  }
  ASSERT_EQ(all.size(), 25U);
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i], static_cast<std::int64_t>(75 - 3 * i));
  }
}

TEST_P(TextIndexContract, WalksOnlyTheWorkspaceAndConversationAskedFor) {
  add(1, "shared words", "ws_a", "conv_a");
  add(2, "shared words", "ws_b", "conv_b");
  add(3, "shared words", "ws_a", "conv_c");
  EXPECT_EQ(find({"shared"}), (Positions{3, 1}));
  EXPECT_EQ(find_in({.workspace = "ws_b", .conversation = {}, .words = {}}), Positions{2});
  EXPECT_EQ(find_in({.workspace = "ws_a", .conversation = "conv_c", .words = {"words"}}),
            Positions{3});
  EXPECT_TRUE(find_in({.workspace = "ws_b", .conversation = "conv_c", .words = {}}).empty());
  EXPECT_TRUE(find({"ws_a"}).empty());
}

// ---- change

TEST_P(TextIndexContract, TakesOutWhatAConversationForgets) {
  for (std::int64_t i = 1; i <= 6; ++i) {
    const std::string conversation = i % 2 == 0 ? "conv_even" : "conv_odd";
    append(i, conversation);
    add(i, "to be forgotten", "ws_a", conversation);
  }
  remove("conv_even", 3, 6);
  EXPECT_EQ(find({"forgotten"}), (Positions{5, 3, 2, 1}));
  remove("conv_even", 3, 6);
  remove("conv_none", 1, 99);
  EXPECT_EQ(find({"forgotten"}), (Positions{5, 3, 2, 1}));
}

TEST_P(TextIndexContract, ADocumentMayComeBackAtTheSamePosition) {
  append(1, "conv_a");
  add(1, "first text");
  remove("conv_a", 1, 1);
  add(1, "second text");
  EXPECT_TRUE(find({"first"}).empty());
  EXPECT_EQ(find({"second"}), Positions{1});
  add(1, "third text");
  EXPECT_TRUE(find({"second"}).empty());
  EXPECT_EQ(find({"text"}), Positions{1});
}

TEST_P(TextIndexContract, AWriteThatFailsLeavesNoDocuments) {
  Write write;
  write.statements.push_back(index_->add({1, "ws_a", "conv_a", "never there"}));
  write.statements.push_back({"UPDATE index_cursors SET position = 9 WHERE name = 'x'", {}, 1});
  EXPECT_FALSE(run(db_->write(std::move(write))));
  EXPECT_TRUE(find({"never"}).empty());
  add(1, "there now");
  EXPECT_EQ(find({"there"}), Positions{1});
}

TEST_P(TextIndexContract, StaysTheSameThroughClosingBackupAndRestore) {
  for (std::int64_t i = 1; i <= 40; ++i) add(i, "kept " + std::to_string(i));
  close();
  open();
  EXPECT_EQ(find({"kept"}).size(), 40U);
  const std::string file = world_->new_file("copy");
  const auto made = run(db_->backup(file));
  ASSERT_TRUE(made) << made.error();
  const auto sound = run(db_->verify());
  EXPECT_TRUE(sound) << sound.error();
  add(41, "kept not");
  close();
  const auto restored = world_->restore(file);
  ASSERT_TRUE(restored) << restored.error();
  open();
  EXPECT_EQ(find({"kept"}).size(), 40U);
  add(41, "kept again");
  EXPECT_EQ(find({"kept"}).size(), 41U);
}

}  // namespace rouse
