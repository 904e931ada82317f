// What is wrong with an expression or a template, and where. The place is a byte of the text, so
// that whoever has the text around it (a template, a YAML file) can say the line and the column
// there; to_error() says them within the text itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace rouse {

enum class ExpressionErrc : std::uint8_t {
  kSyntax,   // it cannot be read
  kMissing,  // a name, key or index that is not there
  kValue,    // a value of the wrong type
  kLimit,    // over one of the bounds
  kHost,     // a host function or a lazy value failed
};
ErrorInfo error_info(ExpressionErrc code);

struct ExpressionProblem {
  ExpressionErrc code = ExpressionErrc::kSyntax;
  std::size_t offset = 0;  // in bytes
  std::string words;
};

template <class T>
using Expressed = std::expected<T, ExpressionProblem>;

inline std::unexpected<ExpressionProblem> problem(ExpressionErrc code, std::size_t offset,
                                                  std::string words) {
  return std::unexpected(ExpressionProblem{code, offset, std::move(words)});
}

// "column 7: …", or "line 2, column 7: …" if the text has several lines. Columns count characters.
Error to_error(const ExpressionProblem& found, std::string_view text);

// "; did you mean 'x'?", or nothing. For the end of a message.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace rouse
