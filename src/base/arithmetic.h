// Sums a person types into a chat: "what is 12 * (3 + 4)?", "15% of 80", "2^10". One place for all
// who answer them: the calculator tool, the offline model, the fast path of a bridge.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace rouse {

// The value of an expression: + - * / % ^ ( ), decimal numbers, "x" and "×" for times, "÷", "15% of
// 80", "sqrt(2)". The error says what is wrong and where ("there is nothing after '+'").
Result<double> calculate(std::string_view expression);

// A number as people write it: "84", "0.3", "1,000,000" stays 1000000; at most 12 digits.
std::string number_text(double value);

// The whole message is a sum, with or without words around it ("what's 3+4?", "calculate 2^8"): its
// answer ("3+4 = 7"), or why there is none ("3/0: division by zero"). nullopt: it is not a sum; a
// bare number, a date or a phone number is none.
std::optional<std::string> answer_sum(std::string_view message);

}  // namespace rouse
