#include "base/json.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "base/json_text.h"
#include "base/text.h"

namespace rouse {
namespace {

struct Inner {
  std::string kind;
  std::optional<std::int64_t> count;
};
auto shape(const Inner*) {
  return fields(field("kind", &Inner::kind, "Which").one_of({"at", "every"}),
                field("count", &Inner::count, "How many").range(1, 9));
}

struct Sample {
  std::string name;
  bool flag = false;
  std::optional<double> ratio;
  std::vector<Inner> items;
  std::map<std::string, std::string> labels;
};
auto shape(const Sample*) {
  return fields(field("name", &Sample::name, "What").length(1, 20),
                field("flag", &Sample::flag, ""), field("ratio", &Sample::ratio, ""),
                field("items", &Sample::items, "").length(0, 3),
                field("labels", &Sample::labels, ""));
}

std::string error_of(std::string_view text) {
  const auto result = decode_json<Sample>(text);
  return result ? "no error" : result.error().message;
}

constexpr std::string_view kGood =
    R"({"name":"x","flag":true,"ratio":0.5,"items":[{"kind":"at","count":2},{"kind":"every"}],"labels":{"a":"b"}})";

TEST(Json, ADocumentBecomesAStructAndTheSameDocumentAgain) {
  const auto sample = decode_json<Sample>(kGood);
  ASSERT_TRUE(sample) << sample.error();
  EXPECT_EQ(sample->items[0].count, 2);
  EXPECT_EQ(encode_json(*sample), kGood);
}

TEST(Json, ErrorsNameTheFieldAndWhatIsWrongWithIt) {
  EXPECT_EQ(error_of(R"({"flag":true,"items":[],"labels":{}})"), "'name' is missing");
  EXPECT_EQ(error_of(R"({"name":1,"flag":true,"items":[],"labels":{}})"),
            "'name' must be text, not a number");
  EXPECT_EQ(error_of(R"({"name":"","flag":true,"items":[],"labels":{}})"),
            "'name' must not be empty");
  EXPECT_EQ(
      error_of(R"({"name":"x","flag":true,"items":[{"kind":"at"},{"kind":"cron"}],"labels":{}})"),
      "'items[1].kind' must be one of: at, every; not 'cron'");
  EXPECT_EQ(error_of(R"({"name":"x","flag":true,"items":[{"kind":"at","count":1.5}],"labels":{}})"),
            "'items[0].count' must be a whole number");
  EXPECT_EQ(error_of(R"({"name":"x","flag":true,"items":[{"kind":"at","count":12}],"labels":{}})"),
            "'items[0].count' must be from 1 to 9, not 12");
  EXPECT_EQ(error_of(R"({"name":"x","flag":true,"items":[],"labels":{"k":7}})"),
            "'labels.k' must be text, not a number");
  EXPECT_EQ(error_of("[]"), "the body must be an object, not a list");
  EXPECT_EQ(error_of("  "), "the body is empty; send a JSON object");
}

TEST(Json, BrokenTextSaysWhereItBroke) {
  EXPECT_EQ(error_of("{\"name\":\n  nope}").substr(0, 35), "not valid JSON at line 2, column 3:");
}

TEST(Json, NaNInfinityCommentsAndInvalidUtf8AreRefused) {
  for (const std::string_view bad :
       {R"({"name":NaN})", R"({"name":Infinity})", R"({"name":1} // x)", "{\"name\":\"\xff\xfe\"}",
        "{\"name\":\"\xed\xa0\x80\"}", R"({"name":"\ud800"})", R"({"a":1}{"b":2})"}) {
    EXPECT_FALSE(parse_json(bad)) << bad;
  }
}

TEST(Json, DeepNestingIsRefusedAtItsBound) {
  const std::string deep = std::string(33, '[') + std::string(33, ']');
  const auto result = parse_json(deep);
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("deeper than 32 levels"), std::string::npos);
  EXPECT_TRUE(parse_json(std::string(32, '[') + std::string(32, ']')));
  EXPECT_FALSE(parse_json(std::string(1'000'000, '[')));
}

TEST(Json, NumbersBeyond64BitsAreNotQuietlyRounded) {
  const auto result = from_json<std::int64_t>(*parse_json("9223372036854775808"));
  ASSERT_FALSE(result);
  EXPECT_EQ(from_json<std::int64_t>(*parse_json("-9223372036854775808")), INT64_MIN);
}

TEST(Json, TheSchemaSaysWhatTheReaderChecks) {
  const auto schema = json_schema<Sample>();
  EXPECT_EQ(schema.at("required").as_array().size(), 4U);
  const auto& properties = schema.at("properties").as_object();
  EXPECT_EQ(properties.at("name").at("maxLength"), 20);
  EXPECT_EQ(properties.at("items").at("maxItems"), 3);
  EXPECT_EQ(
      properties.at("items").at("items").at("properties").at("kind").at("enum").as_array().size(),
      2U);
}

RC_GTEST_PROP(Json, AnyTextSurvivesTheRoundTrip, ()) {
  const auto raw = *rc::gen::container<std::string>(rc::gen::inRange<char>(0, 127));
  const auto value = parse_json(encode_json(raw));
  RC_ASSERT(value.has_value());
  RC_ASSERT(*from_json<std::string>(*value) == raw);
}

// Found by fuzzing.
TEST(Json, NumbersThatCouldNotBeWrittenBackAreRefused) {
  EXPECT_FALSE(parse_json("[1e999]"));
  EXPECT_FALSE(parse_json(R"({"a":{"b":-1e999}})"));
  EXPECT_TRUE(parse_json("[1e308]"));
  EXPECT_EQ(encode_json(-0.0), "0");
}

// They are looked at eight at a time, so each byte must be found at each place.
TEST(Json, EveryByteIsEscapedWhereverItStands) {
  for (int byte = 0; byte < 256; ++byte) {
    for (std::size_t at = 0; at < 18; ++at) {
      std::string text(18, 'a');
      text[at] = static_cast<char>(byte);
      const bool escaped = byte < 0x20 || byte == '"' || byte == '\\';
      ASSERT_EQ(unescaped_prefix(text), escaped ? at : text.size()) << byte;
      std::string out;
      append_json(out, std::string_view(text));
      ASSERT_EQ(out, '"' + json_escape(text) + '"') << byte;
    }
  }
}

}  // namespace
}  // namespace rouse
