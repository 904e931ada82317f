#include "session/search/search_words.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "session/search/searchable_text.h"

namespace rouse {
namespace {

using Strings = std::vector<std::string>;
using Matches = std::vector<std::pair<std::int64_t, std::int64_t>>;

Strings words(std::string_view query) {
  auto parsed = search_words(query);
  EXPECT_TRUE(parsed) << parsed.error();
  return parsed ? *parsed : Strings{};
}

// The parts of the snippet that its matches name, as the web app would mark them.
Strings marked(const Snippet& snippet) {
  std::vector<std::string> characters;
  for (const char c : snippet.text) {
    if (begins_character(c)) characters.emplace_back();
    characters.back() += c;
  }
  Strings out;
  for (const auto& [first, length] : snippet.matches) {
    std::string part;
    for (std::int64_t i = first; i < first + length; ++i) {
      part += characters.at(static_cast<std::size_t>(i));
    }
    out.push_back(part);
  }
  return out;
}

TEST(SearchWords, AreSeparatedByBlanksAndHeldTogetherByQuotes) {
  EXPECT_EQ(words("  two\twords\n"), (Strings{"two", "words"}));
  EXPECT_EQ(words("\"one phrase\" word \"another  one\""),
            (Strings{"one phrase", "word", "another  one"}));
  EXPECT_EQ(words("天気　予報"), (Strings{"天気", "予報"}));
  EXPECT_EQ(words("foo_bar.cc https://a.b/c?d=e#f"),
            (Strings{"foo_bar.cc", "https://a.b/c?d=e#f"}));
}

TEST(SearchWords, TakeAnythingAPersonTypesAsText) {
  EXPECT_EQ(words("\" OR *"), Strings{"OR *"});
  EXPECT_EQ(words("NEAR(a b)"), (Strings{"NEAR(a", "b)"}));
  EXPECT_EQ(words("\"never closed"), Strings{"never closed"});
  EXPECT_EQ(words("5\"disk \"\" x"), (Strings{"5\"disk", "x"}));
}

TEST(SearchWords, SayWhatIsWrongWithAQueryThatFindsNothing) {
  for (const std::string& query :
       {std::string(), std::string(" \n\t"), std::string("\"\" \"  \""), std::string("\xFF\xFE"),
        std::string(600, 'x'), std::string("a b c d e f g h i j k l m n o p q")}) {
    const auto parsed = search_words(query);
    ASSERT_FALSE(parsed) << query;
    EXPECT_EQ(parsed.error().kind, Kind::kInvalid);
  }
}

TEST(FoldCase, MakesCapitalsSmallAndKeepsEveryByteInItsPlace) {
  EXPECT_EQ(fold_case("GRÜSSE ÀÉÎÕÜ ŠČŽŁ Ÿ"), "grüsse àéîõü ščžł ÿ");
  EXPECT_EQ(fold_case("ΑΘΉΝΑ ΣΊΣΥΦΟΣ"), "αθήνα σίσυφοσ");
  EXPECT_EQ(fold_case("ПРИВЕТ ЁЖ ЇЖАК"), "привет ёж їжак");
  EXPECT_EQ(fold_case("ԲԱՐԵՒ ＡＢＣ ẠẢẤ"), "բարեւ ａｂｃ ạảấ");
  EXPECT_EQ(fold_case("مرحبا 天気 🎉 ß İ ×"), "مرحبا 天気 🎉 ß İ ×");
}

TEST(FoldCase, FoldsNothingTwiceAndKeepsTheLengthOfEveryCharacter) {
  for (std::uint32_t c = 0x80; c < 0x10000; ++c) {
    if (c >= 0xD800 && c < 0xE000) continue;
    std::string text;
    if (c < 0x800) {
      text = {static_cast<char>(0xC0 | c >> 6), static_cast<char>(0x80 | (c & 63))};
    } else {
      text = {static_cast<char>(0xE0 | c >> 12), static_cast<char>(0x80 | (c >> 6 & 63)),
              static_cast<char>(0x80 | (c & 63))};
    }
    const std::string folded = fold_case(text);
    ASSERT_TRUE(is_utf8(folded) && folded.size() == text.size()) << std::hex << c;
    ASSERT_EQ(fold_case(folded), folded) << std::hex << c;
  }
}

TEST(Snippet, IsTheWholeOfAShortTextWithEveryMatch) {
  const auto snippet = find_words("Pears, PEARS and apples", {"pears", "apple"});
  ASSERT_TRUE(snippet);
  EXPECT_EQ(snippet->text, "Pears, PEARS and apples");
  EXPECT_EQ(snippet->matches, (Matches{{0, 5}, {7, 5}, {17, 5}}));
}

TEST(Snippet, IsNothingUnlessAllWordsAreThere) {
  EXPECT_FALSE(find_words("apples and pears", {"apples", "plums"}));
  EXPECT_FALSE(find_words("cafe", {"café"}));
  EXPECT_FALSE(find_words("two\nlines", {"two lines"}));
}

TEST(Snippet, JoinsMatchesThatTouchOrOverlap) {
  const auto snippet = find_words("foobarbaz", {"foob", "bar", "baz"});
  ASSERT_TRUE(snippet);
  EXPECT_EQ(snippet->matches, (Matches{{0, 9}}));
}

TEST(Snippet, ShowsTheSurroundingsOfTheFirstMatchCutBetweenCharacters) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "грюße🎉天気 ";
  const std::string needle = "НАЙДИ меня";
  const auto snippet = find_words(text + needle + " " + text, {fold_case(needle)});
  ASSERT_TRUE(snippet);
  EXPECT_TRUE(is_utf8(snippet->text));
  EXPECT_TRUE(snippet->text.starts_with("…") && snippet->text.ends_with("…")) << snippet->text;
  EXPECT_LE(snippet->text.size(), kSnippetBytes + 6);
  EXPECT_EQ(marked(*snippet), Strings{needle});
}

TEST(Snippet, OfAnyPlaceInATextIsValidAndHoldsItsMatch) {
  for (std::size_t before = 0; before < 200; ++before) {
    for (const std::size_t after : {0, 1, 50, 300}) {
      std::string text;
      for (std::size_t i = 0; i < before; ++i) text += i % 3 == 0 ? "é" : "x";
      text += "NEEDLE";
      for (std::size_t i = 0; i < after; ++i) text += i % 2 == 0 ? "天" : "y";
      const auto snippet = find_words(text, {"needle"});
      ASSERT_TRUE(snippet && is_utf8(snippet->text)) << before << " " << after;
      ASSERT_EQ(marked(*snippet), Strings{"NEEDLE"}) << before << " " << after;
      ASSERT_LE(snippet->text.size(), kSnippetBytes + 6);
    }
  }
}

TEST(Snippet, GrowsForAMatchLongerThanItself) {
  const std::string phrase(300, 'p');
  const auto snippet = find_words("so " + phrase + " it ends", {phrase});
  ASSERT_TRUE(snippet);
  EXPECT_EQ(marked(*snippet), Strings{phrase});
}

TEST(SearchableText, HoldsWhatWasSaidAndTheBeginningOfWhatToolsReturned) {
  Content content = text_content("said", kFromOwner);
  ContentBlock file{.type = "file",
                    .from = "owner",
                    .text = {},
                    .hash = {},
                    .media_type = {},
                    .name = "plan.pdf",
                    .size = {},
                    .call_id = {},
                    .tool = {},
                    .arguments = {}};
  ContentBlock result{.type = "tool_result",
                      .from = "untrusted",
                      .text = std::string(8190, 'a') + "天末",
                      .hash = {},
                      .media_type = {},
                      .name = {},
                      .size = {},
                      .call_id = {},
                      .tool = {},
                      .arguments = {}};
  content.push_back(file);
  content.push_back(result);
  content.push_back(text_content("after", kFromAgent)[0]);
  EXPECT_EQ(searchable_text(content),
            "said\n[file: plan.pdf]\n" + std::string(8190, 'a') + "\nafter");
}

TEST(SearchableText, OfOneMessageIsBounded) {
  const auto text = searchable_text(text_content(std::string(300 * 1024, 'x'), kFromOwner));
  EXPECT_EQ(text.size(), kSearchableMessageBytes);
}

}  // namespace
}  // namespace rouse
