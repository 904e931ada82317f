#include "model/offline/understand.h"

#include <array>

#include <gtest/gtest.h>

namespace rouse::offline {
namespace {

struct WishCase {
  const char* message;
  Wish wish;
  const char* subject = "";
};

class Understanding : public testing::TestWithParam<WishCase> {};

TEST_P(Understanding, FindsTheWish) {
  const Intent intent = understand(GetParam().message);
  EXPECT_EQ(static_cast<int>(intent.wish), static_cast<int>(GetParam().wish)) << GetParam().message;
  EXPECT_EQ(intent.subject, GetParam().subject) << GetParam().message;
}

using enum Wish;

INSTANTIATE_TEST_SUITE_P(
    SmallTalk, Understanding,
    testing::Values(WishCase{"", kNothing}, WishCase{"  ?! ", kNothing}, WishCase{"hi", kGreeting},
                    WishCase{"Hello there!", kGreeting}, WishCase{"Hey rouse", kGreeting},
                    WishCase{"GOOD MORNING", kGreeting}, WishCase{"hi, how are you?", kHowAreYou},
                    WishCase{"Thanks!", kThanks}, WishCase{"thank you very much.", kThanks},
                    WishCase{"bye", kGoodbye}, WishCase{"Good night!", kGoodbye},
                    WishCase{"Who are you?", kWhoAreYou}, WishCase{"what's your name", kWhoAreYou},
                    WishCase{"are you a real AI?", kWhoAreYou},
                    WishCase{"Please introduce yourself.", kWhoAreYou}, WishCase{"help", kHelp},
                    WishCase{"What can you do?", kHelp}, WishCase{"hi, what can you do", kHelp},
                    WishCase{"How do I connect a real model?", kConnectModel},
                    WishCase{"can I use Claude?", kConnectModel},
                    WishCase{"how can I set an API key", kConnectModel}));

INSTANTIATE_TEST_SUITE_P(
    ThePerson, Understanding,
    testing::Values(WishCase{"my name is Ada", kTellSelf}, WishCase{"I like green tea.", kTellSelf},
                    WishCase{"Remember that my car is in lot 5", kRemember, "my car is in lot 5"},
                    WishCase{"please remember: the code is X7", kRemember, "the code is X7"},
                    WishCase{"Can you note that I parked on Main Street?", kRemember,
                             "I parked on Main Street"},
                    WishCase{"What do you know about me?", kAskKnown},
                    WishCase{"what is my favourite colour?", kAskKnown, "favourite colour"},
                    WishCase{"what's my name?", kAskName}, WishCase{"Who am I?", kAskName},
                    WishCase{"do you remember my name", kAskName}));

INSTANTIATE_TEST_SUITE_P(
    Tasks, Understanding,
    testing::Values(WishCase{"add a task: buy milk", kAddTask, "buy milk"},
                    WishCase{"Add a task to call the bank", kAddTask, "call the bank"},
                    WishCase{"add Eggs to my list, please", kAddTask, "Eggs"},
                    WishCase{"todo: water the plants", kAddTask, "water the plants"},
                    WishCase{"my tasks", kListTasks}, WishCase{"What do I have to do?", kListTasks},
                    WishCase{"done with the milk", kFinishTask, "the milk"},
                    WishCase{"I'm done with task 3", kFinishTask, "3"},
                    WishCase{"mark Buy milk as done", kFinishTask, "Buy milk"},
                    WishCase{"mark my words", kUnknown}, WishCase{"I did it", kUnknown},
                    WishCase{"claim task #3", kClaimTask, "#3"},
                    WishCase{"Close task 3 because it is obsolete", kCloseTask, "3"},
                    WishCase{"please cancel the task buy milk", kCloseTask, "buy milk"}));

// Each with the tool's arguments as they were written.
INSTANTIATE_TEST_SUITE_P(
    Hands, Understanding,
    testing::Values(
        WishCase{"run `make test`", kShell, "make test"},
        WishCase{"Please run `echo  \"A  b.\"` now", kShell, "echo  \"A  b.\""},
        WishCase{"$ ls -la ./src", kShell, "ls -la ./src"},
        WishCase{"run the command: ls -la .", kShell, "ls -la ."},
        WishCase{"run a marathon", kUnknown},
        WishCase{"fetch https://example.com/a?b=C.", kFetch, "https://example.com/a?b=C"},
        WishCase{"what does <https://example.com> say?", kFetch, "https://example.com"},
        WishCase{"https://example.com", kFetch, "https://example.com"},
        WishCase{"remember that https://example.com is nice", kRemember,
                 "https://example.com is nice"},
        WishCase{"read the file notes.txt", kReadFile, "notes.txt"},
        WishCase{"Read ./Notes.TXT, please.", kReadFile, "./Notes.TXT"},
        WishCase{"show me .env", kReadFile, ".env"},
        WishCase{"what's in the file README?", kReadFile, "README"},
        WishCase{"read my mind", kUnknown}, WishCase{"show me 3.5", kUnknown},
        WishCase{"list files", kListFiles},
        WishCase{"what files are in docs/adr?", kListFiles, "docs/adr"},
        WishCase{"write Hello, World! to the file notes.txt", kWriteFile, "notes.txt"},
        WishCase{"write me a poem to read", kUnknown},
        WishCase{"write an email to bob@example.com", kUnknown},
        WishCase{"create a file called a.txt with the text hi there", kWriteFile, "a.txt"},
        WishCase{"which skills do you have?", kListSkills},
        WishCase{"load the skill weekly-report", kLoadSkill, "weekly-report"},
        WishCase{"use the Tea skill", kLoadSkill, "Tea"},
        WishCase{"notify me that the tea is ready", kNotify, "the tea is ready"},
        WishCase{"notify me when it rains", kUnknown},
        WishCase{"From now on, answer in German.", kInstruct, "answer in German"},
        WishCase{"never use emojis", kInstruct, "never use emojis"},
        WishCase{"from now on I will be nice", kUnknown}));

TEST(Understanding, TakesTheTextOfAFileAsItWasWritten) {
  EXPECT_EQ(understand("write Hello,  World! to the file notes.txt").text, "Hello,  World!");
  EXPECT_EQ(understand("write \"go to x\" to a/b.txt").text, "go to x");
  EXPECT_EQ(understand("save it into the file x").text, "it");
  EXPECT_EQ(understand("create a file a.txt with hi there").text, "hi there");
  EXPECT_EQ(understand("close task 3 because it is obsolete").text, "it is obsolete");
}

INSTANTIATE_TEST_SUITE_P(
    SumsAndTime, Understanding,
    testing::Values(WishCase{"what is 12 * (3 + 4)?", kSum, "12 * (3 + 4)"},
                    WishCase{"hey rouse, could you calculate 15% of 80", kSum, "15% of 80"},
                    WishCase{"3/0", kSum, "3/0"}, WishCase{"What time is it?", kTime},
                    WishCase{"what time is it in Tokyo", kTime, "Tokyo"},
                    WishCase{"what's the time in New York right now?", kTime, "New York"},
                    WishCase{"time", kTime}, WishCase{"What day is it today?", kDate},
                    WishCase{"what's the date", kDate},
                    WishCase{"what day is tomorrow?", kDate, "tomorrow"},
                    WishCase{"tell me the date in Sydney", kDate, "Sydney"}));

INSTANTIATE_TEST_SUITE_P(
    Automations, Understanding,
    testing::Values(
        WishCase{"remind me in 20 minutes to stretch", kSchedule, "stretch"},
        WishCase{"Remind me to call Mum in 2 hours", kSchedule, "call Mum"},
        WishCase{"please remind me tomorrow at 9 about the dentist", kSchedule, "the dentist"},
        WishCase{"in half an hour remind me to check the oven", kSchedule, "check the oven"},
        WishCase{"every weekday at 9 send me the news", kSchedule, "send me the news"},
        WishCase{"Every weekday at 9, remind me to plan the day", kSchedule, "plan the day"},
        WishCase{"check the mail every hour", kSchedule, "check the mail"},
        WishCase{"remind me to call Mum", kSchedule, "call Mum"},
        WishCase{"remind me in 5 minutes", kSchedule, ""}, WishCase{"in 20 minutes", kBareWhen},
        WishCase{"tomorrow at 8", kBareWhen}, WishCase{"in 2 days I will travel", kUnknown},
        WishCase{"what happens every day at 9?", kUnknown},
        WishCase{"wake me at 7", kSchedule, "wake up"},
        WishCase{"schedule a meeting with Bob tomorrow at 3", kSchedule, "a meeting with Bob"},
        WishCase{"good morning! what is scheduled today?", kListSchedule},
        WishCase{"why didn't you remind me?", kWhyNot, "reminder"},
        WishCase{"What is scheduled?", kListSchedule}, WishCase{"my reminders", kListSchedule},
        WishCase{"cancel my reminder about the dentist", kChangeSchedule, "the dentist"},
        WishCase{"cancel the dentist reminder", kChangeSchedule, "dentist"},
        WishCase{"delete reminder \"tea\"", kChangeSchedule, "tea"},
        WishCase{"stop reminding me to stretch", kChangeSchedule, "stretch"},
        WishCase{"pause the automation [1a2b3c4d]", kChangeSchedule, "1a2b3c4d"},
        WishCase{"cancel the task tea", kCloseTask, "tea"}, WishCase{"stop the music", kUnknown},
        WishCase{"What did you do today?", kActivity}, WishCase{"what did I miss?", kActivity},
        WishCase{"why did the morning report not run?", kWhyNot, "morning report"},
        WishCase{"Why didn't the backup run today", kWhyNot, "backup"},
        WishCase{"why was my reminder skipped?", kWhyNot, "reminder"},
        WishCase{"why is the sky blue", kUnknown}));

INSTANTIATE_TEST_SUITE_P(
    TheConversation, Understanding,
    testing::Values(WishCase{"search our conversations for the invoice", kSearch, "invoice"},
                    WishCase{"find invoices in our conversations", kSearch, "invoices"},
                    WishCase{"what did I tell you about Berlin?", kSearch, "Berlin"},
                    WishCase{"did we talk about boats", kSearch, "boats"},
                    WishCase{"search the web for boats", kUnknown},
                    WishCase{"and what did I say before?", kSaidBefore},
                    WishCase{"What was my last question?", kSaidBefore},
                    WishCase{"what was my first question?", kSaidFirst},
                    WishCase{"say that again", kAnswerBefore},
                    WishCase{"what was the first thing I said?", kSaidFirst},
                    WishCase{"write me a poem about the sea", kUnknown},
                    WishCase{"my computer is broken", kUnknown}));

INSTANTIATE_TEST_SUITE_P(
    Newcomers, Understanding,
    testing::Values(WishCase{"I'm Ada", kTellSelf}, WishCase{"what are my open tasks?", kListTasks},
                    WishCase{"What is open?", kListTasks},
                    WishCase{"what's left to do", kListTasks},
                    WishCase{"what did you say first?", kAnswerFirst},
                    WishCase{"What was the first thing you said?", kAnswerFirst},
                    WishCase{"What was the first thing I said?", kSaidFirst},
                    WishCase{"set a timer for 10 minutes", kSchedule, "look: the timer is over"},
                    WishCase{"please start a 10 minute timer", kSchedule,
                             "look: the timer is over"},
                    WishCase{"Timer 5 min", kSchedule, "look: the timer is over"},
                    WishCase{"set a timer for 3 minutes for the eggs", kSchedule, "the eggs"},
                    WishCase{"set a timer", kUnknown}, WishCase{"what is a timer?", kUnknown}));

TEST(Understanding, AMessageOfManyPagesIsNoCommand) {
  EXPECT_EQ(understand("remember that " + std::string(5000, 'x')).wish, kUnknown);
}

// Any mixture of the words it knows ends, and ends in a wish.
TEST(Understanding, NoMixtureOfWordsBreaksIt) {
  constexpr std::array<std::string_view, 40> kWords{"remind",
                                                    "me",
                                                    "in",
                                                    "every",
                                                    "at",
                                                    "9",
                                                    "5pm",
                                                    "to",
                                                    "my name is",
                                                    "I like",
                                                    "and i",
                                                    "\"",
                                                    "’",
                                                    "…",
                                                    "?",
                                                    ",",
                                                    "monday",
                                                    "12:",
                                                    "half",
                                                    "an hour",
                                                    "search",
                                                    "for",
                                                    "add a",
                                                    "task",
                                                    "done with",
                                                    "why did",
                                                    "run",
                                                    "\xFF",
                                                    "€",
                                                    "(",
                                                    "what time is it",
                                                    "remember that",
                                                    "run",
                                                    "`",
                                                    "https://x.y",
                                                    "write",
                                                    "to the file",
                                                    "a/b.c",
                                                    "load the skill",
                                                    "notify me"};
  std::uint64_t state = 1;
  for (int round = 0; round < 5000; ++round) {
    std::string text;
    for (int i = 0; i < 10; ++i) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      text += kWords.at((state >> 40) % kWords.size());
      if ((state >> 60) != 0) text += ' ';
    }
    EXPECT_NE(understand(text).wish, kNothing) << text;
  }
}

// --- what is learned
// ------------------------------------------------------------------------------

std::string learned_words(std::string_view message) {
  const Learned learned = learned_from(message);
  std::string out = learned.name;
  for (const PersonFact& fact : learned.facts) out += "|" + fact.for_memory + " " + fact.said_back;
  return out;
}

TEST(Learned, NamesAndPreferencesInManyWords) {
  for (const auto& [message, wanted] : {
           std::pair{"My name is Ada", "Ada"},
           {"my name's ada lovelace", "Ada"},
           {"My name is Ada Lovelace, nice to meet you", "Ada Lovelace"},
           {"Hi, I'm Zoë!", "Zoë"},
           {"call me Bob please", "Bob"},
           {"You can call me Jean-Luc.", "Jean-Luc"},
           {"I like green tea", "|The user likes green tea. you like green tea"},
           {"I don't like my job.", "|The user doesn't like their job. you don't like your job"},
           {"Hello, my name is Ada and I prefer short answers",
            "Ada|The user prefers short answers. you prefer short answers"},
           {"I'm Ada. I live in Paris. My favourite colour is blue!",
            "Ada|The user lives in Paris. you live in Paris|The user's favourite colour is blue. "
            "your favourite colour is blue"},
           {"I am a teacher", "|The user is a teacher. you are a teacher"},
       }) {
    EXPECT_EQ(learned_words(message), wanted) << message;
  }
}

TEST(Learned, NothingFromWhatOnlyLooksLikeIt) {
  for (const char* message :
       {"I'm fine", "call me later", "my name is not important", "I like it", "I'd like some help",
        "I'm going home", "is my name Ada?", "do I like tea?", "this is a test", "I am a bit tired",
        "I'm German by birth", ""}) {
    EXPECT_EQ(learned_words(message), "") << message;
  }
}

TEST(Learned, StrayQuotesEndNothing) {
  EXPECT_EQ(learned_words("with \" and i like tea"), "|The user likes tea. you like tea");
  EXPECT_EQ(learned_words("\" and i \" and i \" and my \""), "");
}

TEST(Learned, AnAnswerTellsTheNameAndHowAnswersAreLiked) {
  const auto told = [](std::string_view message) {
    const Learned learned = learned_in_answer(message);
    return learned.name + "|" + (learned.facts.empty() ? "" : learned.facts[0].said_back);
  };
  EXPECT_EQ(told("Ada, short answers please"), "Ada|you prefer short answers");
  EXPECT_EQ(told("I'm Ada, keep it brief"), "Ada|you prefer brief answers");
  EXPECT_EQ(told("My name is Ada and short answers please"), "Ada|you prefer short answers");
  EXPECT_EQ(told("Ada. Friendly and detailed."), "Ada|you prefer friendly and detailed answers");
  EXPECT_EQ(told("short, but friendly"), "|you prefer short, but friendly answers");
  EXPECT_EQ(told("Ada and I like tea"), "Ada|you like tea");
  EXPECT_EQ(told("Ada Lovelace"), "Ada Lovelace|");
  EXPECT_EQ(told("Nothing, thanks"), "|");
  EXPECT_EQ(told("why, are short answers better?"), "|");
}

TEST(Learned, ABareAnswerMayBeAName) {
  EXPECT_EQ(name_in_answer("Ada"), "Ada");
  EXPECT_EQ(name_in_answer("ada"), "Ada");
  EXPECT_EQ(name_in_answer("It's Ada Lovelace."), "Ada Lovelace");
  EXPECT_EQ(name_in_answer("no"), "");
  EXPECT_EQ(name_in_answer("what do you mean by that"), "");
  EXPECT_EQ(name_in_answer("42 + 1"), "");
}

// --- when ----------------------------------------------------------------------------------------

std::string when_words(std::string_view text) {
  const auto found = find_when(text);
  if (!found) return "-";
  const When& when = found->when;
  std::string out = when.words + " |";
  if (when.after) out += " after " + to_words(*when.after);
  if (when.every_seconds) out += " every " + std::to_string(*when.every_seconds);
  if (!when.cron.empty()) out += " " + when.cron;
  return out;
}

TEST(WhenWords, AreUnderstoodAsPeopleSayThem) {
  for (const auto& [text, wanted] : {
           std::pair{"in 20 minutes", "in 20 minutes | after 20 min"},
           {"in an hour", "in 1 hour | after 1 h"},
           {"in half an hour", "in half an hour | after 30 min"},
           {"in two weeks", "in 2 weeks | after 14 d"},
           {"every weekday at 9", "every weekday at 09:00 | 0 9 * * 1-5"},
           {"every day at 7:30 am", "every day at 07:30 | 30 7 * * *"},
           {"daily at 5pm", "every day at 17:00 | 0 17 * * *"},
           {"every day at 5", "every day at 17:00 | 0 17 * * *"},
           {"every morning", "every day at 08:00 | 0 8 * * *"},
           {"every monday and thursday at noon",
            "every Monday and Thursday at 12:00 | 0 12 * * 1,4"},
           {"every sunday", "every Sunday at 09:00 | 0 9 * * 0"},
           {"at 9 every day", "every day at 09:00 | 0 9 * * *"},
           {"every 2 hours", "every 2 hours | every 7200"},
           {"every minute", "every minute | every 60"},
           {"tomorrow", "tomorrow at 09:00 |"},
           {"tomorrow evening", "tomorrow at 20:00 |"},
           {"at 12am", "at 00:00 |"},
           {"on friday at 10:30", "on Friday at 10:30 |"},
           {"tonight at 9", "today at 21:00 |"},
           {"in berlin", "-"},
           {"at home", "-"},
           {"every time", "-"},
           {"at 25", "-"},
           {"in 99999999999999 hours", "-"},
           {"may the sun shine", "-"},
       }) {
    EXPECT_EQ(when_words(text), wanted) << text;
  }
}

TEST(WhenWords, BecomeInstantsInTheZone) {
  const WallTime now = *from_iso("2026-11-15T10:00:00.000Z");  // Sunday, 11:00 in Berlin
  for (const auto& [text, wanted] : {
           std::pair{"in 20 minutes", "2026-11-15T10:20:00.000Z"},
           {"at 12:30", "2026-11-15T11:30:00.000Z"},
           {"at 9", "2026-11-16T08:00:00.000Z"},
           {"tomorrow at 9", "2026-11-16T08:00:00.000Z"},
           {"on sunday at 10", "2026-11-22T09:00:00.000Z"},
           {"on sunday at 12", "2026-11-15T11:00:00.000Z"},
           {"next tuesday", "2026-11-17T08:00:00.000Z"},
           {"tonight", "2026-11-15T19:00:00.000Z"},
       }) {
    const auto found = find_when(text);
    ASSERT_TRUE(found) << text;
    EXPECT_EQ(to_iso(instant_of(found->when, now, "Europe/Berlin")), wanted) << text;
  }
}

}  // namespace
}  // namespace rouse::offline
