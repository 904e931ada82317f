#include "lifecycle/expression/expression_problem.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace rouse {

ErrorInfo error_info(ExpressionErrc code) {
  switch (code) {
    case ExpressionErrc::kSyntax:
      return {Kind::kInvalid, "expression_syntax"};
    case ExpressionErrc::kMissing:
      return {Kind::kInvalid, "expression_missing"};
    case ExpressionErrc::kValue:
      return {Kind::kInvalid, "expression_value"};
    case ExpressionErrc::kLimit:
      return {Kind::kTooLarge, "expression_limit"};
    case ExpressionErrc::kHost:
      return {Kind::kInternal, "expression_host"};
  }
  return {Kind::kInternal, "internal"};
}

Error to_error(const ExpressionProblem& found, std::string_view text) {
  const std::string_view before = text.substr(0, std::min(found.offset, text.size()));
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  const std::size_t column = 1 + count_characters(before.substr(line_start));
  if (!text.contains('\n')) {
    return {found.code, fmt::format("column {}: {}", column, found.words)};
  }
  const auto line = 1 + std::ranges::count(before, '\n');
  return {found.code, fmt::format("line {}, column {}: {}", line, column, found.words)};
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates) {
  const auto meant = nearest(word, candidates);
  return meant ? fmt::format("; did you mean '{}'?", *meant) : std::string();
}

}  // namespace rouse
