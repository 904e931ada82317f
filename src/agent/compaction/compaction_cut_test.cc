// Where conversations may be cut, for any conversation.
#include "agent/compaction/compaction_cut.h"

#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace rouse {
namespace {

TurnId turn_id(int number) { return *TurnId::parse("turn_" + std::to_string(number)); }

Message said(std::string role, std::string_view from, std::size_t bytes) {
  Message out;
  out.role = std::move(role);
  out.source = "api";
  out.content = text_content(std::string(bytes, 'x'), from);
  return out;
}

ContentBlock of_call(std::string type, int id) {
  ContentBlock out;
  out.type = std::move(type);
  out.call_id = "call_" + std::to_string(id);
  out.tool = "look";
  if (out.type == "tool_result") out.text = "seen";
  return out;
}

// A turn with its calls; ids repeat from answer to answer, some calls have no result, and somebody
// may speak while it runs.
std::vector<Message> any_turn(int number) {
  std::vector<Message> out;
  const auto bytes = [] { return *rc::gen::inRange<std::size_t>(1, 4'000); };
  if (*rc::gen::inRange(0, 8) == 0) {
    out.push_back(said("assistant", kFromAgent, bytes()));
    out.back().source = "session_open";
  } else {
    out.push_back(said("user", kFromOwner, bytes()));
    const int rounds = *rc::gen::inRange(0, 4);
    for (int round = 0; round < rounds; ++round) {
      const int calls = *rc::gen::inRange(1, 4);
      Message asks = said("assistant", kFromAgent, bytes());
      for (int id = 0; id < calls; ++id) asks.content.push_back(of_call("tool_call", id));
      out.push_back(std::move(asks));
      if (*rc::gen::inRange(0, 10) == 0) out.push_back(said("user", kFromOwner, bytes()));
      for (int id = 0; id < calls; ++id) {
        if (*rc::gen::inRange(0, 12) == 0) continue;
        Message result;
        result.role = "tool";
        result.content.push_back(of_call("tool_result", id));
        out.push_back(std::move(result));
      }
    }
    if (*rc::gen::inRange(0, 4) == 0) out.push_back(said("user", kFromOwner, bytes()));
    out.push_back(said("assistant", kFromAgent, bytes()));
  }
  const bool has_id = *rc::gen::inRange(0, 4) > 0;
  for (Message& message : out) {
    if (has_id) message.turn = turn_id(number);
  }
  return out;
}

std::vector<Message> any_conversation() {
  std::vector<Message> out;
  const int turns = *rc::gen::inRange(0, 30);
  for (int i = 0; i < turns; ++i) {
    for (Message& message : any_turn(i)) {
      message.seq = static_cast<std::int64_t>(out.size()) + 1;
      out.push_back(std::move(message));
    }
  }
  return out;
}

std::vector<CutMark> marks_of(const std::vector<Message>& messages) {
  std::vector<CutMark> out;
  for (auto message = messages.rbegin(); message != messages.rend(); ++message) {
    out.push_back(mark_of(*message, {}));
  }
  return out;
}

KeepLimits any_limits() {
  KeepLimits out;
  out.tokens = *rc::gen::inRange<std::int64_t>(0, 20'000);
  out.messages = *rc::gen::inRange<std::size_t>(0, 80);
  out.most_tokens = out.tokens * 4;
  return out;
}

void check_parts_nothing(const std::vector<Message>& messages, std::int64_t through) {
  std::map<std::string, std::int64_t> called;
  std::set<std::string> turns_before;
  for (const Message& message : messages) {
    if (message.turn && message.seq <= through) turns_before.insert(message.turn->str());
    if (message.turn && message.seq > through) {
      RC_ASSERT(!turns_before.contains(message.turn->str()));
    }
    for (const ContentBlock& block : message.content) {
      const std::string id = block.call_id.value_or("");
      if (block.type == "tool_call") called[id] = message.seq;
      if (block.type != "tool_result" || !called.contains(id)) continue;
      RC_ASSERT((called[id] > through) == (message.seq > through));
    }
  }
}

RC_GTEST_PROP(CompactionCut, NeverPartsACallFromItsResultNorGoesThroughATurn, ()) {  // SE-3, SE-4
  const std::vector<Message> messages = any_conversation();
  const KeepLimits keep = any_limits();
  const std::vector<CutMark> marks = marks_of(messages);
  const auto cut = choose_cut(marks, keep);
  if (!cut) return;
  RC_ASSERT(cut->through_seq >= 1);
  RC_ASSERT(cut->kept >= 1U);
  RC_ASSERT(cut->through_seq + static_cast<std::int64_t>(cut->kept) ==
            static_cast<std::int64_t>(messages.size()));
  const Message& first_kept = messages.at(static_cast<std::size_t>(cut->through_seq));
  RC_ASSERT(first_kept.role != "tool");
  check_parts_nothing(messages, cut->through_seq);
}

RC_GTEST_PROP(CompactionCut, KeepsSixMessagesUnlessTheyFillThePrompt, ()) {
  const std::vector<CutMark> marks = marks_of(any_conversation());
  const KeepLimits keep = any_limits();
  const auto cut = choose_cut(marks, keep);
  if (!cut || cut->kept >= kMessagesKept || !cut->settled) return;
  std::int64_t tokens = 0;
  for (const CutMark& mark : marks) tokens += mark.tokens;
  RC_ASSERT(tokens > keep.most_tokens);
}

RC_GTEST_PROP(CompactionCut, IsTheSameHoweverMuchOlderIsKnown, ()) {
  const std::vector<CutMark> all = marks_of(any_conversation());
  const KeepLimits keep = any_limits();
  const auto whole = choose_cut(all, keep);
  for (std::size_t known = 1; known < all.size(); ++known) {
    const std::vector<CutMark> newest(all.begin(),
                                      all.begin() + static_cast<std::ptrdiff_t>(known));
    const auto cut = choose_cut(newest, keep);
    if (!cut || !cut->settled || cut->kept + 16 > known) continue;
    RC_ASSERT(whole && whole->through_seq == cut->through_seq);
  }
}

TEST(CompactionCut, KeepsAsMuchAsFits) {
  std::vector<Message> messages;
  for (int i = 0; i < 40; ++i) {
    messages.push_back(said(i % 2 == 0 ? "user" : "assistant", kFromOwner, 334));  // 100 tokens
    messages.back().seq = i + 1;
  }
  const auto marks = marks_of(messages);
  EXPECT_EQ(marks.front().tokens, 100);
  EXPECT_EQ(choose_cut(marks, {.tokens = 1'000, .messages = 30, .most_tokens = 4'000})->kept, 10U);
  EXPECT_EQ(choose_cut(marks, {.tokens = 9'000, .messages = 14, .most_tokens = 9'000})->kept, 14U);
  EXPECT_EQ(choose_cut(marks, {.tokens = 0, .messages = 30, .most_tokens = 4'000})->kept, 6U);
  EXPECT_EQ(choose_cut(marks, {.tokens = 0, .messages = 30, .most_tokens = 300})->kept, 2U);
  EXPECT_FALSE(choose_cut({}, {}));
  EXPECT_FALSE(choose_cut({marks.front()}, {}));
}

}  // namespace
}  // namespace rouse
