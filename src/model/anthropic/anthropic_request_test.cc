#include <boost/json/parse.hpp>

#include "model/anthropic/anthropic_format.h"
#include "model/model_for_tests.h"

namespace rouse {
namespace {
namespace json = boost::json;

PromptMessage user_says(std::string text) {
  return {PromptRole::kUser, {text_block(std::move(text))}};
}
PromptMessage agent_says(std::string text) {
  return {PromptRole::kAssistant, {text_block(std::move(text))}};
}

ModelInfo claude_info() {
  ModelInfo info;
  info.provider = "anthropic";
  info.name = "claude-sonnet-4-5";
  info.max_output = 8'192;
  info.takes_images = true;
  return info;
}

json::value encoded(const ModelRequest& request, const ModelInfo& info = claude_info()) {
  return json::parse(encode_anthropic(request, info));
}

std::size_t count_marks(const ModelRequest& request) {
  const std::string text = encode_anthropic(request, claude_info());
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find("cache_control", at)) != std::string::npos; ++at)
    ++count;
  return count;
}

TEST(AnthropicRequest, WritesAWholeConversation) {
  ModelRequest request;
  request.system = {{"You are rouse.", true}, {"", false}, {"It is Sunday.", false}};
  request.tools = {{"get_weather", "Tells the \"weather\"", R"({"type":"object"})"},
                   {"list_tasks", "Lists tasks", ""}};
  PromptMessage asks = user_says("Wie ist's?\n");
  asks.blocks.push_back(image_block("PNG"));
  PromptMessage calls{
      PromptRole::kAssistant,
      {text_block("Let me see."), call_block("toolu_1", "get_weather", R"({"in":"Köln"})"),
       call_block("functions.list:0", "list_tasks", "")}};
  PromptMessage results{PromptRole::kUser,
                        {result_block("toolu_1", "sunny"), failed_block("functions.list:0", "no")}};
  request.messages = {asks, calls, results};
  EXPECT_EQ(encoded(request), json::parse(R"({
    "model":"claude-sonnet-4-5","max_tokens":8192,"stream":true,
    "system":[{"type":"text","text":"You are rouse.","cache_control":{"type":"ephemeral"}},
              {"type":"text","text":"It is Sunday."}],
    "tools":[{"name":"get_weather","description":"Tells the \"weather\"","input_schema":{"type":"object"}},
             {"name":"list_tasks","description":"Lists tasks",
              "input_schema":{"type":"object","properties":{}},"cache_control":{"type":"ephemeral"}}],
    "messages":[
      {"role":"user","content":[{"type":"text","text":"Wie ist's?\n"},
        {"type":"image","source":{"type":"base64","media_type":"image/png","data":"UE5H"}}]},
      {"role":"assistant","content":[{"type":"text","text":"Let me see."},
        {"type":"tool_use","id":"toolu_1","name":"get_weather","input":{"in":"Köln"}},
        {"type":"tool_use","id":"functions_list_0","name":"list_tasks","input":{}}]},
      {"role":"user","content":[
        {"type":"tool_result","tool_use_id":"toolu_1","content":"sunny"},
        {"type":"tool_result","tool_use_id":"functions_list_0","content":"no","is_error":true,
         "cache_control":{"type":"ephemeral"}}]}]})"));
}

TEST(AnthropicRequest, JoinsNeighboursAndPutsResultsFirst) {
  ModelRequest request;
  request.messages = {user_says("one"),
                      {PromptRole::kAssistant, {call_block("toolu_1", "t", "{}")}},
                      agent_says(" "),
                      user_says("by the way"),
                      {PromptRole::kUser, {result_block("toolu_1", "done")}}};
  EXPECT_EQ(encoded(request).at("messages"), json::parse(R"([
    {"role":"user","content":[{"type":"text","text":"one"}]},
    {"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"t","input":{}}]},
    {"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"done"},
      {"type":"text","text":"by the way","cache_control":{"type":"ephemeral"}}]}])"));
}

TEST(AnthropicRequest, LetsAPersonSpeakFirst) {
  ModelRequest request;
  EXPECT_EQ(encoded(request).at("messages").as_array().size(), 1u);
  request.messages = {user_says(""), agent_says("Good morning"), user_says("Hi")};
  const json::value messages = encoded(request).at("messages");
  ASSERT_EQ(messages.as_array().size(), 3u);
  EXPECT_EQ(messages.at(0).at("role"), "user");
  EXPECT_EQ(messages.at(1).at("role"), "assistant");
}

TEST(AnthropicRequest, SetsAtMostFourCacheMarksAndKeepsTheLaterOnes) {
  ModelRequest request;
  request.messages = {user_says("Hi")};
  EXPECT_EQ(count_marks(request), 1u);
  request.system = {{"a", true}, {"b", true}, {"c", true}, {"d", true}, {"e", false}};
  EXPECT_EQ(count_marks(request), 4u);
  request.tools = {{"t", "d", "{}"}};
  EXPECT_EQ(count_marks(request), 4u);
  const json::value system = encoded(request).at("system");
  EXPECT_FALSE(system.at(1).as_object().contains("cache_control"));
  EXPECT_TRUE(system.at(2).as_object().contains("cache_control"));
  EXPECT_TRUE(system.at(3).as_object().contains("cache_control"));
}

TEST(AnthropicRequest, AsksForNoMoreThanTheModelGives) {
  ModelRequest request;
  request.messages = {user_says("Hi")};
  request.max_output_tokens = 350;
  EXPECT_EQ(encoded(request).at("max_tokens"), 350);
  request.max_output_tokens = 1'000'000;
  EXPECT_EQ(encoded(request).at("max_tokens"), 8'192);
}

TEST(AnthropicRequest, AsksForNoMoreThanTheWindowHasLeft) {
  ModelRequest request;
  request.messages = {user_says(std::string(7 * 14'000, 'x'))};  // 28,000 tokens of 32,000
  EXPECT_LT(encoded(request).at("max_tokens").as_int64(), 4'100);
  EXPECT_GT(encoded(request).at("max_tokens").as_int64(), 3'900);
  request.messages = {user_says(std::string(7 * 20'000, 'x'))};
  EXPECT_EQ(encoded(request).at("max_tokens"), 1'024);
}

TEST(AnthropicRequest, SurvivesBytesThatAreNoText) {
  ModelRequest request;
  request.messages = {
      user_says("a\xff\x01"
                "b")};
  EXPECT_EQ(encoded(request).at("messages").at(0).at("content").at(0).at("text"),
            "a\xef\xbf\xbd\x01"
            "b");
}

TEST(AnthropicRequest, LeavesImagesOutForAModelThatTakesNone) {
  ModelRequest request;
  PromptMessage message = user_says("see");
  message.blocks.push_back(image_block("PNG"));
  request.messages = {message};
  ModelInfo info = claude_info();
  info.takes_images = false;
  EXPECT_EQ(encoded(request, info).at("messages").at(0).at("content").at(1).at("type"), "text");
}

TEST(AnthropicRequest, APdfIsADocumentForAModelThatReadsItAndItsLineForOthers) {
  ModelRequest request;
  PromptMessage message = user_says("read this");
  PromptBlock pdf;
  pdf.text = "[This model can't read it]";
  pdf.media_type = "application/pdf";
  pdf.bytes = "PDF";
  message.blocks.push_back(pdf);
  request.messages = {message};
  const auto shown = encoded(request).at("messages").at(0).at("content").at(1);
  EXPECT_EQ(shown.at("type"), "document");
  EXPECT_EQ(shown.at("source").at("media_type"), "application/pdf");
  EXPECT_EQ(shown.at("source").at("data"), "UERG");
  EXPECT_TRUE(shown.as_object().contains("cache_control"));
  ModelInfo info = claude_info();
  info.takes_images = false;
  const auto told = encoded(request, info).at("messages").at(0).at("content").at(1);
  EXPECT_EQ(told.at("text"), "[This model can't read it]");
}

TEST(AnthropicFormat, FindsTheUrlAndSendsTheKeyInItsHeader) {
  for (const char* base :
       {"https://h", "https://h/", "https://h/v1", "https://h/v1/", "https://h/v1/messages"}) {
    EXPECT_EQ(anthropic_url(base), "https://h/v1/messages") << base;
  }
  EXPECT_EQ(anthropic_url(""), "https://api.anthropic.com/v1/messages");
  const auto format = make_anthropic_format("", "sk-ant-1");
  const ClientRequest http = format->encode({}, claude_info());
  EXPECT_EQ(http.url, "https://api.anthropic.com/v1/messages");
  const auto has = [&](const std::pair<std::string, std::string>& header) {
    return std::ranges::find(http.headers, header) != http.headers.end();
  };
  EXPECT_TRUE(has({"x-api-key", "sk-ant-1"}));
  EXPECT_TRUE(has({"anthropic-version", "2023-06-01"}));
  EXPECT_EQ(http.body.find("sk-ant-1"), std::string::npos);
}

}  // namespace
}  // namespace rouse
