#include "base/text.h"

#include <array>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "base/ids.h"
#include "base/time.h"

namespace rouse {
namespace {

TEST(Text, HexAndHashAreTheKnownOnes) {
  EXPECT_EQ(to_hex(sha256("abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Text, Utf8IsCheckedToTheLastBit) {
  for (const std::string_view good : {"", "a", "ü", "€", "😀", "\xf4\x8f\xbf\xbf"})
    EXPECT_TRUE(is_utf8(good));
  for (const std::string_view bad :
       {"\x80", "\xc3", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xff"}) {
    EXPECT_FALSE(is_utf8(bad));
  }
}

TEST(Text, APrefixNeverSplitsACharacter) {
  EXPECT_EQ(utf8_prefix("a€b", 3), "a");
  EXPECT_EQ(utf8_prefix("a€b", 4), "a€");
  EXPECT_EQ(utf8_prefix("ab", 9), "ab");
}

TEST(Text, NearestFindsTyposAndNothingElse) {
  const std::array<std::string_view, 3> known{"listen", "public_url", "allowed_hosts"};
  EXPECT_EQ(nearest("lisen", known), "listen");
  EXPECT_EQ(nearest("allowed_host", known), "allowed_hosts");
  EXPECT_EQ(nearest("zzz", known), std::nullopt);
}

TEST(Text, ConstantTimeCompareIsStillACompare) {
  EXPECT_TRUE(equal_constant_time("secret", "secret"));
  EXPECT_FALSE(equal_constant_time("secreT", "secret"));
  EXPECT_FALSE(equal_constant_time("secretsecret", "secret"));
  EXPECT_FALSE(equal_constant_time("", "secret"));
  EXPECT_FALSE(equal_constant_time("secret", ""));
}

RC_GTEST_PROP(Text, EncodingsComeBack, (const std::string& bytes)) {
  RC_ASSERT(*from_base64(to_base64(bytes)) == bytes);
  RC_ASSERT(*percent_decode(percent_encode(bytes)) == bytes);
}

TEST(Time, IsoThereAndBack) {
  EXPECT_EQ(to_iso(WallTime{0}), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(to_iso(WallTime{-1}), "1969-12-31T23:59:59.999Z");
  EXPECT_EQ(to_iso(WallTime{253'402'300'800'000}), "10000-01-01T00:00:00.000Z");
  EXPECT_EQ(to_iso(WallTime{-62'198'755'200'001}), "-002-12-31T23:59:59.999Z");
  EXPECT_EQ(from_iso("2026-02-23T10:05:00.000Z")->unix_ms, 1'771'841'100'000);
  EXPECT_EQ(from_iso("2026-02-23T10:05:00Z")->unix_ms, 1'771'841'100'000);
  for (const char* bad : {"", "2026-02-30T00:00:00Z", "2026-02-23 10:05:00Z",
                          "2026-02-23T25:00:00Z", "2026-02-23T10:05:00", "x026-02-23T10:05:00Z"}) {
    EXPECT_FALSE(from_iso(bad)) << bad;
  }
}

RC_GTEST_PROP(Time, EveryInstantSurvivesIso, ()) {
  const auto ms = *rc::gen::inRange<std::int64_t>(0, 4'102'444'800'000);
  RC_ASSERT(from_iso(to_iso(WallTime{ms}))->unix_ms == ms);
}

TEST(Time, LengthsAreSaidInWords) {
  EXPECT_EQ(to_words(millis(120)), "120 ms");
  EXPECT_EQ(to_words(seconds(45)), "45 s");
  EXPECT_EQ(to_words(minutes(125)), "2 h 5 min");
  EXPECT_EQ(to_words(days(2)), "2 d");
}

// SC-11
TEST(Ids, AreTypedPrefixedAndSafeInPaths) {
  SeededRandom random(1);
  const auto id = WorkspaceId::make({1000}, random);
  EXPECT_EQ(id.str().size(), 3U + 24U);
  EXPECT_LT(id, WorkspaceId::make({1001}, random)) << "ids sort by the time they were made";
  EXPECT_EQ(WorkspaceId::parse(id.str()), id);
  for (const char* bad : {"", "ws_", "tok_abc", "ws_../x", "ws_a/b", "ws_a.b", "ws_a b"}) {
    EXPECT_FALSE(WorkspaceId::parse(bad)) << bad;
  }
}

TEST(Random, ASeedGivesTheSameStreamAndBelowStaysBelow) {
  SeededRandom a(7), b(7), c(8);
  EXPECT_EQ(a.hex(32), b.hex(32));
  EXPECT_NE(a.next_u64(), c.next_u64());
  for (int i = 0; i < 1000; ++i) EXPECT_LT(a.below(7), 7U);
}

}  // namespace
}  // namespace rouse
