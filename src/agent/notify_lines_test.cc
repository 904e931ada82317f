#include "agent/notify_lines.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace rouse {
namespace {

struct Cut {
  std::string text;
  std::optional<std::string> subject;
  friend bool operator==(const Cut&, const Cut&) = default;
};

Cut cut(std::string_view text, std::size_t piece) {
  NotifyLineFilter filter;
  Cut out;
  for (std::size_t at = 0; at < text.size(); at += piece) {
    out.text += filter.add(text.substr(at, piece));
  }
  out.text += filter.end();
  out.subject = filter.subject();
  return out;
}

// However it is cut into pieces, the same comes out.
Cut cut(std::string_view text) {
  const Cut whole = cut(text, text.size() + 1);
  for (const std::size_t piece : {1, 2, 3, 5, 7}) {
    const Cut parts = cut(text, piece);
    EXPECT_EQ(parts.text, whole.text) << piece;
    EXPECT_EQ(parts.subject, whole.subject) << piece;
  }
  return whole;
}

// UX-8
TEST(NotifyLines, ALineIsTakenOutAndItsSubjectKept) {
  EXPECT_EQ(cut("All done.\n::notify Build is green\nBye."),
            (Cut{"All done.\nBye.", "Build is green"}));
  EXPECT_EQ(cut("All done.\n\n::notify Build"), (Cut{"All done.\n\n", "Build"}));
  EXPECT_EQ(cut("::notify: Grüße\r\nJa"), (Cut{"Ja", "Grüße"}));
  EXPECT_EQ(cut("  ::notify\tTabs\n"), (Cut{"", "Tabs"}));
  EXPECT_EQ(cut("::notify"), (Cut{"", ""}));
}

TEST(NotifyLines, TheLastOneWins) {
  EXPECT_EQ(cut("::notify one\ntext\n::notify two\n"), (Cut{"text\n", "two"}));
}

TEST(NotifyLines, WhatOnlyLooksLikeOneStays) {
  for (const std::string_view text :
       {"say ::notify me", "::notifying nobody", "::not", ":", "::notif\n", "    ::notify code", "",
        "\n\n", "a::notify\n", "::Notify x"}) {
    EXPECT_EQ(cut(text), (Cut{std::string(text), std::nullopt})) << text;
  }
}

TEST(NotifyLines, InsideOfACodeFenceItIsText) {
  for (const std::string_view text : {"```\n::notify no\n```\n", "~~~sh\n```\n::notify no\n~~~\n",
                                      "````\n```\n::notify no", "  ```js\n::notify no\n"}) {
    EXPECT_EQ(cut(text), (Cut{std::string(text), std::nullopt})) << text;
  }
  EXPECT_EQ(cut("```\nx\n```\n::notify yes"), (Cut{"```\nx\n```\n", "yes"}));
}

TEST(NotifyLines, ASpanOfCodeOpensNoFence) {
  for (const std::string line : {std::string("```make test``` is green.\n"),
                                 "```" + std::string(100, 'x') + "``` is green.\n"}) {
    EXPECT_EQ(cut(line + "::notify yes"), (Cut{line, "yes"}));
  }
}

TEST(NotifyLines, NothingOfALineIsShownBeforeItsEnd) {
  NotifyLineFilter filter;
  EXPECT_EQ(filter.add("Hi.\n::"), "Hi.\n");
  EXPECT_EQ(filter.add("notify The sub"), "");
  EXPECT_EQ(filter.add("ject"), "");
  EXPECT_EQ(filter.add("\nMore"), "More");
  EXPECT_EQ(filter.subject(), "The subject");
}

TEST(NotifyLines, FirstSentencesEndWhereASentenceDoes) {
  EXPECT_EQ(first_sentences(" Short. ", 100), "Short.");
  EXPECT_EQ(first_sentences("One is here. Two is here. Three is longer than that.", 30),
            "One is here. Two is here.");
  EXPECT_EQ(first_sentences("words without any end go on and on", 20), "words without any…");
  EXPECT_TRUE(is_utf8(first_sentences("ääääääääääääääää", 10)));
}

}  // namespace
}  // namespace rouse
