#include "tool/schema_check.h"

#include <gtest/gtest.h>

namespace rouse {
namespace {

constexpr std::string_view kSchema = R"({"type": "object", "properties": {
  "minutes": {"type": "integer", "minimum": 1, "maximum": 1440},
  "share": {"type": "number", "minimum": 0},
  "name": {"type": "string", "minLength": 1, "maxLength": 5},
  "loud": {"type": "boolean"},
  "unit": {"type": "string", "enum": ["s", "h"]},
  "days": {"type": "array", "items": {"type": "string"}, "maxItems": 2},
  "note": {"type": ["string", "null"]},
  "place": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}},
  "required": ["minutes"], "additionalProperties": false})";

std::string verdict(std::string_view arguments, std::string_view schema = kSchema) {
  const auto parsed = ArgumentsSchema::parse(schema);
  if (!parsed) return parsed.error().message;
  const auto checked = parsed->check(arguments);
  return checked ? "ok" : checked.error().message;
}

TEST(ArgumentsSchema, TakesWhatFits) {
  for (const char* arguments : {
           R"({"minutes": 1})",
           R"({"minutes": 1440.0, "share": 0.5, "name": "Zoë€x", "loud": true, "unit": "h"})",
           R"({"minutes": 7, "days": ["a", "b"], "note": null, "place": {"city": "x", "y": 1}})",
       }) {
    EXPECT_EQ(verdict(arguments), "ok") << arguments;
  }
}

TEST(ArgumentsSchema, SaysWhatIsWantedAndWhatWasSent) {
  const std::string end = "; call it again with that put right";
  for (
      const auto& [arguments, wanted] : {
          std::pair{R"({"minutes": "soon"})",
                    R"('minutes' must be a whole number from 1 to 1440, you sent "soon")"},
          {R"({"minutes": 0})", "'minutes' must be a whole number from 1 to 1440, you sent 0"},
          {R"({"minutes": 1.5})",
           "'minutes' must be a whole number from 1 to 1440, you sent 1.5E0"},
          {R"({})", "'minutes' is missing, it must be a whole number from 1 to 1440"},
          {R"({"minutes": 1, "share": -1})", "'share' must be a number of at least 0, you sent -1"},
          {R"({"minutes": 1, "name": ""})",
           R"('name' must be text of 1 to 5 characters, you sent "")"},
          {R"({"minutes": 1, "loud": 1})", "'loud' must be true or false, you sent 1"},
          {R"({"minutes": 1, "unit": "d"})", R"('unit' must be one of "s", "h", you sent "d")"},
          {R"({"minutes": 1, "days": ["a", 2]})", "'days[1]' must be text, you sent 2"},
          {R"({"minutes": 1, "days": ["a", "b", "c"]})",
           R"('days' must be a list of at most 2 items, you sent ["a","b","c"])"},
          {R"({"minutes": 1, "note": 2})", "'note' must be text or null, you sent 2"},
          {R"({"minutes": 1, "place": {}})", "'place.city' is missing, it must be text"},
          {R"({"minutes": 1, "minuts": 2})", "'minuts' is unknown, did you mean 'minutes'?"},
          {R"({"minutes": "x", "loud": 1})",
           R"('minutes' must be a whole number from 1 to 1440, you sent "x"; 'loud' must be true or false, you sent 1)"},
      }) {
    EXPECT_EQ(verdict(arguments), wanted + end) << arguments;
  }
}

TEST(ArgumentsSchema, WhatIsNoJsonObjectIsSaidSo) {
  EXPECT_TRUE(verdict("{\"minutes\": 1").starts_with("the arguments are not JSON: "))
      << verdict("{\"minutes\": 1");
  EXPECT_TRUE(verdict("[1]").starts_with("the arguments must be one JSON object, you sent [1]"));
}

TEST(ArgumentsSchema, LongValuesAreShownShort) {
  const std::string sent = verdict(R"({"minutes": ")" + std::string(5000, 'x') + "\"}");
  EXPECT_LT(sent.size(), 250U);
}

TEST(ArgumentsSchema, ASchemaThatIsNoObjectIsRefused) {
  EXPECT_FALSE(ArgumentsSchema::parse("{"));
  EXPECT_FALSE(ArgumentsSchema::parse("[]"));
  EXPECT_FALSE(ArgumentsSchema::parse(R"({"type": "string"})"));
}

}  // namespace
}  // namespace rouse
