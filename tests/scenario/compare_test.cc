#include "tests/scenario/compare.h"

#include <gtest/gtest.h>

namespace rouse::scenario {
namespace {

constexpr std::string_view kOne = "sess_00000000000000000000000a";
constexpr std::string_view kTwo = "sess_00000000000000000000000b";

std::string with(std::string text, std::string_view value) {
  return text.replace(text.find("$"), 1, value);
}

class CompareTest : public testing::Test {
 protected:
  std::vector<std::string> compare(std::string_view expected, std::string_view got) {
    return differences(expected, got, names_);
  }
  using Lines = std::vector<std::string>;

  Names names_{[] { return WallTime{0}; }};
};

TEST_F(CompareTest, OnlyWhiteSpaceIsFree) {
  EXPECT_EQ(compare("{ \"a\": 1,\n \"b\": [true, null] }", R"({"a":1,"b":[true,null]})"), Lines{});
  EXPECT_EQ(compare(R"({"a":1})", R"({"a":1,"b":2})"), Lines{"b: not expected, got 2"});
  EXPECT_EQ(compare(R"({"a":1,"b":2})", R"({"a":1})"), Lines{"b: missing"});
  EXPECT_EQ(compare(R"({"a":1,"b":2})", R"({"b":2,"a":1})"),
            Lines{"the answer: the fields are in another order: expected a, b, got b, a"});
  EXPECT_EQ(compare(R"({"s":{"a":1}})", R"({"s":{"a":"1"}})"), Lines{"s.a: expected 1, got \"1\""});
  EXPECT_EQ(compare(R"({"a":1})", R"({"a":1.0})").size(), 1U);
  EXPECT_EQ(compare(R"({"a":[1,2]})", R"({"a":[1]})"), Lines{"a: expected 2 items, got 1"});
  EXPECT_EQ(compare("{}", "oops").size(), 1U);
}

TEST_F(CompareTest, ANameIsLearnedOnceAndThenHasToBeTheSame) {
  EXPECT_EQ(compare(R"({"id":"<sess a>"})", with(R"({"id":"$"})", kOne)), Lines{});
  EXPECT_EQ(compare(R"({"id":"<sess a>"})", with(R"({"id":"$"})", kOne)), Lines{});
  EXPECT_EQ(compare(R"({"id":"<sess a>"})", with(R"({"id":"$"})", kTwo)),
            Lines{"id: expected \"sess_00000000000000000000000a\", got "
                  "\"sess_00000000000000000000000b\""});
  EXPECT_EQ(names_.fill("/s/<sess a>", Escape::kNone), "/s/sess_00000000000000000000000a");
  EXPECT_FALSE(names_.fill("<sess b>", Escape::kNone));
}

TEST_F(CompareTest, TwoNamesAreTwoThings) {
  EXPECT_EQ(compare(R"({"id":"<sess a>"})", with(R"({"id":"$"})", kOne)), Lines{});
  EXPECT_EQ(compare(R"({"id":"<sess b>"})", with(R"({"id":"$"})", kOne)),
            Lines{"id: expected <sess b>, got \"sess_00000000000000000000000a\""});
  EXPECT_EQ(compare(R"({"id":"<sess b>"})", with(R"({"id":"$"})", kTwo)), Lines{});
}

TEST_F(CompareTest, EveryKindRefusesWhatIsNotOfIt) {
  for (const char* wrong :
       {"sess_a", "sess_00000000000000000000000G", "conv_00000000000000000000000a",
        "sess_00000000000000000000000a0", "", "x"}) {
    EXPECT_EQ(compare(R"({"a":"<sess>"})", with(R"({"a":"$"})", wrong)).size(), 1U) << wrong;
  }
  for (const char* wrong : {"2026-01-01T00:00:00Z", "2026-13-01T00:00:00.000Z", "yesterday"}) {
    EXPECT_EQ(compare(R"({"a":"<time>"})", with(R"({"a":"$"})", wrong)).size(), 1U) << wrong;
  }
  EXPECT_EQ(compare(R"({"a":"<time>"})", R"({"a":"2026-01-01T00:00:00.000Z"})"), Lines{});
  EXPECT_EQ(compare(R"({"a":"<number>"})", R"({"a":17})"), Lines{});
  EXPECT_EQ(compare(R"({"a":"<number>"})", R"({"a":"17"})").size(), 1U);
  EXPECT_EQ(compare(R"({"a":"<text>"})", R"({"a":""})").size(), 1U);
  EXPECT_EQ(compare(R"({"a":"<text>"})", R"({"a":null})").size(), 1U);
  EXPECT_EQ(compare(R"({"a":"<text up to 3>"})", R"({"a":"äöü"})"), Lines{});
  EXPECT_EQ(compare(R"({"a":"<text up to 3>"})", R"({"a":"äöüx"})").size(), 1U);
  EXPECT_EQ(compare(R"({"a":"<list 2>"})", R"({"a":[1,2]})"), Lines{});
  EXPECT_EQ(compare(R"({"a":"<list 2>"})", R"({"a":[1]})"), Lines{"a: expected <list 2>, got [1]"});
  EXPECT_EQ(compare(R"({"a":"<ws>"})", R"({"a":"ws_default"})"), Lines{});
}

TEST_F(CompareTest, ABlankMayStandInsideALongerText) {
  EXPECT_EQ(compare(R"({"a":"GOAL: <line>\nTURNS: 1"})", R"({"a":"GOAL: tea\nTURNS: 1"})"),
            Lines{});
  EXPECT_EQ(compare(R"({"a":"GOAL: <line>\nTURNS: 1"})", R"({"a":"GOAL: \nTURNS: 1"})"), Lines{});
  EXPECT_EQ(
      compare(R"({"a":"GOAL: <line>\nTURNS: 1"})", R"({"a":"GOAL: tea\nand\nTURNS: 1"})").size(),
      1U);
  EXPECT_EQ(compare(R"({"a":"no <text what> here"})", R"({"a":"no \"milk\" here"})"), Lines{});
  EXPECT_EQ(names_.fill(R"(["<text what>"])", Escape::kJson), R"(["\"milk\""])");
  EXPECT_EQ(compare(R"({"a":"a \u003c b>"})", R"({"a":"a < b>"})"), Lines{});
}

TEST_F(CompareTest, TimesAreCountedFromOneAnother) {
  EXPECT_EQ(compare(R"({"a":"<time now>"})", R"({"a":"1970-01-01T00:00:00.000Z"})"), Lines{});
  EXPECT_EQ(compare(R"({"a":"<time t>"})", R"({"a":"2026-01-01T00:00:00.000Z"})"), Lines{});
  EXPECT_EQ(compare(R"({"a":"<time t + 5 minutes>"})", R"({"a":"2026-01-01T00:05:00.000Z"})"),
            Lines{});
  EXPECT_EQ(compare(R"({"a":"<time t - 1 ms>"})", R"({"a":"2025-12-31T23:59:59.999Z"})"), Lines{});
  EXPECT_EQ(
      compare(R"({"a":"<time t + 5 minutes>"})", R"({"a":"2026-01-01T00:05:00.001Z"})").size(), 1U);
  EXPECT_EQ(names_.fill("<repeat 3 ab>", Escape::kNone), "ababab");
}

}  // namespace
}  // namespace rouse::scenario
