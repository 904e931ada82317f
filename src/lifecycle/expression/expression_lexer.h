// Cuts the text of an expression into tokens, one at a time, and reads its literals. What cannot be
// a token is a problem with its place; the lexer never looks past it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <boost/json/value.hpp>

#include "lifecycle/expression/expression_problem.h"

namespace rouse {

enum class ExpressionTokenKind : std::uint8_t { kEnd, kName, kLiteral, kSign };

struct ExpressionToken {
  ExpressionTokenKind kind = ExpressionTokenKind::kEnd;
  std::string_view text;  // as it is written
  std::size_t begin = 0, end = 0;
  boost::json::value literal;  // of a number or a quoted text
};

class ExpressionLexer {
 public:
  explicit ExpressionLexer(std::string_view text) : text_(text) {}
  Expressed<ExpressionToken> next();

 private:
  [[nodiscard]] char at(std::size_t place) const {
    return place < text_.size() ? text_[place] : '\0';
  }
  ExpressionToken token(ExpressionTokenKind kind, std::size_t begin);
  Expressed<ExpressionToken> number();
  Expressed<ExpressionToken> quoted();
  Expressed<ExpressionToken> sign();

  std::string_view text_;
  std::size_t at_ = 0;
};

bool begins_name(char c);

}  // namespace rouse
