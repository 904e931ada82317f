#include "model/anthropic/anthropic_format.h"
#include "model/model_for_tests.h"

namespace rouse {
namespace {

std::string read(const std::string& name) {
  return read_in_every_way(make_anthropic_reader, transcript("anthropic/" + name + ".sse"));
}

TEST(AnthropicReader, ReadsText) {
  EXPECT_EQ(read("text"), "text(Grüße aus \"Köln\"\n– 你好 👋🏽!) end 25+17 cache 4096+1800");
}

TEST(AnthropicReader, ReadsACallAfterText) {
  EXPECT_EQ(read("tool_use"),
            "text(Let me check the weather in San Francisco.) "
            "call(toolu_01T1x1fJ34qAmk2tNTrN7Up6 get_weather {\"location\": \"San Francisco, "
            "CA\"}) tool_use 472+89");
}

TEST(AnthropicReader, ReadsSeveralCallsAndOneWithoutArguments) {
  EXPECT_EQ(read("parallel_tools"),
            "call(toolu_01AAAAAAAAAAAAAAAAAAAAAA read_file {\"path\": \"a.txt\"}) "
            "call(toolu_01BBBBBBBBBBBBBBBBBBBBBB read_file {\"path\": \"b.txt\"}) "
            "call(toolu_01CCCCCCCCCCCCCCCCCCCCCC list_tasks {}) tool_use 500+120");
}

TEST(AnthropicReader, PassesByThinkingAndWhatIsUnknown) {
  EXPECT_EQ(read("thinking"), "text(27 * 453 = 12,231) end 30+60");
}

TEST(AnthropicReader, EndsWithTheErrorOfTheStream) {
  EXPECT_EQ(read("error_in_the_middle"),
            "model_overloaded: the provider is overloaded (529): Overloaded");
}

TEST(AnthropicReader, KnowsTheStopReasons) {
  EXPECT_EQ(read("refusal"), "text(Hello.) refusal 412+22");
  EXPECT_EQ(read("max_tokens"), "text(Hello.) max_tokens 412+22");
  EXPECT_EQ(read("context_window_exceeded"), "text(Hello.) context_full 412+22");
  EXPECT_EQ(read("pause_turn"), "text(Hello.) other 412+22");
  EXPECT_EQ(read("stop_sequence"), "text(Hello.) end 412+22");
  EXPECT_EQ(read("empty"), "end 12+2");
}

TEST(AnthropicReader, RefusesAnAnswerThatWasCutOff) {
  EXPECT_EQ(read("cut_off"), "model_broken_answer: the answer was cut off in the middle");
  EXPECT_EQ(read_in_every_way(make_anthropic_reader, ""),
            "model_broken_answer: the answer was cut off before it began");
  EXPECT_EQ(read_in_every_way(make_anthropic_reader, "<html>Sign in</html>"),
            "model_broken_answer: the answer was cut off before it began");
}

// Every cut of the bytes: never a crash, never a whole answer before its end.
TEST(AnthropicReader, RefusesEveryProperPrefix) {
  const std::string bytes = transcript("anthropic/tool_use.sse");
  const std::size_t last = bytes.size() - 1;  // the end of an event is an empty line
  for (std::size_t size = 0; size < last; ++size) {
    const auto result = read_in_pieces(make_anthropic_reader, bytes.substr(0, size),
                                       [] { return std::size_t{1'000'000}; });
    EXPECT_TRUE(result.starts_with("model_broken_answer")) << size << result;
  }
}

TEST(AnthropicReader, RefusesHalfArguments) {
  EXPECT_EQ(
      read("tool_cut"),
      "model_broken_answer: the arguments of its call of 'get_weather' are not a JSON object");
  EXPECT_NE(read("tool_cut_by_limit").find("output limit"), std::string::npos);
}

TEST(AnthropicReader, MendsIds) {
  SeededRandom random(1);
  HeardStream heard;
  const auto reader = make_anthropic_reader(heard, random);
  ASSERT_TRUE(reader->feed(transcript("anthropic/ids_twice_and_missing.sse")));
  const auto answer = reader->finish();
  ASSERT_TRUE(answer);
  const auto calls = answer->calls();
  ASSERT_EQ(calls.size(), 3u);
  EXPECT_EQ(calls[0]->call_id, "toolu_01AAAAAAAAAAAAAAAAAAAAAA");
  EXPECT_TRUE(calls[1]->call_id.starts_with("call_"));
  EXPECT_TRUE(calls[2]->call_id.starts_with("call_"));
  EXPECT_NE(calls[1]->call_id, calls[2]->call_id);
}

TEST(AnthropicReader, JoinsACharacterCutInTwoAndEstimatesWhatWasNotCounted) {
  EXPECT_EQ(read("split_character_no_usage"), "text(Hi 👋) end 0+2 estimated");
}

TEST(AnthropicReader, BoundsAnEvent) {
  SeededRandom random(1);
  HeardStream heard;
  const auto reader = make_anthropic_reader(heard, random);
  const auto fed = reader->feed("data: " + std::string(5 << 20, 'x'));
  ASSERT_FALSE(fed);
  EXPECT_TRUE(fed.error().is(ModelErrc::kBroken));
}

}  // namespace
}  // namespace rouse
