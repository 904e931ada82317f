#include "app/cli/chat_screen.h"

#include <gtest/gtest.h>

namespace rouse::cli {
namespace {

SseEvent event(std::string name, std::string data) {
  return {std::move(name), std::move(data), ""};
}

std::string play(ChatScreen& screen, const std::vector<SseEvent>& events) {
  std::string out;
  for (const SseEvent& one : events) {
    const auto text = screen.take(one);
    EXPECT_TRUE(text) << text.error();
    if (text) out += *text;
  }
  return out;
}

std::string done(const std::string& response, const std::string& verdict = "spoke",
                 const std::string& reason = "") {
  ChatAnswer answer;
  answer.session_id = "terminal:default";
  answer.response = response;
  answer.turn_id = "turn_1";
  answer.verdict = verdict;
  answer.reason = reason;
  return encode_json(answer);
}

const SseEvent kTurn = event("turn", R"({"turn_id":"turn_1","session_id":"s"})");
SseEvent delta(int block, const std::string& text) {
  return event("delta",
               fmt::format(R"({{"attempt":1,"block":{},"offset":0,"text":"{}"}})", block, text));
}

// S4-26
TEST(ChatLine, CommandsAreWordsAfterASlashAndNothingElse) {
  EXPECT_EQ(kind_of_line("  "), LineKind::kNothing);
  EXPECT_EQ(kind_of_line("hello"), LineKind::kSay);
  EXPECT_EQ(kind_of_line("/help"), LineKind::kHelp);
  EXPECT_EQ(kind_of_line(" /CLEAR "), LineKind::kClear);
  EXPECT_EQ(kind_of_line("/new"), LineKind::kClear);
  EXPECT_EQ(kind_of_line("/history"), LineKind::kHistory);
  EXPECT_EQ(kind_of_line("/cancel"), LineKind::kCancel);
  EXPECT_EQ(kind_of_line("/quit"), LineKind::kQuit);
  EXPECT_EQ(kind_of_line("/claer"), LineKind::kUnknown);
  EXPECT_EQ(kind_of_line("/etc/hosts"), LineKind::kSay);
  EXPECT_EQ(kind_of_line("/clear the table"), LineKind::kSay);
  EXPECT_EQ(kind_of_line("/"), LineKind::kSay);
}

TEST(ChatScreen, APersonSeesTheAnswerComeAndOnlyOnce) {
  ChatScreen screen(Watcher::kPerson);
  const std::string out = play(
      screen, {kTurn, delta(0, "Hello "), delta(0, "there"), event("done", done("Hello there"))});
  EXPECT_EQ(out, "Hello there\n");
  EXPECT_EQ(screen.turn(), "turn_1");
  EXPECT_EQ(screen.answer()->verdict, "spoke");
}

TEST(ChatScreen, AProgramGetsTheCommittedWordsOnly) {
  ChatScreen screen(Watcher::kProgram);
  EXPECT_EQ(play(screen, {kTurn, delta(0, "Hel"), event("again", R"({"attempt":2})"),
                          delta(0, "Hello"), event("tool_call", R"({"tool":"x","call_id":"1"})"),
                          event("done", done("Hello", "failed", "model_timeout"))}),
            "Hello\n");
}

TEST(ChatScreen, WhatIsVoidIsSaidToBe) {
  ChatScreen screen(Watcher::kPerson);
  const std::string out = play(screen, {kTurn, delta(0, "Wro"), event("again", R"({"attempt":2})"),
                                        delta(0, "Right"), event("done", done("Right"))});
  EXPECT_TRUE(out.starts_with("Wro\n")) << out;
  EXPECT_TRUE(out.ends_with("\nRight\n")) << out;
}

TEST(ChatScreen, WhatWasCommittedIsShownIfItIsNotWhatWasStreamed) {
  ChatScreen screen(Watcher::kPerson);
  const std::string out = play(
      screen, {kTurn, delta(0, "I beg"), event("done", done("The model failed.", "failed", "x"))});
  EXPECT_NE(out.find("\nThe model failed.\n"), std::string::npos) << out;
  EXPECT_NE(out.find("(failed: x)"), std::string::npos) << out;
}

TEST(ChatScreen, BlocksAndToolsStandOnLinesOfTheirOwn) {
  ChatScreen screen(Watcher::kPerson);
  const std::string out = play(
      screen,
      {kTurn, delta(0, "Let me look."), event("tool_call", R"({"tool":"look_up","call_id":"1"})"),
       event("tool_result", R"({"tool":"look_up","call_id":"1","failed":false,"text":""})"),
       delta(1, "Blue."), event("done", done("Blue."))});
  EXPECT_EQ(out, "Let me look.\n\x1b[2m· look_up\x1b[0m\nBlue.\n");
}

TEST(ChatScreen, NothingThatIsSaidSteersTheTerminal) {
  ChatScreen screen(Watcher::kPerson);
  const std::string out =
      play(screen, {kTurn, delta(0, "a\\u001b[2Jb"), event("done", done("a\x1b[2Jb"))});
  EXPECT_EQ(out, "a[2Jb\n");
}

TEST(ChatScreen, AnErrorOfTheServerIsAnError) {
  ChatScreen screen(Watcher::kPerson);
  const auto out = screen.take(event("error", R"({"error":"x","message":"too busy"})"));
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error().message, "too busy");
}

TEST(ChatScreen, WhatItDoesNotKnowItLeavesAlone) {
  ChatScreen screen(Watcher::kPerson);
  EXPECT_EQ(play(screen, {event("usage", "{}"), event("future", "whatever")}), "");
}

}  // namespace
}  // namespace rouse::cli
