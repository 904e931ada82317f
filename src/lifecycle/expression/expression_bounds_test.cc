// What keeps an expression harmless: bounds at parse, bounds at evaluation, and ten thousand random
// ones.
#include <array>

#include <gtest/gtest.h>

#include "base/random.h"
#include "base/text.h"
#include "lifecycle/expression/expression.h"
#include "lifecycle/expression/scope_for_tests.h"

namespace rouse {
namespace {

std::string repeated(std::string_view text, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

std::string parse_error(std::string_view text) {
  const auto parsed = Expression::parse(text);
  return parsed ? "" : parsed.error().message;
}

TEST(ExpressionBounds, NestingIsBounded) {  // S4-C8
  const std::string_view too_deep = "it is nested deeper than 32 levels";
  for (const std::string& text :
       {repeated("(", 2000), repeated("[", 2000), repeated("{'a':", 800), repeated("f(", 2000),
        repeated("not ", 900) + "a", "a" + repeated(".b", 900), "a" + repeated("[0]", 900),
        repeated("a if b else ", 300) + "c", repeated("any(", 900),
        "a" + repeated(".get('k')", 300)}) {
    EXPECT_TRUE(parse_error(text).contains(too_deep)) << text.substr(0, 40) << parse_error(text);
  }
  EXPECT_EQ(parse_error(repeated("(", 31) + "a" + repeated(")", 31)), "");
  EXPECT_EQ(parse_error("a" + repeated(".b", 31)), "");
}

TEST(ExpressionBounds, ManyConditionsSideBySideAreNoNesting) {
  EXPECT_EQ(parse_error("a" + repeated(" and a", 400)), "");
  EXPECT_EQ(parse_error("1" + repeated(" < 2", 400)), "");
}

TEST(ExpressionBounds, SizeIsBounded) {
  EXPECT_EQ(parse_error(repeated(" ", 4097)), "column 1: the expression is longer than 4096 bytes");
  EXPECT_TRUE(
      parse_error("[" + repeated("1,", 1200) + "]").contains("at most 1000 can stand here"));
  EXPECT_TRUE(parse_error("f(1,2,3,4,5,6,7,8,9)").contains("at most 8 can stand here"));
  EXPECT_TRUE(
      parse_error("a" + repeated(" or any(x for x in a)", 40)).contains("more than 32 'for'"));
}

class LargeValues : public ::testing::Test {
 protected:
  LargeValues() {
    boost::json::array many(5000, boost::json::value(1));
    scope_.values["many"] = many;
    scope_.values["long"] = std::string(3 << 20, 'a');
    scope_.values["giant"] = std::string(30 << 20, 'a');
    scope_.values["needle"] = std::string(1 << 20, 'a') + "b";
    boost::json::value nested = 1;
    for (int i = 0; i < 200; ++i) nested = boost::json::array{std::move(nested)};
    scope_.values["nested"] = nested;
    boost::json::value same = 1;
    for (int i = 0; i < 200; ++i) same = boost::json::array{std::move(same)};
    scope_.values["nested_too"] = same;
  }
  std::string error_of(std::string_view text) {
    const auto value = Expression::parse(text)->value(scope_);
    return value ? "" : value.error().message;
  }
  TestScope scope_;
};

TEST_F(LargeValues, StepsAreBounded) {  // S4-C8
  EXPECT_EQ(error_of("any(any(x != y for y in many) for x in many)"),
            "column 9: it takes more steps than an evaluation may");
  EXPECT_TRUE(error_of("all(many[0] == 1 for x in many if 2 not in many)").contains("more steps"));
  EXPECT_TRUE(error_of("giant == giant").contains("more steps"));
  EXPECT_TRUE(error_of("'b' in giant").contains("more steps"));
  EXPECT_TRUE(error_of("long.split('a')").contains("more steps"));
  EXPECT_TRUE(error_of("[many, many, many, many, many]").contains("more steps"));
  EXPECT_TRUE(error_of("[long, long, long, long, long, long, long]").contains("more steps"));
  EXPECT_TRUE(error_of("nested == nested_too").contains("more steps"));
  EXPECT_TRUE(error_of("[nested, one_more]").contains("more steps"));
  EXPECT_TRUE(error_of("giant").contains("too large"));
  EXPECT_TRUE(error_of("str(long)").contains("longer than 1048576 bytes"));
}

TEST_F(LargeValues, LargeIsNotTooLarge) {
  EXPECT_EQ(error_of("needle in long"), "");  // linear, though all but the last byte match
  EXPECT_EQ(error_of("2 in many or len(long) > 5"), "");
  EXPECT_EQ(error_of("all(x == 1 for x in many if x)").empty(), false);  // 5 steps an item
  EXPECT_EQ(error_of("all(x for x in many)"), "");
  EXPECT_EQ(error_of("long.startswith('aaa') and long.strip().endswith('a')"), "");
}

TEST_F(LargeValues, TracesAreBounded) {
  ExpressionTrace trace;
  EXPECT_TRUE(*Expression::parse("long != '' and all(x for x in many)")->holds(scope_, &trace));
  EXPECT_EQ(trace.entries.size(), limits::kExpressionTraceEntries);
  for (const auto& entry : trace.entries) {
    EXPECT_LE(entry.value.size(), limits::kExpressionTraceBytes + 3);
  }
}

// --- random expressions --------------------------------------------------------------------------

class RandomExpressions {
 public:
  explicit RandomExpressions(std::uint64_t seed) : random_(seed) {}

  std::string next() { return random_.below(4) == 0 ? noise() : expression(0); }

 private:
  // Well-formed up to its depth, with any mix of types.
  std::string expression(int depth) {
    if (depth > 5 || random_.below(5) == 0) return leaf();
    const auto part = [&] { return expression(depth + 1); };
    switch (random_.below(12)) {
      case 0:
        return part() + " and " + part();
      case 1:
        return part() + " or " + part();
      case 2:
        return "not " + part();
      case 3:
        return part() + " " + std::string(pick(kCompare)) + " " + part();
      case 4:
        return "(" + part() + " if " + part() + " else " + part() + ")";
      case 5:
        return "[" + part() + ", " + part() + "]";
      case 6:
        return "{'k': " + part() + ", " + part() + ": 1}";
      case 7:
        return "(" + part() + ")" + std::string(pick(kMethod));
      case 8:
        return "(" + part() + ")[" + part() + "]";
      case 9:
        return std::string(pick(kFunction)) + "(" + part() + ")";
      case 10:
        return "any(" + part() + " for x in " + leaf() + " if " + part() + ")";
      default:
        return "(" + part() + ")";
    }
  }
  std::string leaf() { return std::string(pick(kLeaf)); }
  std::string noise() {
    std::string out;
    for (auto left = random_.below(20); left > 0; --left) out += std::string(pick(kToken)) + " ";
    return out;
  }
  template <std::size_t Size>
  std::string_view pick(const std::array<std::string_view, Size>& from) {
    return from.at(random_.below(Size));
  }

  static constexpr std::array<std::string_view, 12> kCompare{"==",
                                                             "!=",
                                                             "<",
                                                             "<=",
                                                             ">",
                                                             ">=",
                                                             "in",
                                                             "not in",
                                                             "is None and 1 ==",
                                                             "is not True ==",
                                                             "is False or",
                                                             "is True and"};
  static constexpr std::array<std::string_view, 13> kMethod{
      ".get('k')", ".get('a', 1)", ".lower()",        ".upper()",  ".strip()",
      ".split()",  ".split('a')",  ".keys()",         ".values()", ".a",
      "[0]",       "['k']",        ".startswith('a')"};
  static constexpr std::array<std::string_view, 8> kFunction{"len", "str", "int",          "bool",
                                                             "any", "all", "is_plan_file", "count"};
  static constexpr std::array<std::string_view, 16> kLeaf{
      "1",    "-2",   "0.5",    "'a'",     "\"b c\"", "True", "None", "x",
      "text", "list", "object", "nothing", "[]",      "{}",   "many", "1e300"};
  static constexpr std::array<std::string_view, 40> kToken{
      "and", "or", "not",  "in",     "is",    "if",   "else", "for", "any",  "all",
      "(",   ")",  "[",    "]",      "{",     "}",    ",",    ":",   ".",    "-",
      "==",  "!=", "<",    ">=",     "=",     "+",    "'",    "\"",  "'a'",  "1",
      "2.5", "x",  "list", "object", ".get(", "len(", "\\",   "é",   "None", "any(x for x in"};
  SeededRandom random_;
};

TEST(ExpressionBounds, TenThousandRandomOnesNeitherCrashNorHang) {  // issue 9
  RandomExpressions random(20261116);
  TestScope scope(
      R"({"text": "a b a", "list": [1, "a", null, [2], {"k": 1}], "x": 3, "nothing": null,
                      "object": {"a": 1, "k": {"a": "a"}}})");
  scope.values["many"] = boost::json::array(300, boost::json::value("a"));
  int read = 0, valued = 0;
  for (int i = 0; i < 10'000; ++i) {
    const std::string text = random.next();
    const auto parsed = Expression::parse(text);
    if (!parsed) {
      ASSERT_TRUE(parsed.error().message.contains("column ")) << text;
      continue;
    }
    ++read;
    ExpressionTrace trace;
    const auto value = parsed->value(scope, i % 2 == 0 ? &trace : nullptr);
    ASSERT_TRUE(value || is_utf8(value.error().message)) << text;
    const auto again = parsed->value(scope);
    ASSERT_EQ(value.has_value(), again.has_value()) << text;
    if (value) {
      ASSERT_EQ(*value, *again) << text;
      ++valued;
    }
  }
  EXPECT_GT(read, 3000);  // the generator is worth something
  EXPECT_GT(valued, 500);
}

}  // namespace
}  // namespace rouse
