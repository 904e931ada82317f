#include <boost/json/parse.hpp>

#include "model/model_for_tests.h"
#include "model/openai/openai_format.h"

namespace rouse {
namespace {
namespace json = boost::json;

ModelInfo gpt_info() {
  ModelInfo info;
  info.provider = "openai";
  info.name = "gpt-4o";
  info.max_output = 16'384;
  info.takes_images = true;
  return info;
}

json::value encoded(const ModelRequest& request, const ModelInfo& info = gpt_info()) {
  return json::parse(encode_openai(request, info, OutputLimitName::kMaxTokens));
}

TEST(OpenAiRequest, WritesAWholeConversation) {
  ModelRequest request;
  request.system = {{"You are rouse.", true}, {" ", false}, {"It is Sunday.", false}};
  request.tools = {{"get_weather", "Tells the weather", R"({"type":"object"})"}};
  request.messages = {
      {PromptRole::kUser, {text_block("Wie"), image_block("PNG")}},
      {PromptRole::kAssistant,
       {text_block("Let me see."), call_block("call_1", "get_weather", R"({"a":1})")}},
      {PromptRole::kUser, {text_block("by the way"), result_block("call_1", "sunny")}},
      {PromptRole::kAssistant, {call_block("call_2", "get_weather", "")}},
      {PromptRole::kUser, {failed_block("call_2", "no such town")}},
      {PromptRole::kUser, {text_block("and?"), text_block("well?")}},
  };
  EXPECT_EQ(encoded(request), json::parse(R"({
    "model":"gpt-4o","stream":true,"stream_options":{"include_usage":true},"max_tokens":16384,
    "tools":[{"type":"function","function":{"name":"get_weather","description":"Tells the weather",
              "parameters":{"type":"object"}}}],
    "messages":[
      {"role":"system","content":"You are rouse.\n\nIt is Sunday."},
      {"role":"user","content":[{"type":"text","text":"Wie"},
        {"type":"image_url","image_url":{"url":"data:image/png;base64,UE5H"}}]},
      {"role":"assistant","content":"Let me see.","tool_calls":[{"id":"call_1","type":"function",
        "function":{"name":"get_weather","arguments":"{\"a\":1}"}}]},
      {"role":"tool","tool_call_id":"call_1","content":"sunny"},
      {"role":"user","content":"by the way"},
      {"role":"assistant","content":null,"tool_calls":[{"id":"call_2","type":"function",
        "function":{"name":"get_weather","arguments":"{}"}}]},
      {"role":"tool","tool_call_id":"call_2","content":"The tool failed: no such town"},
      {"role":"user","content":"and?\n\nwell?"}]})"));
}

TEST(OpenAiRequest, LeavesImagesOutForAModelThatTakesNone) {
  ModelInfo info = gpt_info();
  info.takes_images = false;
  ModelRequest request;
  request.messages = {{PromptRole::kUser, {image_block("PNG"), text_block("see")}}};
  EXPECT_EQ(encoded(request, info).at("messages").at(0).at("content"),
            "[an image, which this model cannot see]\n\nsee");
}

TEST(OpenAiRequest, JoinsNeighboursOverBlankMessages) {
  ModelRequest request;
  request.messages = {{PromptRole::kUser, {text_block("a")}},
                      {PromptRole::kAssistant, {text_block("")}},
                      {PromptRole::kUser, {text_block("b")}}};
  EXPECT_EQ(encoded(request).at("messages"),
            json::parse(R"([{"role":"user","content":"a\n\nb"}])"));
}

TEST(OpenAiRequest, NamesTheOutputLimitAsTheServerKnowsIt) {
  ModelRequest request;
  request.max_output_tokens = 100;
  const auto body_for = [&](std::string_view base) {
    return json::parse(make_openai_format(base, "")->encode(request, gpt_info()).body);
  };
  EXPECT_EQ(body_for("").at("max_completion_tokens"), 100);
  EXPECT_EQ(body_for("https://api.openai.com/").at("max_completion_tokens"), 100);
  EXPECT_EQ(body_for("http://localhost:11434").at("max_tokens"), 100);
}

TEST(OpenAiFormat, FindsTheUrlFromWhatManualsWrite) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "https://api.openai.com/v1/chat/completions"},
      {"https://api.openai.com", "https://api.openai.com/v1/chat/completions"},
      {"http://localhost:11434", "http://localhost:11434/v1/chat/completions"},
      {"http://localhost:11434/", "http://localhost:11434/v1/chat/completions"},
      {"http://localhost:11434/v1/", "http://localhost:11434/v1/chat/completions"},
      {"http://127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1/chat/completions"},
      {"https://openrouter.ai/api/v1", "https://openrouter.ai/api/v1/chat/completions"},
      {"https://openrouter.ai/api", "https://openrouter.ai/api/v1/chat/completions"},
      {"https://g/v1beta/openai/", "https://g/v1beta/openai/chat/completions"},
      {"https://v1.example", "https://v1.example/v1/chat/completions"},
      {"http://h/v1/chat/completions", "http://h/v1/chat/completions"},
  };
  for (const auto& [base, url] : cases) EXPECT_EQ(openai_url(base), url) << base;
}

TEST(OpenAiFormat, SendsAKeyOnlyIfThereIsOne) {
  const auto names = [](const ClientRequest& http) {
    std::string out;
    for (const auto& [name, value] : http.headers) out += name + "=" + value + ";";
    return out;
  };
  const ClientRequest without = make_openai_format("http://h", "")->encode({}, gpt_info());
  EXPECT_EQ(names(without).find("Authorization"), std::string::npos);
  const ClientRequest with = make_openai_format("http://h", "sk-1")->encode({}, gpt_info());
  EXPECT_NE(names(with).find("Authorization=Bearer sk-1;"), std::string::npos);
}

}  // namespace
}  // namespace rouse
