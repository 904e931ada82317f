#include "model/prompt_past.h"

#include <gtest/gtest.h>

#include "model/anthropic/anthropic_format.h"
#include "model/model_for_tests.h"
#include "model/openai/openai_format.h"

namespace rouse {
namespace {

PromptMessage user(const std::string& text) { return {PromptRole::kUser, {text_block(text)}}; }
PromptMessage assistant(const std::string& text) {
  return {PromptRole::kAssistant, {text_block(text)}};
}

ModelInfo info_of(const std::string& name) {
  ModelInfo info;
  info.name = name;
  info.max_output = 1'000;
  return info;
}

// Said in three pieces; "b" is answered by nobody, so it is joined with what follows.
ModelRequest with_past() {
  auto past = std::make_shared<PromptPast>();
  past->add(std::vector{user("a \"quoted\"\n"), assistant("ok")});
  ModelRequest request;
  request.system = {{"You are rouse.", true}};
  request.messages = {user("now")};
  request.past = past;
  (void)encode_openai(request, info_of("gpt-4o"), OutputLimitName::kMaxTokens);
  past->add(std::vector{user("b"), user("c \xc3\xa4"), assistant("d"), assistant("e")});
  (void)encode_anthropic(request, info_of("claude"));
  past->add(std::vector{user("f"), assistant("g")});
  return request;
}

TEST(PromptPast, IsWrittenAsIfItWereSaidAnew) {
  const ModelRequest request = with_past();
  const ModelRequest whole = without_past(request);
  ASSERT_EQ(whole.messages.size(), 9U);
  EXPECT_EQ(whole.past, nullptr);
  EXPECT_EQ(encode_openai(request, info_of("gpt-4o"), OutputLimitName::kMaxTokens),
            encode_openai(whole, info_of("gpt-4o"), OutputLimitName::kMaxTokens));
  EXPECT_EQ(encode_anthropic(request, info_of("claude")),
            encode_anthropic(whole, info_of("claude")));
  EXPECT_EQ(estimate_tokens(request), estimate_tokens(whole));
}

TEST(PromptPast, TakesPlainWordsFromTheUsersFirstToTheAssistantsLast) {
  const auto takes = [](std::vector<PromptMessage> said) { return PromptPast::takes(said); };
  EXPECT_TRUE(takes({user("a"), assistant("b")}));
  EXPECT_FALSE(takes({}));
  EXPECT_FALSE(takes({user("a")}));
  EXPECT_FALSE(takes({assistant("a")}));
  EXPECT_FALSE(takes({user("a"), assistant(" ")}));
  EXPECT_FALSE(takes({user("a"), {PromptRole::kAssistant, {call_block("c", "look", "{}")}}}));
  EXPECT_FALSE(takes({{PromptRole::kUser, {image_block("PNG")}}, assistant("b")}));
  EXPECT_FALSE(takes({{PromptRole::kUser, {text_block("a"), text_block("b")}}, assistant("c")}));
}

}  // namespace
}  // namespace rouse
