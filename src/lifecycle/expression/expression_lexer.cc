#include "lifecycle/expression/expression_lexer.h"

#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"

namespace rouse {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool continues_name(char c) { return begins_name(c) || is_digit(c); }

// Longer ones first.
constexpr std::array<std::string_view, 16> kSigns{"==", "!=", "<=", ">=", "<", ">", "(", ")",
                                                  "[",  "]",  "{",  "}",  ",", ":", ".", "-"};

// What people write from habit, and what this language has instead.
std::string_view advice(char c) {
  switch (c) {
    case '=':
      return "'=' sets nothing here; write '==' to compare";
    case '&':
      return "write 'and' instead of '&'";
    case '|':
      return "write 'or' instead of '|'";
    case '!':
      return "write 'not' instead of '!'";
    case '+':
    case '*':
    case '/':
    case '%':
      return "there is no arithmetic in this language";
    default:
      return {};
  }
}

char unescaped(char c) {
  switch (c) {
    case 'n':
      return '\n';
    case 't':
      return '\t';
    case 'r':
      return '\r';
    case '\\':
    case '\'':
    case '"':
      return c;
    default:
      return '\0';
  }
}

}  // namespace

bool begins_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

ExpressionToken ExpressionLexer::token(ExpressionTokenKind kind, std::size_t begin) {
  return {kind, text_.substr(begin, at_ - begin), begin, at_, {}};
}

Expressed<ExpressionToken> ExpressionLexer::next() {
  while (is_blank(at(at_))) ++at_;
  if (at_ >= text_.size()) return token(ExpressionTokenKind::kEnd, at_);
  const char c = at(at_);
  if (begins_name(c)) {
    const std::size_t begin = at_;
    while (continues_name(at(at_))) ++at_;
    return token(ExpressionTokenKind::kName, begin);
  }
  if (is_digit(c) || (c == '.' && is_digit(at(at_ + 1)))) return number();
  if (c == '\'' || c == '"') return quoted();
  return sign();
}

Expressed<ExpressionToken> ExpressionLexer::number() {
  const std::size_t begin = at_;
  bool whole = true;
  while (is_digit(at(at_))) ++at_;
  if (at(at_) == '.') {
    whole = false;
    do ++at_;
    while (is_digit(at(at_)));
  }
  const bool signed_exponent = at(at_ + 1) == '-' || at(at_ + 1) == '+';
  if ((at(at_) == 'e' || at(at_) == 'E') && is_digit(at(at_ + (signed_exponent ? 2 : 1)))) {
    whole = false;
    at_ += signed_exponent ? 2 : 1;
    while (is_digit(at(at_))) ++at_;
  }
  ExpressionToken read = token(ExpressionTokenKind::kLiteral, begin);
  if (continues_name(at(at_))) {
    return problem(ExpressionErrc::kSyntax, at_,
                   fmt::format("an operator is missing after the number '{}'", read.text));
  }
  const char* end = read.text.data() + read.text.size();
  std::int64_t integer = 0;
  double real = 0;
  const std::errc wrong = whole ? std::from_chars(read.text.data(), end, integer).ec
                                : std::from_chars(read.text.data(), end, real).ec;
  if (wrong != std::errc{}) {
    return problem(ExpressionErrc::kSyntax, begin,
                   fmt::format("the number '{}' is out of range", utf8_prefix(read.text, 40)));
  }
  if (whole) {
    read.literal = integer;
  } else {
    read.literal = real;
  }
  return read;
}

Expressed<ExpressionToken> ExpressionLexer::quoted() {
  const std::size_t begin = at_;
  const char quote = at(at_++);
  boost::json::string value;
  while (at_ < text_.size() && at(at_) != quote) {
    if (at(at_) != '\\') {
      value.push_back(text_[at_++]);
      continue;
    }
    const char c = unescaped(at(at_ + 1));
    if (c == '\0') {
      return problem(ExpressionErrc::kSyntax, at_,
                     "this escape is not known; there are \\n, \\t, \\r, \\\\, \\' and \\\"");
    }
    value.push_back(c);
    at_ += 2;
  }
  if (at_ >= text_.size()) {
    return problem(ExpressionErrc::kSyntax, begin,
                   fmt::format("the text that begins here has no closing {}", quote));
  }
  ++at_;
  ExpressionToken read = token(ExpressionTokenKind::kLiteral, begin);
  read.literal = std::move(value);
  return read;
}

Expressed<ExpressionToken> ExpressionLexer::sign() {
  for (const std::string_view one : kSigns) {
    if (!text_.substr(at_).starts_with(one)) continue;
    at_ += one.size();
    return token(ExpressionTokenKind::kSign, at_ - one.size());
  }
  if (const std::string_view words = advice(at(at_)); !words.empty()) {
    return problem(ExpressionErrc::kSyntax, at_, std::string(words));
  }
  std::size_t length = 1;
  while ((static_cast<unsigned char>(at(at_ + length)) & 0xC0) == 0x80) ++length;
  return problem(ExpressionErrc::kSyntax, at_,
                 fmt::format("'{}' has no meaning here", text_.substr(at_, length)));
}

}  // namespace rouse
