#include "app/cli/readable.h"

#include <gtest/gtest.h>

namespace rouse::cli {
namespace {

TEST(CliText, WhatOthersWroteCannotSteerTheTerminal) {  // SC-10
  EXPECT_EQ(safe_text("a\x1b[2Jb\x07\r\nc\td"), "a[2Jb\nc\td");
  EXPECT_EQ(safe_text("x\xc2\x9b"
                      "31my"),
            "x31my");
  EXPECT_EQ(safe_text("größe 漢字 🙂"), "größe 漢字 🙂");
  EXPECT_EQ(safe_text("\xff\x80"), "");
}

TEST(CliText, ALineIsCutBetweenCharacters) {
  EXPECT_EQ(one_line("ab\ncd", 10), "ab cd");
  EXPECT_EQ(one_line("漢字漢字漢字", 4), "漢字漢…");
  EXPECT_EQ(one_line("four", 4), "four");
  EXPECT_EQ(one_line("", 4), "");
}

TEST(CliText, TimesAreToldAsPeopleTellThem) {
  const WallTime at = from_iso("2026-11-15T09:12:00.000Z").value();
  EXPECT_EQ(ago("2026-11-15T09:11:30.000Z", at), "just now");
  EXPECT_EQ(ago("2026-11-15T09:07:00.000Z", at), "5 min ago");
  EXPECT_EQ(ago("2026-11-14T09:12:00.000Z", at), "24 h ago");
  EXPECT_EQ(ago("2026-11-01T09:12:00.000Z", at), "14 d ago");
  EXPECT_EQ(ago("2026-11-16T09:12:00.000Z", at), "just now") << "a clock that is ahead";
  EXPECT_EQ(ago("nonsense", at), "nonsense");
  EXPECT_EQ(short_time("2026-11-15T09:12:00.000Z"), "2026-11-15 09:12");
}

TEST(CliText, MatchesAreShownByCharactersNotBytes) {
  EXPECT_EQ(highlighted("größer Hund", {{7, 4}}), "größer \x1b[1mHund\x1b[0m");
  EXPECT_EQ(highlighted("ab", {{0, 1}, {1, 1}}), "\x1b[1ma\x1b[0m\x1b[1mb\x1b[0m");
  EXPECT_EQ(highlighted("ab", {{5, 2}, {1}}), "ab");
  EXPECT_EQ(highlighted("ab", {{1, 99}}), "a\x1b[1mb\x1b[0m");
}

}  // namespace
}  // namespace rouse::cli
