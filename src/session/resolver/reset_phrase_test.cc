#include "session/resolver/reset_phrase.h"

#include <string>

#include <gtest/gtest.h>

namespace rouse {
namespace {

std::string found(std::string_view message) {
  const auto phrase = find_reset_phrase(message);
  if (!phrase) return "nothing";
  return std::string(phrase->phrase) + (phrase->alone ? "" : " …");
}

// S1-36
TEST(ResetPhrase, EveryPhraseOfTheSeedAloneResets) {
  for (const std::string phrase : {"new task", "start over", "reset", "forget that", "new project",
                                   "clear history", "start fresh", "new conversation"}) {
    EXPECT_EQ(found(phrase), phrase);
    EXPECT_EQ(found("  " + phrase + "\n"), phrase);
  }
}

// U11
TEST(ResetPhrase, CasePunctuationAndPolitenessDontMatter) {
  EXPECT_EQ(found("RESET"), "reset");
  EXPECT_EQ(found("Reset!"), "reset");
  EXPECT_EQ(found("Ok, please reset."), "reset");
  EXPECT_EQ(found("please start over, thanks"), "start over");
  EXPECT_EQ(found("Hey — let's start fresh…"), "start fresh");
  EXPECT_EQ(found("let’s start over"), "start over");
  EXPECT_EQ(found("reset 🙏"), "reset");
  EXPECT_EQ(found("“new task”"), "new task");
  EXPECT_EQ(found("new\ntask"), "new task");
}

TEST(ResetPhrase, TwoWordsAtTheStartOfALongerMessageResetAndLeaveTheRest) {
  EXPECT_EQ(found("new task: find a flight to Rome"), "new task …");
  EXPECT_EQ(found("start over with the second plan"), "start over …");
  EXPECT_EQ(found("ok, new project, please. It is about bees"), "new project …");
}

TEST(ResetPhrase, AWordInsideOtherTextIsJustAWord) {
  EXPECT_EQ(found("reset my password"), "nothing");
  EXPECT_EQ(found("how do I reset the router?"), "nothing");
  EXPECT_EQ(found("resetting"), "nothing");
  EXPECT_EQ(found("I want to start over"), "nothing");
  EXPECT_EQ(found("a new task for you"), "nothing");
  EXPECT_EQ(found("newtask"), "nothing");
  EXPECT_EQ(found("preset"), "nothing");
}

TEST(ResetPhrase, ManyPoliteWordsAreNotLookedThrough) {
  std::string polite = "reset";
  for (int i = 0; i < 1000; ++i) polite += " please";
  EXPECT_EQ(found(polite), "nothing");
}

TEST(ResetPhrase, NothingIsFoundInNothing) {
  EXPECT_EQ(found(""), "nothing");
  EXPECT_EQ(found("   "), "nothing");
  EXPECT_EQ(found("!!!"), "nothing");
  EXPECT_EQ(found("\xF0\x9F"), "nothing") << "cut in the middle of a character";
  EXPECT_EQ(found("مرحبا reset"), "nothing");
}

}  // namespace
}  // namespace rouse
