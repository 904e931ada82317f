#include "agent/prompt/prompt_view.h"

#include <gtest/gtest.h>

namespace rouse {
namespace {

MessagePtr said(std::int64_t seq, std::string role, std::string text) {
  Message out;
  out.seq = seq;
  out.role = std::move(role);
  out.content = text_content(std::move(text), kFromOwner);
  return std::make_shared<Message>(std::move(out));
}

TEST(PromptView, AddsUpWhatWouldBeSent) {
  const Prompt prompt{{{.name = "identity", .text = "12345678901234"},
                       {.name = "skills", .text = "", .note = "broken"},
                       {.name = "time", .version = 2, .text = "1234567", .stable = false}}};
  const ToolInfo tool{.name = "clock", .description = "tells", .schema = "{}"};
  const PromptView view = describe_prompt(
      prompt, {said(7, "user", "1234567"), said(8, "assistant", "1234567")}, {&tool});
  ASSERT_EQ(view.sections.size(), 3U);
  EXPECT_EQ(view.sections[0].bytes, 14);
  EXPECT_EQ(view.sections[0].tokens, 4);
  EXPECT_EQ(view.sections[1].note, "broken");
  EXPECT_EQ(view.sections[2].version, 2);
  EXPECT_FALSE(view.sections[2].stable);
  EXPECT_EQ(view.history.count, 2);
  EXPECT_EQ(view.history.bytes, 14);
  EXPECT_EQ(view.history.first_seq, 7);
  EXPECT_EQ(view.history.last_seq, 8);
  EXPECT_EQ(view.tools.count, 1);
  EXPECT_EQ(view.tools.bytes, 12);
  EXPECT_EQ(view.total.bytes, 14 + 7 + 14 + 12);
  EXPECT_EQ(view.total.tokens, 4 + 2 + 4 + view.tools.tokens);
}

TEST(PromptView, WithoutAHistoryItsNumbersAreNull) {
  const std::string json = encode_json(describe_prompt({}, {}, {}));
  EXPECT_NE(json.find(R"("first_seq":null,"last_seq":null)"), std::string::npos);
  EXPECT_NE(json.find(R"("turn_id":null)"), std::string::npos);
  EXPECT_TRUE(decode_json<PromptView>(json));
}

}  // namespace
}  // namespace rouse
