#include "lifecycle/expression/expression.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "lifecycle/expression/expression_evaluator.h"
#include "lifecycle/expression/expression_parser.h"

namespace rouse {
namespace {

Expressed<void> check_use(const ExpressionUse& use, const ExpressionVocabulary& known) {
  const auto& names = use.function ? known.functions : known.names;
  if (std::ranges::find(names, use.name) == names.end()) {
    return problem(ExpressionErrc::kMissing, use.offset,
                   fmt::format("{} '{}' is not known{}", use.function ? "the function" : "the name",
                               use.name, did_you_mean(use.name, names)));
  }
  if (use.key.empty()) return {};
  for (const auto& [name, keys] : known.keys) {
    if (name != use.name || std::ranges::find(keys, use.key) != keys.end()) continue;
    return problem(
        ExpressionErrc::kMissing, use.key_offset,
        fmt::format("'{}' has no '{}'{}", use.name, use.key, did_you_mean(use.key, keys)));
  }
  return {};
}

}  // namespace

Result<void> check_uses(std::string_view text, const std::vector<ExpressionUse>& uses,
                        const ExpressionVocabulary& known) {
  for (const ExpressionUse& use : uses) {
    if (const auto checked = check_use(use, known); !checked) {
      return fail(to_error(checked.error(), text));
    }
  }
  return {};
}

Expressed<Expression> Expression::parse_part(std::string_view text) {
  if (text.size() > limits::kExpressionBytes) {
    return problem(ExpressionErrc::kLimit, 0,
                   fmt::format("the expression is longer than {} bytes", limits::kExpressionBytes));
  }
  if (!is_utf8(text)) return problem(ExpressionErrc::kSyntax, 0, "the expression is not UTF-8");
  ExpressionParser parser(text);
  TRY_VOID(parser.run());
  return Expression(std::move(parser.tree), std::move(parser.uses));
}

Result<Expression> Expression::parse(std::string_view text) {
  auto parsed = parse_part(text);
  if (!parsed) return fail(to_error(parsed.error(), text));
  return std::move(*parsed);
}

Result<bool> Expression::holds(ExpressionScope& scope, ExpressionTrace* trace) const {
  ExpressionMeter meter(limits::kExpressionSteps);
  const auto found = ExpressionEvaluator(tree_, scope, meter, trace).run();
  if (!found) return fail(to_error(found.error(), tree_.text));
  return is_true(found->get());
}

Result<boost::json::value> Expression::value(ExpressionScope& scope, ExpressionTrace* trace) const {
  ExpressionMeter meter(limits::kExpressionSteps);
  auto found = ExpressionEvaluator(tree_, scope, meter, trace).run();
  if (!found) return fail(to_error(found.error(), tree_.text));
  boost::json::value taken = std::move(*found).take(meter);
  if (!meter.exhausted()) return taken;
  return fail(ExpressionErrc::kLimit, "the value is too large to be copied");
}

}  // namespace rouse
