#include "model/model_for_tests.h"
#include "model/openai/openai_format.h"

namespace rouse {
namespace {

std::string read(const std::string& name) {
  return read_in_every_way(make_openai_reader, transcript("openai/" + name + ".sse"));
}

TEST(OpenAiReader, ReadsTextAndCountsTheCacheApart) {
  EXPECT_EQ(read("text"), "text(Hello – ça va? 👋) end 86+9 cache 1920+0");
}

TEST(OpenAiReader, ReadsCallsByTheirIndex) {
  EXPECT_EQ(read("tool_calls"),
            "call(call_DdmO9pD3xa9XTPNJ32zg2hcA get_weather {\"location\":\"Paris\"}) "
            "call(call_ABCDEFGHIJKLMNOPQRSTUVWX get_time {\"zone\":\"Europe/Paris\"}) "
            "tool_use 80+40");
}

TEST(OpenAiReader, TakesWholeCallsThatAllHaveIndexZeroAndEndWithStop) {
  EXPECT_EQ(read("ollama_whole_calls"),
            "call(call_r0zsq2ji get_weather {\"location\":\"Paris\"}) "
            "call(call_k2m4x9aa get_weather {\"location\":\"Rome\"}) tool_use 0+18 estimated");
}

TEST(OpenAiReader, TakesCallsWithoutIndexAndIdAndArgumentsAsAnObject) {
  const std::string words = read("no_index_no_id");
  EXPECT_NE(words.find(" get_weather {\"location\":\"Paris\"}) call(call_"), std::string::npos)
      << words;
  EXPECT_NE(words.find(" get_time {\"zone\":\"UTC\"}) tool_use"), std::string::npos) << words;
}

TEST(OpenAiReader, TakesNamesAndIdsThatAreRepeatedInEveryPiece) {
  EXPECT_EQ(read("names_repeated"),
            "call(call_repeated1 add {\"a\":1}) text(done) tool_use 0+4 estimated");
}

TEST(OpenAiReader, TakesTheOldFormOfACall) {
  const std::string words = read("function_call");
  EXPECT_NE(words.find(" get_weather {\"location\": \"Paris\"}) tool_use"), std::string::npos)
      << words;
}

TEST(OpenAiReader, PassesByReasoningAndCommentsAndTakesTextInParts) {
  EXPECT_EQ(read("reasoning_vllm"), "text(1231) end 11+7");
}

TEST(OpenAiReader, EndsWithTheErrorOfTheStream) {
  EXPECT_EQ(read("error_in_the_middle"),
            "model_server_error: the provider had a fault of its own (502): Provider disconnected "
            "unexpectedly");
}

TEST(OpenAiReader, KnowsTheFinishReasons) {
  EXPECT_EQ(read("length"), "text(Once upon) max_tokens 5+2");
  EXPECT_EQ(read("content_filter"), "text(Once) refusal 5+2");
  EXPECT_EQ(read("refusal"), "text(I can't help with that.) refusal 5+2");
  EXPECT_EQ(read("done_without_reason"), "text(Hi) end 0+1 estimated");
}

TEST(OpenAiReader, RefusesWhatWasCutOffOrIsGarbage) {
  EXPECT_EQ(read("cut_off"), "model_broken_answer: the answer was cut off in the middle");
  EXPECT_EQ(read("nothing_said"), "model_broken_answer: the answer was cut off before it began");
  EXPECT_EQ(read("garbage"), "model_broken_answer: it sent something that is not JSON");
  EXPECT_NE(read("tool_cut_by_limit").find("output limit"), std::string::npos);
}

TEST(OpenAiReader, TakesOneDocumentFromAServerThatDoesNotStream) {
  EXPECT_EQ(read("whole_document"),
            "text(Let me look.) call(call_abc12345 get_weather {\"location\": \"Paris\"}) tool_use "
            "9+12");
  EXPECT_EQ(read_in_every_way(make_openai_reader, R"({"choices":[{"message":{"content":"Hi"}}]})"),
            "text(Hi) end 0+1 estimated");
  EXPECT_EQ(read_in_every_way(make_openai_reader, R"({"error":"model 'x' not found"})"),
            "model_server_error: the provider had a fault of its own (500): model 'x' not found");
  EXPECT_EQ(read_in_every_way(make_openai_reader, R"({"choices":[{"message)"),
            "model_broken_answer: the answer was cut off in the middle");
}

TEST(OpenAiReader, BoundsTheNumberOfCalls) {
  std::string many = R"(data: {"choices":[{"delta":{"tool_calls":[)";
  for (int i = 0; i < 2'000; ++i) {
    many += fmt::format(R"({}{{"index":{},"function":{{"name":"f"}}}})", i > 0 ? "," : "", i);
  }
  many += "]}}]}\n\n";
  EXPECT_EQ(read_in_pieces(make_openai_reader, many, [] { return std::size_t{1'000'000}; }),
            "model_broken_answer: the answer has more tool calls than any should");
}

TEST(OpenAiReader, JoinsACharacterCutInTwoAndReplacesWhatIsNone) {
  EXPECT_EQ(read("split_character"), "text(naïve \xef\xbf\xbd!) end 0+4 estimated");
}

}  // namespace
}  // namespace rouse
