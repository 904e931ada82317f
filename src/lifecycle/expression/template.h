// The text of a workflow with holes: contexts to inject, reasons of a block.
//
//   Tasks of {{ project.name | default('this project') }}:
//   {% for task in tasks %}- {{ task.title }}{% if task.claimed %} (yours){% endif %}
//   {% endfor %}
//
// It has {{ expression }}, the filters default and join, {% if %} {% elif %} {% else %} {% endif %}
// and {% for name in list %} {% endfor %}; the expressions are those of expression.h. A value is
// written as str() does, but None is written as nothing. default() stands in for None and for what
// is not there. To write braces themselves, write {{ '{{' }}.
//
// A template is parsed once, into a flat list of steps, and rendered by one loop that keeps its
// bounds on text and steps. A template that would pass a bound is an error and gives no text: half
// a text could say the opposite of the whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lifecycle/expression/expression.h"

namespace rouse {

namespace limits {
inline constexpr std::size_t kTemplateBytes = 1 << 16;
inline constexpr std::size_t kTemplateParts = 1000;
inline constexpr std::size_t kTemplateDepth = 16;       // blocks within one another
inline constexpr std::size_t kTemplateSteps = 100'000;  // of all expressions and rounds
inline constexpr std::size_t kTemplateOutputBytes = 1 << 16;
}  // namespace limits

enum class TemplateStepKind : std::uint8_t {
  kText,        // write the text
  kOutput,      // write the expression, filtered
  kJumpUnless,  // go to the target if the expression is false
  kJump,
  kFor,     // begin to go through the expression's list; if it is empty go to the target
  kRepeat,  // the next round of the loop that began at the target, or go on
};

enum class TemplateFilterKind : std::uint8_t { kDefault, kJoin };

struct TemplateFilter {
  TemplateFilterKind kind = TemplateFilterKind::kDefault;
  int argument = -1;  // index of its expression; -1: none
};

struct TemplateStep {
  TemplateStepKind kind = TemplateStepKind::kText;
  std::string text;            // or the variable of a loop
  std::size_t expression = 0;  // its index
  std::size_t target = 0;
  std::vector<TemplateFilter> filters;
};

struct TemplateExpression {
  Expression expression;
  std::size_t offset = 0;  // in the text of the template
};

struct TemplateProgram {
  std::string text;
  std::vector<TemplateStep> steps;
  std::vector<TemplateExpression> expressions;
  std::vector<ExpressionUse> uses;
};

class TextTemplate {
 public:
  // The error says line and column.
  static Result<TextTemplate> parse(std::string_view text);
  Result<std::string> render(ExpressionScope& scope) const;

  [[nodiscard]] const std::string& text() const { return program_.text; }
  // What it asks its scope for; the variables of its loops are not among them.
  [[nodiscard]] const std::vector<ExpressionUse>& uses() const { return program_.uses; }

 private:
  explicit TextTemplate(TemplateProgram program) : program_(std::move(program)) {}
  TemplateProgram program_;
};

}  // namespace rouse
