#include "model/utf8_text.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "base/text.h"

namespace rouse {
namespace {

constexpr std::string_view kWhole = "aß–你👋🏽 z";

TEST(Utf8Joiner, HoldsBackWhatMayStillBecomeACharacter) {
  for (std::size_t cut = 0; cut <= kWhole.size(); ++cut) {
    Utf8Joiner joiner;
    std::string out = joiner.feed(kWhole.substr(0, cut));
    EXPECT_TRUE(is_utf8(out)) << cut;
    out += joiner.feed(kWhole.substr(cut));
    EXPECT_EQ(out, kWhole) << cut;
    EXPECT_EQ(joiner.finish(), "");
  }
}

TEST(Utf8Joiner, ReplacesWhatNeverBecomesOne) {
  Utf8Joiner joiner;
  EXPECT_EQ(joiner.feed("a\xff"), "a\xef\xbf\xbd");
  EXPECT_EQ(joiner.feed("b\xe4\xbd"), "b");
  EXPECT_EQ(joiner.feed("c"),
            "\xef\xbf\xbd"
            "c");
  EXPECT_EQ(joiner.feed("\xf0\x9f"), "");
  EXPECT_EQ(joiner.finish(), "\xef\xbf\xbd");
  EXPECT_EQ(joiner.finish(), "");
}

TEST(Utf8Text, AnyBytesBecomeValidInAnyCut) {
  SeededRandom random(3);
  for (int round = 0; round < 2'000; ++round) {
    std::string bytes;
    for (std::uint64_t i = random.below(12); i > 0; --i) {
      constexpr std::string_view kOdd = "a\xc3\xa4\xe4\xbd\xa0\xf0\x9f\x91\x8b\xed\xa0\x80\xc0\xff";
      bytes += kOdd[random.below(kOdd.size())];
    }
    const std::string once = to_utf8(bytes);
    EXPECT_TRUE(is_utf8(once));
    Utf8Joiner joiner;
    std::string pieces;
    for (const char c : bytes) pieces += joiner.feed({&c, 1});
    pieces += joiner.finish();
    EXPECT_EQ(pieces, once);
  }
}

}  // namespace
}  // namespace rouse
