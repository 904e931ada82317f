#include "tool/calculator.h"

#include <fmt/format.h>

#include "base/arithmetic.h"
#include "base/json.h"
#include "base/text.h"

namespace rouse {
namespace {

struct CalculateArguments {
  std::string expression;
};
auto shape(const CalculateArguments*) {
  return fields(field("expression", &CalculateArguments::expression, "The sum"));
}

}  // namespace

const ToolInfo& Calculator::info() const {
  static const ToolInfo info{
      .name = "calculate",
      .description = "The exact value of an arithmetic expression.",
      .schema = R"({"type":"object","properties":{"expression":{"type":"string","minLength":1,)"
                R"("maxLength":1000,"description":"+ - * / % ^ ( ) sqrt(2) 15% of 80"}},)"
                R"("required":["expression"],"additionalProperties":false})"};
  return info;
}

Task<ToolResult> Calculator::run(ToolCall call, std::stop_token stop) {
  const auto arguments = decode_json<CalculateArguments>(call.arguments);
  if (!arguments) co_return ToolResult{.text = arguments.error().message, .failed = true};
  const std::string_view expression = trim(arguments->expression);
  const Result<double> value = calculate(expression);
  if (!value) {
    co_return ToolResult{.text = fmt::format("{}: {}", expression, value.error().message),
                         .failed = true};
  }
  co_return ToolResult{.text = fmt::format("{} = {}", expression, number_text(*value))};
}

}  // namespace rouse
