#include "net/sse.h"

#include <gtest/gtest.h>

namespace rouse {
namespace {

std::vector<SseEvent> parse(std::string_view bytes, std::size_t step) {
  std::vector<SseEvent> events;
  SseParser parser;
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    const auto fed = parser.feed(bytes.substr(at, step), [&](const SseEvent& event) {
      events.push_back(event);
      return Result<void>();
    });
    EXPECT_TRUE(fed);
  }
  return events;
}

TEST(Sse, WritesAnEventWithSeveralLines) {
  EXPECT_EQ(format_sse("delta", "a\nb\r\nc", "7"),
            "id: 7\nevent: delta\ndata: a\ndata: b\ndata: c\n\n");
  EXPECT_EQ(format_sse("", "x"), "data: x\n\n");
}

TEST(Sse, CannotBeTrickedIntoAnotherField) {
  EXPECT_EQ(format_sse("a\ndata: forged", "x", "1\nevent: y"), "id: 1\nevent: a\ndata: x\n\n");
}

TEST(SseParser, ReadsTheSameInPiecesOfAnySize) {
  const std::string_view stream =
      "\xef\xbb\xbf: hello\n\nevent: a\ndata: 1\ndata:2\nid: 9\n\rdata\r\n\r\nretry: 5\n\nevent: "
      "none\n\ndata: last\n\n";
  const std::vector<SseEvent> expected = {{"a", "1\n2", "9"}, {"", "", "9"}, {"", "last", "9"}};
  for (std::size_t step = 1; step <= stream.size(); ++step)
    EXPECT_EQ(parse(stream, step), expected) << step;
}

TEST(SseParser, ReadsWhatFormatWrites) {
  const auto events = parse(format_sse("e", "l1\n\nl3", "i") + std::string(kSseKeepalive), 3);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0], (SseEvent{"e", "l1\n\nl3", "i"}));
}

TEST(SseParser, DropsAnUnfinishedEvent) { EXPECT_TRUE(parse("data: x\n", 2).empty()); }

TEST(SseParser, RefusesAnEventOverItsBound) {
  SseParser parser(100);
  const auto ignore = [](const SseEvent&) { return Result<void>(); };
  EXPECT_TRUE(parser.feed("data: " + std::string(50, 'x') + "\n", ignore));
  const auto fed = parser.feed("data: " + std::string(60, 'x'), ignore);
  ASSERT_FALSE(fed);
  EXPECT_TRUE(fed.error().is(Errc::kTooLarge));
}

TEST(SseParser, EndsWithTheErrorOfItsReader) {
  SseParser parser;
  const auto fed = parser.feed("data: 1\n\ndata: 2\n\n", [](const SseEvent&) -> Result<void> {
    return fail(Errc::kCancelled, "enough");
  });
  ASSERT_FALSE(fed);
  EXPECT_EQ(fed.error().message, "enough");
}

}  // namespace
}  // namespace rouse
