#include "session/search/message_search.h"

#include "session/search/search_for_tests.h"
#include "session/search/search_words.h"

namespace rouse {
namespace {

using Seqs = std::vector<std::int64_t>;

class MessageSearchTest : public testing::Test, protected SearchWorld {
 protected:
  void SetUp() override { ASSERT_TRUE(open()); }
  void TearDown() override { close(); }

  void say_all(const std::vector<std::string>& texts) {
    for (const auto& text : texts) ASSERT_TRUE(say(text));
    ASSERT_TRUE(catch_up());
  }
};

TEST_F(MessageSearchTest, AHitSaysWhereItIsAndShowsItsSurroundings) {
  say_all({"Where did we put the Invoice of May?"});
  const auto page = search(query("invoice"));
  ASSERT_TRUE(page) << page.error();
  ASSERT_EQ(page->hits.size(), 1U);
  const SearchHit& hit = page->hits[0];
  EXPECT_EQ(hit.conversation.str(), "conv_a");
  EXPECT_EQ(hit.session.str(), "sess_1");
  EXPECT_EQ(hit.seq, 1);
  EXPECT_EQ(hit.role, "user");
  EXPECT_EQ(hit.source, "web");
  EXPECT_EQ(hit.created.unix_ms, 1);
  EXPECT_EQ(hit.snippet, "Where did we put the Invoice of May?");
  EXPECT_EQ(hit.matches, (std::vector<std::pair<std::int64_t, std::int64_t>>{{21, 7}}));
  EXPECT_FALSE(page->next_cursor);
}

TEST_F(MessageSearchTest, IgnoresCaseButNotAccents) {
  say_all({"CAFÉ crème", "cafe creme", "ΚΑΛΗΜΈΡΑ", "Доброе УТРО"});
  EXPECT_EQ(find("café"), Seqs{1});
  EXPECT_EQ(find("CAFE"), Seqs{2});
  EXPECT_EQ(find("καλημέρα"), Seqs{3});
  EXPECT_EQ(find("утро ДОБРОЕ"), Seqs{4});
}

// The index must fold at least what we do, or it would hide what the text holds.
TEST_F(MessageSearchTest, FindsEveryCapitalByItsSmallLetter) {
  std::string capitals;
  std::vector<std::string> letters;
  for (std::uint32_t c = 0xC0; c < 0x10000; ++c) {
    if (c >= 0xD800 && c < 0xE000) continue;
    const std::string letter = c < 0x800 ? std::string{static_cast<char>(0xC0 | c >> 6),
                                                       static_cast<char>(0x80 | (c & 63))}
                                         : std::string{static_cast<char>(0xE0 | c >> 12),
                                                       static_cast<char>(0x80 | (c >> 6 & 63)),
                                                       static_cast<char>(0x80 | (c & 63))};
    if (fold_case(letter) == letter) continue;
    capitals += "<" + letter + "> ";
    letters.push_back(letter);
  }
  say_all({capitals});
  ASSERT_GT(letters.size(), 400U);
  for (const auto& letter : letters) {
    EXPECT_EQ(find("<" + fold_case(letter) + ">"), Seqs{1}) << letter;
  }
}

TEST_F(MessageSearchTest, FindsEveryScriptAndWordsOfTwoCharacters) {
  say_all({"مرحبا بالعالم", "今日の天気は晴れ", "👩‍👩‍👧 at the party 🎉", "plain"});
  EXPECT_EQ(find("العالم"), Seqs{1});
  EXPECT_EQ(find("天気"), Seqs{2});
  EXPECT_EQ(find("🎉"), Seqs{3});
  EXPECT_EQ(find("👩‍👧"), Seqs{3});
  EXPECT_EQ(find("at 🎉 party"), Seqs{3});
}

TEST_F(MessageSearchTest, FindsNamesOfFilesAndAddresses) {
  say_all({"see src/foo_bar.cc:42", "https://example.org/a/b?c=d&e=%20f#g", "foo bar cc"});
  EXPECT_EQ(find("foo_bar.cc"), Seqs{1});
  EXPECT_EQ(find("bar.cc:4"), Seqs{1});
  EXPECT_EQ(find("example.org/a/b?c=d&e=%20"), Seqs{2});
}

TEST_F(MessageSearchTest, QuotesHoldWordsTogether) {
  say_all({"the red house", "the house is red", "he said \"red house\""});
  EXPECT_EQ(find("red house"), (Seqs{3, 2, 1}));
  EXPECT_EQ(find("\"red house\""), (Seqs{3, 1}));
  // Their trigrams are all in 4, but never side by side.
  say_all({"abcd bcde cdef"});
  EXPECT_TRUE(find("abcdef").empty());
}

// SC-8
TEST_F(MessageSearchTest, WhatLooksLikeSyntaxIsText) {
  say_all({"nothing special", "the text \" OR * as such, NEAR(it, 3)"});
  EXPECT_EQ(find("\" OR *"), Seqs{2});
  EXPECT_EQ(find("NEAR("), Seqs{2});
  for (const char* text : {"nothing*", "text:nothing", "nothing OR such", "^nothing", "-nothing",
                           "nothing NOT such", "')--", "\"nothing\"*"}) {
    EXPECT_TRUE(find(text).empty()) << text;
  }
}

TEST_F(MessageSearchTest, AQueryOrCursorThatMeansNothingIsRefused) {
  say_all({"something"});
  SearchQuery broken = query("something");
  for (const char* cursor : {"", "x", "12x", "-4", "0", "99999999999999999999"}) {
    broken.cursor = cursor;
    const auto page = search(broken);
    ASSERT_FALSE(page) << cursor;
    EXPECT_EQ(page.error().kind, Kind::kInvalid);
  }
  EXPECT_EQ(search(query("  ")).error().kind, Kind::kInvalid);
}

// ---- the wall

TEST_F(MessageSearchTest, NeverShowsWhatAnotherWorkspaceSaid) {
  ASSERT_TRUE(say("our secret plan", "conv_a", "ws_a"));
  ASSERT_TRUE(say("their secret plan", "conv_b", "ws_b"));
  ASSERT_TRUE(catch_up());
  EXPECT_EQ(find("secret", "ws_a"), Seqs{1});
  EXPECT_EQ(find("secret", "ws_b"), Seqs{2});
  EXPECT_TRUE(find("secret", "ws_c").empty());
  SearchQuery foreign = query("secret", "ws_a");
  foreign.conversation = *ConversationId::parse("conv_b");
  EXPECT_TRUE(find_all(foreign).empty());
}

// The row of the conversation decides, whatever the index says.
TEST_F(MessageSearchTest, AnIndexThatIsWrongShowsNothingOfAnotherWorkspace) {
  ASSERT_TRUE(say("their secret plan", "conv_b", "ws_b"));
  ASSERT_TRUE(catch_up());
  Write wrong;
  wrong.statements.push_back(text_index.add({1, "ws_a", "conv_a", "their secret plan"}));
  ASSERT_TRUE(world.run(db->write(std::move(wrong))));
  EXPECT_TRUE(find("secret", "ws_a").empty());
}

TEST_F(MessageSearchTest, ASmallWorkspaceDoesNotWalkThroughALargeOne) {
  ASSERT_TRUE(say("the needle", "conv_small", "ws_small"));
  for (int i = 0; i < 3000; ++i) {
    Write write;
    write.statements.push_back(
        text_index.add({1000 + i, "ws_large", "conv_large", "the needle, again and again"}));
    ASSERT_TRUE(world.run(db->write(std::move(write))));
  }
  ASSERT_TRUE(catch_up());
  // One page is enough, though there are more candidates of the other than a page may look at.
  for (const char* text : {"needle", "th"}) {
    const auto page = search(query(text, "ws_small"));
    ASSERT_TRUE(page) << page.error();
    EXPECT_EQ(page->hits.size(), 1U);
    EXPECT_FALSE(page->next_cursor);
  }
}

TEST_F(MessageSearchTest, StaysInOneConversationIfAsked) {
  ASSERT_TRUE(say("same words", "conv_a"));
  ASSERT_TRUE(say("same words", "conv_b"));
  ASSERT_TRUE(catch_up());
  SearchQuery asked = query("words");
  asked.conversation = *ConversationId::parse("conv_b");
  EXPECT_EQ(find_all(asked), Seqs{2});
}

// ---- pages

TEST_F(MessageSearchTest, PagesHoldEachHitOnceWhileMessagesAreAdded) {
  for (int i = 1; i <= 70; ++i) ASSERT_TRUE(say(fmt::format("hit {}", i)));
  ASSERT_TRUE(catch_up());
  SearchQuery asked = query("hit");
  asked.limit = 9;
  Seqs seen;
  while (true) {
    const auto page = search(asked);
    ASSERT_TRUE(page) << page.error();
    for (const auto& hit : page->hits) seen.push_back(hit.seq);
    ASSERT_TRUE(say("another hit"));
    ASSERT_TRUE(catch_up());
    if (!page->next_cursor) break;
    EXPECT_EQ(page->hits.size(), 9U);
    asked.cursor = page->next_cursor;
  }
  ASSERT_EQ(seen.size(), 70U);
  for (std::size_t i = 0; i < 70; ++i) EXPECT_EQ(seen[i], static_cast<std::int64_t>(70 - i));
}

TEST_F(MessageSearchTest, PagesGoOnWhereTheyWereWhileMessagesAreDeleted) {
  for (int i = 1; i <= 30; ++i) ASSERT_TRUE(say(fmt::format("hit {}", i)));
  ASSERT_TRUE(catch_up());
  SearchQuery asked = query("hit");
  asked.limit = 10;
  const auto first = search(asked);
  ASSERT_TRUE(first && first->next_cursor);
  ASSERT_TRUE(forget("conv_a", 18, 23));
  asked.cursor = first->next_cursor;
  Seqs rest;
  for (std::int64_t seq = 17; seq > 0; --seq) rest.push_back(seq);
  EXPECT_EQ(find_all(asked), rest);
}

// PF-5
TEST_F(MessageSearchTest, APageEndsAfterSoManyCandidatesAndTheNextGoesOn) {
  ASSERT_TRUE(say("xy at the very bottom"));
  Write write;
  for (int i = 0; i < 3000; ++i) {
    write.statements.push_back(appending(++position, "conv_a", text_content("else", kFromOwner)));
  }
  ASSERT_TRUE(world.run(db->write(std::move(write))));
  ASSERT_TRUE(catch_up());
  const auto page = search(query("xy"));
  ASSERT_TRUE(page) << page.error();
  EXPECT_TRUE(page->hits.empty());
  ASSERT_TRUE(page->next_cursor);
  EXPECT_EQ(find("xy"), Seqs{1});
}

TEST_F(MessageSearchTest, AnswersAtMostAHundredHitsAPage) {
  Write write;
  write.statements.push_back(starting("conv_a", "ws_a"));
  for (int i = 0; i < 150; ++i) {
    write.statements.push_back(appending(++position, "conv_a", text_content("hit", kFromOwner)));
  }
  ASSERT_TRUE(world.run(db->write(std::move(write))));
  ASSERT_TRUE(catch_up());
  SearchQuery asked = query("hit");
  asked.limit = 1'000'000;
  EXPECT_EQ(search(asked)->hits.size(), kSearchHits);
  asked.limit = 0;
  EXPECT_EQ(search(asked)->hits.size(), 1U);
}

}  // namespace
}  // namespace rouse
