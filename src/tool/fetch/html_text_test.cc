#include "tool/fetch/html_text.h"

#include <gtest/gtest.h>

namespace rouse {
namespace {

TEST(HtmlText, KeepsTheWordsAndTheLinks) {
  EXPECT_EQ(html_text("<!doctype html><html><head><title>A &amp; B</title><style>p{}</style></head>"
                      "<body><h1>Hello</h1><p>one\n  <b>two</b>&nbsp;three</p><script>if (a<b) x()"
                      "</script><ul><li>first</li><li><a href=\"/next?a=1\">second</a></li></ul>"),
            "A & B\nHello\none two three\n- first\n- second (/next?a=1)");
}

TEST(HtmlText, LinksThatLeadNowhereAreDropped) {
  EXPECT_EQ(html_text("<a href='javascript:x()'>a</a> <a href=\"#top\">b</a> <a>c</a>"), "a b c");
}

TEST(HtmlText, BrokenPagesAreStillText) {
  EXPECT_EQ(html_text("1 < 2 and <b title=\"never closed>bold</b>"), "1 < 2 and bold");
  EXPECT_EQ(html_text("a<script>never closed"), "a");
  EXPECT_EQ(html_text("a<!-- never closed"), "a");
  EXPECT_EQ(html_text("<"), "<");
  EXPECT_EQ(html_text("<b"), "");
  EXPECT_EQ(html_text("&#x41;&#66;&#0;&bogus;&#xD800;&"), "AB&bogus;&");
}

// Pages that are made to be read over and over: each of these would take hours if they were.
TEST(HtmlText, APageOfUnmatchedQuotesIsReadOnce) {
  const auto page_of = [](std::string_view part) {
    std::string page;
    while (page.size() < (2 << 20)) page += part;
    return page;
  };
  const std::string quotes = page_of("<b '>'");
  EXPECT_EQ(html_text(quotes), std::string(quotes.size() / 6, '\''));
  const std::string ends = page_of("</'>'");
  EXPECT_EQ(html_text(ends), std::string(ends.size() / 5, '\''));
  const std::string open = page_of("<");
  EXPECT_EQ(html_text(open), open);
  EXPECT_EQ(html_text(page_of("<b '")), "");
}

TEST(HtmlText, AQuoteMayHideTheEndOfATag) {
  EXPECT_EQ(html_text("<b title='a > b'>bold</b>"), "bold");
  EXPECT_EQ(html_text("<b title='" + std::string(9'000, 'x') + "'>bold</b>"), "bold");
}

}  // namespace
}  // namespace rouse
