#include "session/silence.h"

#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"

namespace rouse {
namespace {

Heard beat(std::string_view answer, std::size_t ack_max = 0) {
  return judge_silence(SilenceRule::kHeartbeat, answer, ack_max);
}

// HB-1, S2-29
TEST(Silence, AHeartbeatsTokenInAnyClothesIsSilent) {
  for (const char* answer : {"HEARTBEAT_OK",
                             "heartbeat_ok",
                             "Heartbeat_Ok.",
                             "  HEARTBEAT_OK\n",
                             "**HEARTBEAT_OK**",
                             "`HEARTBEAT_OK`",
                             "```\nHEARTBEAT_OK\n```",
                             "\"HEARTBEAT_OK\"",
                             "<b>HEARTBEAT_OK</b>",
                             "<p class=\"x\">HEARTBEAT_OK</p>",
                             "HEARTBEAT OK",
                             "HEARTBEAT-OK",
                             "heartbeat ok",
                             "HEART\u00ADBEAT_OK",
                             "HEARTBEAT\u200B_OK",
                             "HEARTBEAT\\_OK",
                             "H E A R T B E A T _ O K",
                             "✅ HEARTBEAT_OK 👍",
                             "> HEARTBEAT_OK",
                             "# HEARTBEAT_OK",
                             "- HEARTBEAT_OK",
                             "“HEARTBEAT_OK”",
                             "ＨＥＡＲＴＢＥＡＴ＿ＯＫ",
                             "&nbsp;HEARTBEAT_OK",
                             "NO_REPLY",
                             "no_reply",
                             "No reply.",
                             "HEARTBEAT_OK HEARTBEAT_OK",
                             "HEARTBEAT_OK NO_REPLY",
                             "_HEARTBEAT_OK_",
                             "~~HEARTBEAT_OK~~"}) {
    const Heard heard = beat(answer);
    EXPECT_TRUE(heard.silent) << answer;
    EXPECT_EQ(heard.outcome, "silent_token") << answer;
    EXPECT_EQ(heard.text, "") << answer;
  }
}

// HB-1
TEST(Silence, WordsThatOnlySayThatNothingIsMeanNothing) {
  for (const char* answer :
       {"All clear.", "Nothing to report", "*Nothing needs attention.* ✅",
        "All clear. HEARTBEAT_OK", "HEARTBEAT_OK - all good, no action needed.",
        "checked, nothing to report"}) {
    EXPECT_TRUE(beat(answer).silent) << answer;
  }
  for (const char* answer :
       {"All clear but the disk is full", "Nothing to report from Bob's server",
        "No issues with the build? It failed."}) {
    EXPECT_FALSE(beat(answer).silent) << answer;
  }
}

TEST(Silence, AnEmptyAnswerIsSilentToo) {
  for (const char* answer : {"", " \n", "\u200B", "```\n```", "👍", "<br>", "..."}) {
    EXPECT_EQ(beat(answer).outcome, "silent_empty") << answer;
  }
}

TEST(Silence, WhatSpeaksLosesItsTokenAndNothingElse) {
  EXPECT_EQ(beat("The backup failed. HEARTBEAT_OK").text, "The backup failed.");
  EXPECT_EQ(beat("**HEARTBEAT_OK** The backup failed.").text, "The backup failed.");
  EXPECT_EQ(beat("The backup `HEARTBEAT_OK` failed").text, "The backup failed");
  EXPECT_EQ(beat("HEARTBEAT_HEARTBEAT_OK_OK failed").silent, false);
  EXPECT_FALSE(has_token(beat("HEARTBEAT_HEARTBEAT_OK_OK failed").text));
  for (const char* answer :
       {"Mail from noreply@example.com and no-reply@example.com bounced",
        "There is no reply from Anna", "Status: NO REPLY from Anna", "HEARTBEAT_OKAY is unknown",
        "The heartbeat is ok again after an hour", "no_reply@example.com is full", "表示 3 件"}) {
    EXPECT_EQ(beat(answer).text, answer);
    EXPECT_EQ(beat(answer).outcome, "spoke");
  }
}

TEST(Silence, AFewLettersBesideTheTokenAreAllowedIfSomebodySaysSo) {
  EXPECT_FALSE(beat("HEARTBEAT_OK, see you").silent);
  EXPECT_TRUE(beat("HEARTBEAT_OK, see you", 6).silent);
  EXPECT_FALSE(beat("HEARTBEAT_OK, see you", 5).silent);
  EXPECT_TRUE(beat("see you! HEARTBEAT_OK", 6).silent);
  EXPECT_TRUE(beat("NO_REPLY, see you", 6).silent);
  EXPECT_FALSE(beat("The server is down, no reply", 100).silent);  // words of an alert
  EXPECT_FALSE(beat("see HEARTBEAT_OK you", 6).silent);  // neither at the start nor at the end
}

// U3
TEST(Silence, PeopleAreNeverMetWithSilence) {
  const Heard user = judge_silence(silence_rule(TurnKind::kUser), "HEARTBEAT_OK");
  EXPECT_FALSE(user.silent);
  EXPECT_EQ(user.text, "HEARTBEAT_OK");
  for (const TurnKind kind :
       {TurnKind::kAutomation, TurnKind::kHeartbeatWake, TurnKind::kApproval}) {
    EXPECT_FALSE(judge_silence(silence_rule(kind), "HEARTBEAT_OK").silent);
    EXPECT_EQ(judge_silence(silence_rule(kind), "Done. HEARTBEAT_OK").text, "Done.");
    EXPECT_EQ(judge_silence(silence_rule(kind), "Nothing to report").text, "Nothing to report");
  }
}

TEST(Silence, AnOpenedSessionIsSilentWithItsTokenAnywhere) {
  const SilenceRule rule = silence_rule(TurnKind::kSessionOpen);
  for (const char* answer : {"WAKEUP_SILENT", "I think WAKEUP_SILENT fits.", "*wakeup_silent*",
                             "wakeup silent", "NO_REPLY then WAKEUP_SILENT"}) {
    EXPECT_TRUE(judge_silence(rule, answer).silent) << answer;
  }
  EXPECT_TRUE(judge_silence(rule, "").silent);
  EXPECT_FALSE(judge_silence(rule, "Good morning! I'll wake up, silent as ever.").silent);
}

// Pieces in any order: nothing silent says more than it may, nothing that speaks has a token left,
// and judging twice changes nothing.
TEST(Silence, HoldsForAnythingThatIsPutTogether) {
  constexpr std::array<std::string_view, 26> kPieces{"HEARTBEAT_OK",
                                                     "heartbeat",
                                                     "_",
                                                     "OK",
                                                     "ok",
                                                     " ",
                                                     "NO_REPLY",
                                                     "no",
                                                     "reply",
                                                     "\u00AD",
                                                     "\u200B",
                                                     "*",
                                                     "**",
                                                     "`",
                                                     "<b>",
                                                     "</b>",
                                                     "The disk is full",
                                                     "WAKEUP_SILENT",
                                                     "-",
                                                     ".",
                                                     "\n",
                                                     "HEART",
                                                     "BEAT",
                                                     "é",
                                                     "All clear",
                                                     "@"};
  SeededRandom random(5);
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (std::uint64_t n = random.below(9); n > 0; --n) {
      text += kPieces.at(static_cast<std::size_t>(random.below(kPieces.size())));
    }
    for (const auto rule :
         {SilenceRule::kNever, SilenceRule::kSessionOpen, SilenceRule::kHeartbeat}) {
      const Heard heard = judge_silence(rule, text);
      EXPECT_FALSE(has_token(heard.text)) << text;
      const Heard again = judge_silence(rule, heard.text);
      EXPECT_EQ(again.text, again.silent ? "" : heard.text) << text;
      const bool loud = bare_letters(text).find("thediskisfull") != std::string::npos;
      if (rule == SilenceRule::kHeartbeat && loud) EXPECT_FALSE(heard.silent) << text;
    }
  }
}

}  // namespace
}  // namespace rouse
