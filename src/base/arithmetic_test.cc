#include "base/arithmetic.h"

#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace rouse {
namespace {

std::string value_of(std::string_view expression) {
  const auto value = calculate(expression);
  return value ? number_text(*value) : "! " + value.error().message;
}

struct Case {
  const char* given;
  const char* wanted;
};

TEST(Arithmetic, KnowsTheOperatorsAndTheirOrder) {
  for (const auto& [given, wanted] : {
           Case{"1+2", "3"},
           Case{"2 + 3 * 4", "14"},
           Case{"(2 + 3) * 4", "20"},
           Case{"12 * (3 + 4)", "84"},
           Case{"10 - 3 - 2", "5"},
           Case{"100 / 8", "12.5"},
           Case{"2^10", "1024"},
           Case{"2**10", "1024"},
           Case{"2^3^2", "512"},
           Case{"-2^2", "-4"},
           Case{"2^-2", "0.25"},
           Case{"--3", "3"},
           Case{"2 * -3", "-6"},
           Case{"10 % 3", "1"},
           Case{"3 x 4", "12"},
           Case{"3x4", "12"},
           Case{"3 × 4 ÷ 2", "6"},
           Case{"7 − 2", "5"},
           Case{"sqrt(2)", "1.41421356237"},
           Case{"sqrt 16 + 1", "5"},
           Case{"SQRT(9)", "3"},
           Case{"√16", "4"},
           Case{"3² + 4²", "25"},
           Case{".5 + .25", "0.75"},
           Case{"1,000,000 / 4", "250000"},
           Case{"1e3 + 2.5e-1", "1000.25"},
           Case{"5 plus 3 times 2 minus 1", "10"},
           Case{"9 divided by 3", "3"},
           Case{"4 squared", "16"},
           Case{"2 to the power of 5", "32"},
           Case{"17 mod 5", "2"},
           Case{"0.1+0.2", "0.3"},
       }) {
    EXPECT_EQ(value_of(given), wanted) << given;
  }
}

TEST(Arithmetic, PercentMeansWhatPeopleMean) {
  for (const auto& [given, wanted] : {
           Case{"15% of 80", "12"},
           Case{"15 % of 80", "12"},
           Case{"15 percent of 80 + 1", "13"},
           Case{"200 + 10%", "220"},
           Case{"200 - 10%", "180"},
           Case{"50%", "0.5"},
           Case{"200 * 10%", "20"},
           Case{"(10%)", "0.1"},
           Case{"5 + (10%)", "5.1"},
       }) {
    EXPECT_EQ(value_of(given), wanted) << given;
  }
}

TEST(Arithmetic, SaysWhatIsWrongAndWhere) {
  for (const auto& [given, wanted] : {
           Case{"", "! there is nothing to calculate"},
           Case{"3 +", "! there is nothing after '+'"},
           Case{"* 3", "! there is nothing before '*'"},
           Case{"3 * / 4", "! there is no number between '*' and '/'"},
           Case{"(1 + 2", "! there is no ')' for the '(' at character 1"},
           Case{"1 + 2)", "! the ')' at character 6 closes nothing"},
           Case{"()", "! there is nothing after '('"},
           Case{"3 4", "! an operator is missing before '4' at character 3"},
           Case{"2 (3)", "! an operator is missing before '(' at character 3"},
           Case{"1.2.3", "! an operator is missing before '.' at character 4"},
           Case{"3,5 + 1", "! write decimals with a point (3.5), and functions with one number"},
           Case{"3 apples", "! 'apples' is nothing to calculate with"},
           Case{"3 $ 4", "! '$' is nothing to calculate with"},
           Case{"3 € 4", "! '€' is nothing to calculate with"},
           Case{"3/0", "! division by zero"},
           Case{"3 % (2-2)", "! division by zero"},
           Case{"0^-1", "! division by zero"},
           Case{"sqrt(-1)", "! a negative number has no square root"},
           Case{"(-8)^0.5", "! a negative number has no such root"},
           Case{"10^400", "! the result is too large"},
           Case{"1e999", "! '1e999' is too large or too small"},
       }) {
    EXPECT_EQ(value_of(given), wanted) << given;
  }
}

TEST(Arithmetic, DepthAndLengthAreBounded) {
  EXPECT_EQ(value_of(std::string(500, '(')), "! it is nested too deeply");
  EXPECT_EQ(value_of(std::string(500, '-') + "1"), "! it is nested too deeply");
  EXPECT_EQ(value_of(std::string(2000, '1')), "! the expression is longer than 1000 characters");
  std::string roots;
  for (int i = 0; i < 100; ++i) roots += "sqrt ";
  EXPECT_EQ(value_of(roots + "2"), "! it is nested too deeply");
  std::string powers = "1";
  for (int i = 0; i < 100; ++i) powers += "^1";
  EXPECT_EQ(value_of(powers), "! it is nested too deeply");
  std::string percents;
  for (int i = 0; i < 120; ++i) percents += "1% of ";
  EXPECT_EQ(value_of(percents + "1"), "! it is nested too deeply");
}

TEST(Arithmetic, WritesNumbersAsPeopleDo) {
  EXPECT_EQ(number_text(84), "84");
  EXPECT_EQ(number_text(-0.0), "0");
  EXPECT_EQ(number_text(0.1 + 0.2), "0.3");
  EXPECT_EQ(number_text(1e6), "1000000");
  EXPECT_EQ(number_text(1.0 / 3), "0.333333333333");
  EXPECT_EQ(number_text(1'099'511'627'776.0), "1099511627776");
  EXPECT_EQ(number_text(1e20), "1e20");
}

// S1-C9
TEST(Arithmetic, FindsASumInAMessage) {
  for (const auto& [given, wanted] : {
           Case{"3+4", "3+4 = 7"},
           Case{"what's 3+4?", "3+4 = 7"},
           Case{"What is 12 * (3 + 4)?", "12 * (3 + 4) = 84"},
           Case{"calculate 2^8", "2^8 = 256"},
           Case{"hey, can you please calculate 2^8, please?", "2^8 = 256"},
           Case{"How much is 15% of 80", "15% of 80 = 12"},
           Case{"3 + 4 =", "3 + 4 = 7"},
           Case{"sqrt(16)", "sqrt(16) = 4"},
           Case{"what is 5 times 3", "5 times 3 = 15"},
           Case{"3/0", "3/0: division by zero"},
           Case{"calculate 3 +", "3 +: there is nothing after '+'"},
           Case{"what is 10-3-2", "10-3-2 = 5"},
           Case{"1000-250", "1000-250 = 750"},
           Case{"what is the square root of 16?", "square root of 16 = 4"},
       }) {
    EXPECT_EQ(answer_sum(given).value_or("-"), wanted) << given;
  }
}

// S1-C9
TEST(Arithmetic, LeavesOtherMessagesAlone) {
  for (const char* message : {"",
                              "42",
                              "-5",
                              "(5)",
                              "50%",
                              "what is 42?",
                              "calculate 5",
                              "2026-11-15",
                              "what is 2026-11-15?",
                              "15/11/2026",
                              "1-2-26",
                              "15.11.2026",
                              "10:30",
                              "555-1234",
                              "+1 555 123 4567",
                              "+1-555-123-4567",
                              "+49-30123456",
                              "555-123-4567",
                              "192.168.0.1",
                              "3 +",
                              "call me at 5 - or 6",
                              "I have 3+4 apples",
                              "3\n+4",
                              "hello",
                              "what is up?",
                              "x",
                              "1 2 3"}) {
    EXPECT_EQ(answer_sum(message), std::nullopt) << message;
  }
  EXPECT_EQ(answer_sum(std::string(100, '1') + "+" + std::string(100, '1')), std::nullopt);
}

RC_GTEST_PROP(Arithmetic, NoTextBreaksIt, ()) {
  const auto text = *rc::gen::container<std::string>(
      rc::gen::element('1', '0', '.', ',', '+', '-', '*', '/', '%', '^', '(', ')', ' ', 'x', 'e',
                       'o', 'f', '\xC3', '\x97', '\xE2'));
  const auto value = calculate(text);
  RC_ASSERT(!value || std::isfinite(*value));
  RC_ASSERT(value || !value.error().message.empty());
  answer_sum(text);
}

}  // namespace
}  // namespace rouse
