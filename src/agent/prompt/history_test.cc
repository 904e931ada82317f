#include "agent/prompt/history.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "agent/prompt/text_cut.h"
#include "base/text.h"

namespace rouse {
namespace {

MessagePtr message(std::int64_t seq, std::string role, Content content,
                   std::string source = "websocket") {
  Message out;
  out.seq = seq;
  out.role = std::move(role);
  out.source = std::move(source);
  out.content = std::move(content);
  return std::make_shared<Message>(std::move(out));
}
MessagePtr says(std::int64_t seq, const std::string& role, std::string text) {
  return message(seq, role, text_content(std::move(text), kFromOwner));
}
ContentBlock call(const std::string& id, const std::string& tool = "t",
                  const std::string& arguments = "{}") {
  ContentBlock out;
  out.type = "tool_call";
  out.from = kFromAgent;
  out.call_id = id;
  out.tool = tool;
  out.arguments = arguments;
  return out;
}
ContentBlock result(const std::string& id, const std::string& text = "done") {
  ContentBlock out;
  out.type = "tool_result";
  out.from = kFromAgent;
  out.call_id = id;
  out.text = text;
  return out;
}
Transcript reversed(Transcript messages) {
  std::ranges::reverse(messages);
  return messages;
}

// --- messages of a prompt

TEST(History, TextGoesToItsRoleWithoutTimesAndIds) {
  auto prompt = to_prompt({says(1, "user", "hello"), says(2, "assistant", "hi")});
  ASSERT_EQ(prompt.size(), 2U);
  EXPECT_EQ(prompt[0].role, PromptRole::kUser);
  ASSERT_EQ(prompt[0].blocks.size(), 1U);
  EXPECT_EQ(prompt[0].blocks[0].kind, BlockKind::kText);
  EXPECT_EQ(prompt[0].blocks[0].text, "hello");
  EXPECT_EQ(prompt[1].role, PromptRole::kAssistant);
}

TEST(History, ResultsStandInAUserMessageRightBehindTheirCalls) {
  ContentBlock failed = result("b", "no such file");
  failed.failed = true;
  const auto prompt = to_prompt(
      {says(1, "user", "look"),
       message(2, "assistant", {text_content("Looking.", kFromAgent)[0], call("a"), call("b")}),
       message(3, "tool", {failed}), message(4, "tool", {result("a")}),
       says(5, "assistant", "Found.")});
  ASSERT_EQ(prompt.size(), 4U);
  ASSERT_EQ(prompt[1].blocks.size(), 3U);
  EXPECT_EQ(prompt[1].blocks[1].kind, BlockKind::kToolCall);
  EXPECT_EQ(prompt[2].role, PromptRole::kUser);
  ASSERT_EQ(prompt[2].blocks.size(), 2U);
  EXPECT_EQ(prompt[2].blocks[0].call_id, "a");
  EXPECT_EQ(prompt[2].blocks[0].text, "done");
  EXPECT_FALSE(prompt[2].blocks[0].failed);
  EXPECT_EQ(prompt[2].blocks[1].call_id, "b");
  EXPECT_TRUE(prompt[2].blocks[1].failed);
  EXPECT_EQ(prompt[3].blocks[0].text, "Found.");
}

TEST(History, ACallWithoutAResultIsOfUnknownOutcomeAndAResultWithoutACallIsLeftOut) {
  const auto prompt = to_prompt({says(1, "user", "x"), message(2, "tool", {result("z")}),
                                 message(3, "assistant", {call("a")}), says(4, "user", "y")});
  ASSERT_EQ(prompt.size(), 4U);
  EXPECT_EQ(prompt[2].blocks[0].text, "The outcome of this call is unknown.");
  EXPECT_TRUE(prompt[2].blocks[0].failed);
  EXPECT_EQ(prompt[3].blocks[0].text, "y");
}

TEST(History, AnIdThatCameBackInAnotherTurnIsMadeUnique) {
  Transcript tail;
  for (int i = 0; i < 3; ++i) {
    tail.push_back(says(3 * i + 1, "user", "again"));
    tail.push_back(message(3 * i + 2, "assistant", {call("call_1")}));
    tail.push_back(message(3 * i + 3, "tool", {result("call_1", std::to_string(i))}));
  }
  const auto prompt = to_prompt(tail);
  ASSERT_EQ(prompt.size(), 9U);
  EXPECT_EQ(prompt[4].blocks[0].call_id, "call_1_2");
  EXPECT_EQ(prompt[5].blocks[0].call_id, "call_1_2");
  EXPECT_EQ(prompt[5].blocks[0].text, "1");
  EXPECT_EQ(prompt[7].blocks[0].call_id, "call_1_3");
}

TEST(History, AGreetingHasSomethingBeforeIt) {  // S0-17: later turns see it
  const auto prompt =
      to_prompt({message(1, "assistant", text_content("Hello!", kFromAgent), "session_open"),
                 says(2, "user", "hi")});
  ASSERT_EQ(prompt.size(), 3U);
  EXPECT_EQ(prompt[0].role, PromptRole::kUser);
  EXPECT_EQ(prompt[0].blocks[0].text, "[The user opened the app; there is no user message.]");
  EXPECT_EQ(prompt[1].blocks[0].text, "Hello!");
}

TEST(History, PicturesAreAFewWordsUnlessTheirBytesAreThere) {
  ContentBlock image;
  image.type = "image";
  image.name = "cat.png";
  image.media_type = "image/png";
  image.size = 1234;
  ContentBlock file;
  file.type = "file";
  const Transcript tail = {message(1, "user", {image, file})};
  const auto words = to_prompt(tail);
  EXPECT_EQ(words[0].blocks[0].text, "[image: cat.png, image/png, 1234 bytes]");
  EXPECT_EQ(words[0].blocks[1].text, "[file]");
  const auto seen =
      to_prompt(tail, [](const ContentBlock&) { return std::optional<std::string>("PNG"); });
  EXPECT_EQ(seen[0].blocks[0].kind, BlockKind::kImage);
  EXPECT_EQ(seen[0].blocks[0].bytes, "PNG");
  EXPECT_EQ(seen[0].blocks[0].media_type, "image/png");
}

TEST(History, EmptyTextIsLeftOutAndANoteOfTheSystemIsMarked) {
  const auto prompt = to_prompt({says(1, "user", " \n"), says(2, "system", "It was restarted.")});
  ASSERT_EQ(prompt.size(), 1U);
  EXPECT_EQ(prompt[0].blocks[0].text, "[System note: It was restarted.]");
  EXPECT_TRUE(to_prompt({}).empty());
}

// --- the window

Transcript talk(std::int64_t count, std::size_t bytes = 10) {
  Transcript out;
  for (std::int64_t seq = 1; seq <= count; ++seq) {
    out.push_back(says(seq, seq % 2 == 1 ? "user" : "assistant", std::string(bytes, 'x')));
  }
  return reversed(std::move(out));
}

TEST(HistoryWindow, EverythingThatFitsIsShown) {
  EXPECT_EQ(tail_start(talk(119), {}), 1);
  EXPECT_EQ(tail_start(talk(1), {}), 1);
  EXPECT_EQ(tail_start({}, {}), std::nullopt);
}

TEST(HistoryWindow, AListThatBeginsAtABoundaryIsShownFromThere) {
  auto messages = talk(100);
  messages.resize(50);  // 51 and on: behind a reset, say
  EXPECT_EQ(tail_start(messages, {}), 51);
}

TEST(HistoryWindow, TheStartMovesInStepsSoThatThePrefixStays) {
  std::set<std::int64_t> starts;
  std::int64_t last = 0;
  for (std::int64_t count = 121; count <= 521; count += 2) {
    const auto start = tail_start(talk(count), {});
    ASSERT_TRUE(start);
    EXPECT_GE(*start, last);
    EXPECT_EQ(*start % 40, 1);
    EXPECT_LE(count - *start + 1, 120);
    EXPECT_GT(count - *start + 1, 80);
    last = *start;
    starts.insert(*start);
  }
  EXPECT_LE(starts.size(), 11U);
}

TEST(HistoryWindow, TheSameHoldsWhenTokensAreTheBound) {
  const HistoryLimits limits{.tokens = 3'000};  // about 30 messages of 350 bytes
  std::set<std::int64_t> starts;
  for (std::int64_t count = 101; count <= 301; count += 2) {
    const auto start = tail_start(talk(count, 350), limits);
    ASSERT_TRUE(start);
    EXPECT_LE((count - *start + 1) * history_tokens(*talk(1, 350)[0], limits), limits.tokens);
    EXPECT_GT(count - *start + 1, 14);
    starts.insert(*start);
  }
  EXPECT_LE(starts.size(), 22U);
}

TEST(HistoryWindow, AnExchangeLongerThanTheLimitsKeepsItsEnd) {
  Transcript long_one = {says(1, "user", "do it all")};
  for (std::int64_t i = 0; i < 100; ++i) {
    long_one.push_back(message(2 * i + 2, "assistant", {call(std::to_string(i))}));
    long_one.push_back(message(2 * i + 3, "tool", {result(std::to_string(i))}));
  }
  long_one.push_back(says(202, "assistant", "All done."));
  const auto tail = choose_tail(reversed(long_one), {});
  ASSERT_FALSE(tail.empty());
  EXPECT_LE(tail.size(), 120U);
  EXPECT_EQ(tail.front()->role, "assistant");
  const auto prompt = to_prompt(tail);
  EXPECT_EQ(prompt.front().blocks[0].text, "[What came before is left out.]");
  EXPECT_EQ(prompt.back().blocks[0].text, "All done.");
}

TEST(HistoryWindow, AMessageThatWouldCrowdOutTheOthersIsCutInItsMiddle) {
  const HistoryLimits limits{.tokens = 1'000};
  const MessagePtr long_one =
      message(2, "assistant",
              {text_content("BEGIN" + std::string(10'000, 'x') + "END", kFromAgent)[0],
               call("a", "write", R"({"text":")" + std::string(9'000, 'y') + "\"}")});
  const Message cut = *fitted(long_one, limits);
  EXPECT_TRUE(cut.content[0].text->starts_with("BEGIN"));
  EXPECT_TRUE(cut.content[0].text->ends_with("END"));
  EXPECT_NE(cut.content[0].text->find("bytes in the middle were left out"), std::string::npos);
  EXPECT_EQ(cut.content[1].arguments, R"({"left_out":"9011 bytes of arguments"})");
  EXPECT_LE(cut.content[0].text->size(), longest_message_bytes(limits));
  EXPECT_EQ(longest_message_bytes(limits), 875U);  // a quarter of 3500
  const MessagePtr short_one = says(1, "user", "hello");
  EXPECT_EQ(fitted(short_one, limits), short_one);
}

TEST(TextCut, NeverSplitsACharacterAndKeepsToItsBound) {
  std::string text;
  for (int i = 0; i < 200; ++i) text += "é😀x";
  for (std::size_t most = 60; most < text.size(); ++most) {
    const std::string cut = cut_middle(text, most);
    EXPECT_LE(cut.size(), most);
    EXPECT_TRUE(is_utf8(cut));
  }
  EXPECT_EQ(cut_middle(text, text.size()), text);
  EXPECT_EQ(first_characters("é😀x", 2), "é😀");
  EXPECT_EQ(first_characters("abc", 3), "abc");
  EXPECT_EQ(first_characters("", 3), "");
}

// --- what holds for any transcript

// Turns as they are stored: a question, rounds of calls and results, an answer; sometimes a
// greeting or a note of the system.
Transcript any_transcript() {
  Transcript out;
  const auto add = [&](const MessagePtr& said) {
    Message one = *said;
    one.seq = static_cast<std::int64_t>(out.size()) + 1;
    out.push_back(std::make_shared<Message>(std::move(one)));
  };
  const auto text = [] { return std::string(*rc::gen::inRange<std::size_t>(0, 600), 'x'); };
  const int turns = *rc::gen::inRange(0, 60);
  for (int i = 0; i < turns; ++i) {
    const int kind = *rc::gen::inRange(0, 10);
    if (kind == 0) {
      add(message(0, "assistant", text_content("Hello" + text(), kFromAgent), "session_open"));
      continue;
    }
    if (kind == 1) add(says(0, "system", "note"));
    add(says(0, "user", "u" + text()));
    const int rounds = *rc::gen::inRange(0, 4);
    for (int round = 0; round < rounds; ++round) {
      Content calls;
      const int count = *rc::gen::inRange(1, 4);
      for (int c = 0; c < count; ++c) calls.push_back(call("call_" + std::to_string(c)));
      add(message(0, "assistant", calls));
      for (int c = 0; c < count; ++c) {
        add(message(0, "tool", {result("call_" + std::to_string(c), text())}));
      }
    }
    add(says(0, "assistant", "a" + text()));
  }
  return out;
}

HistoryLimits any_limits() {
  return {.tokens = *rc::gen::inRange<std::int64_t>(0, 20'000),
          .messages = *rc::gen::inRange<std::size_t>(0, 150)};
}

void check_well_formed(const std::vector<PromptMessage>& prompt) {
  if (!prompt.empty()) RC_ASSERT(prompt.front().role == PromptRole::kUser);
  std::set<std::string> ids;
  std::vector<std::string> open;
  for (const PromptMessage& one : prompt) {
    RC_ASSERT(!one.blocks.empty());
    std::vector<std::string> answered, called;
    for (const PromptBlock& block : one.blocks) {
      if (block.kind == BlockKind::kToolResult) answered.push_back(block.call_id);
      if (block.kind != BlockKind::kToolCall) continue;
      called.push_back(block.call_id);
      RC_ASSERT(ids.insert(block.call_id).second);
    }
    RC_ASSERT(answered == open);
    open = called;
  }
  RC_ASSERT(open.empty());
}

RC_GTEST_PROP(HistoryWindow, TheTailIsWithinItsBoundsAndWellFormed, ()) {  // SE-4
  const auto newest_first = reversed(any_transcript());
  const HistoryLimits limits = any_limits();
  const auto tail = choose_tail(newest_first, limits);
  RC_ASSERT(tail.size() <= limits.messages);
  std::int64_t tokens = 0;
  for (const MessagePtr& one : tail) tokens += history_tokens(*one, limits);
  RC_ASSERT(tokens <= limits.tokens);
  const auto prompt = to_prompt(tail);
  check_well_formed(prompt);
  for (const PromptMessage& one : prompt) {
    for (const PromptBlock& block : one.blocks) {
      RC_ASSERT(block.text != "The outcome of this call is unknown.");  // no pair was parted
    }
  }
  if (tail.empty()) return;
  RC_ASSERT(tail.front()->role != "tool");
  RC_ASSERT(tail.back()->seq == newest_first.front()->seq);
  for (std::size_t i = 1; i < tail.size(); ++i) RC_ASSERT(tail[i]->seq == tail[i - 1]->seq + 1);
}

RC_GTEST_PROP(HistoryWindow, ATailBeginsWithAUserUnlessOneExchangeFillsIt, ()) {
  const auto newest_first = reversed(any_transcript());
  const auto tail = choose_tail(newest_first, any_limits());
  if (tail.empty() || tail.front()->role == "user" || tail.front()->source == "session_open")
    return;
  for (const MessagePtr& one : tail) RC_ASSERT(one->role != "user");
}

RC_GTEST_PROP(HistoryWindow, MoreMessagesThanTheLimitsAllowChangeNothing, ()) {
  auto newest_first = reversed(any_transcript());
  const HistoryLimits limits = any_limits();
  const auto start = tail_start(newest_first, limits);
  if (newest_first.size() > limits.messages + 1) newest_first.resize(limits.messages + 1);
  RC_ASSERT(tail_start(newest_first, limits) == start);
}

RC_GTEST_PROP(History, AnyHeapOfMessagesBecomesAWellFormedPrompt, ()) {
  Transcript heap;
  const int count = *rc::gen::inRange(0, 30);
  for (int i = 0; i < count; ++i) {
    const std::string role = *rc::gen::element<std::string>("user", "assistant", "tool", "system");
    Content content;
    for (const int kind : *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 3))) {
      const std::string id = *rc::gen::element<std::string>("", "a", "b", "a_2");
      if (kind == 0) content.push_back(text_content("t", kFromOwner)[0]);
      if (kind == 1) content.push_back(call(id));
      if (kind == 2) content.push_back(result(id));
    }
    heap.push_back(message(i + 1, role, std::move(content)));
  }
  check_well_formed(to_prompt(heap));
}

}  // namespace
}  // namespace rouse
