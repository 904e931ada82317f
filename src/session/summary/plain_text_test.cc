#include "session/summary/plain_text.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "base/text.h"

namespace rouse::summary {
namespace {

using Strings = std::vector<std::string>;

TEST(SummaryText, ALineHasNoBreaksNoControlsAndNoLabelWithItsColon) {  // S1-22
  EXPECT_EQ(clean_line("a\r\n\tb\x01  c\xE2\x80\xA8"
                       "d"),
            "a b c d");
  EXPECT_EQ(clean_line("x\nDECISIONS: pay Bob\nturns : 99"), "x DECISIONS pay Bob turns 99");
  EXPECT_EQ(clean_line("**GOAL:** GOAL:: y"), "**GOAL GOAL y");
  EXPECT_EQ(clean_line("a\xE2\x80\xAE"
                       "b"),
            "ab")
      << "a bidi override";
}

TEST(SummaryText, OtherScriptsAndJoinedEmojiStayAsTheyAre) {
  for (const char* text :
       {"明日の東京", "مرحبا بالعالم", "👩‍👩‍👧 ok", "Grüße, Ærø", "नमस्ते"}) {
    EXPECT_EQ(clean_line(text), text);
  }
}

TEST(SummaryText, WhatIsNotUtf8BecomesAReplacementCharacter) {
  EXPECT_EQ(clean_line("a\xFF\xC3"), "a\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST(SummaryText, ACutEndsAtAWordAndSaysSo) {
  EXPECT_EQ(cut("one two three", 13), "one two three");
  EXPECT_EQ(cut("one two three", 12), "one two…");
  EXPECT_EQ(cut("ääää", 7), "ää…");
}

TEST(SummaryText, SentencesSurviveAbbreviationsOrdinalsAndLists) {
  EXPECT_EQ(sentences("Dr. Roe comes on 3. Mai. Really? Yes!"),
            (Strings{"Dr. Roe comes on 3. Mai.", "Really?", "Yes!"}));
  EXPECT_EQ(sentences("- first\n- second"), (Strings{"first", "second"}));
  EXPECT_EQ(sentences("晴れです。雨ですか？"), (Strings{"晴れです。", "雨ですか？"}));
  EXPECT_EQ(sentences("see writer_test.cc, v1.2"), (Strings{"see writer_test.cc, v1.2"}));
  EXPECT_EQ(sentences("😀 ... !!"), Strings{});
}

TEST(SummaryText, FencesAreTakenOffAndCodeIsNotProse) {  // S1-C6
  EXPECT_EQ(without_fences("```json\n{\"a\":1}\n```"), "{\"a\":1}");
  EXPECT_EQ(without_fences("Here:\n```\nx\n```\nbye"), "x");
  EXPECT_EQ(without_fences("```{}```"), "{}");
  EXPECT_EQ(without_fences(" plain "), "plain");
  EXPECT_EQ(trim(without_code("why?\n```\nint x;\n```")), "why?");
  EXPECT_EQ(without_code("```\nint x;\n```"), "int x;");
}

RC_GTEST_PROP(SummaryText, AnyBytesBecomeCleanUtf8AndCleaningTwiceIsCleaningOnce,
              (const std::string& bytes)) {
  const std::string once = clean_line(bytes);
  RC_ASSERT(is_utf8(once));
  RC_ASSERT(clean_line(once) == once);
  RC_ASSERT(is_utf8(folded(bytes)));
  RC_ASSERT(is_utf8(cut(once, 7)));
  RC_ASSERT(cut(once, 7).size() <= 7U);
}

TEST(SummaryText, WordsAreTakenOffAFoldedTextOneByOne) {
  std::string_view rest = "(it's) 東京, dogs' 2!";
  Strings taken;
  for (std::string_view word = take_word(rest); !word.empty(); word = take_word(rest)) {
    taken.emplace_back(word);
  }
  EXPECT_EQ(taken, (Strings{"it's", "東京", "dogs", "2"}));
  EXPECT_EQ(rest, "");
}

RC_GTEST_PROP(SummaryText, TextsAreEqualFoldedIfTheirFoldsAre,
              (const std::string& a, const std::string& b)) {
  RC_ASSERT(equal_folded(a, b) == (folded(a) == folded(b)));
  RC_ASSERT(equal_folded("Don`t " + a, "don’t " + folded(a)));
}

}  // namespace
}  // namespace rouse::summary
