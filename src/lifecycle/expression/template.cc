#include "lifecycle/expression/template.h"

#include <deque>

#include <fmt/format.h>

#include "lifecycle/expression/expression_evaluator.h"
#include "lifecycle/expression/template_parser.h"

namespace rouse {
namespace {

namespace json = boost::json;

// The scope of a template, with the variables of the loops that are under way in front.
class TemplateScope final : public ExpressionScope {
 public:
  struct Loop {
    std::string_view variable;
    json::array items;
    std::size_t next = 0;
  };
  explicit TemplateScope(ExpressionScope& outer) : outer_(outer) {}

  Result<const json::value*> find(std::string_view name) override {
    for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop) {
      if (loop->variable == name) return &loop->items[loop->next - 1];
    }
    return outer_.find(name);
  }
  Result<json::value> call(std::string_view function,
                           std::span<const json::value* const> arguments) override {
    return outer_.call(function, arguments);
  }
  [[nodiscard]] std::vector<std::string_view> names() const override {
    std::vector<std::string_view> all = outer_.names();
    for (const Loop& loop : loops) all.push_back(loop.variable);
    return all;
  }

  std::deque<Loop> loops;

 private:
  ExpressionScope& outer_;
};

// One rendering of a template.
class TemplateRun {
 public:
  TemplateRun(const TemplateProgram& program, ExpressionScope& scope)
      : program_(program), scope_(scope) {}

  Expressed<std::string> run() {
    for (std::size_t at = 0; at < program_.steps.size();) {
      if (!meter_.spend()) return too_long(0);
      TRY(at, take(at));
    }
    return std::move(out_);
  }

 private:
  // Does one step and says which is next.
  Expressed<std::size_t> take(std::size_t at) {
    const TemplateStep& step = program_.steps[at];
    switch (step.kind) {
      case TemplateStepKind::kText:
        if (out_.size() + step.text.size() > limits::kTemplateOutputBytes) return too_large(0);
        out_ += step.text;
        return at + 1;
      case TemplateStepKind::kOutput:
        TRY_VOID(output(step));
        return at + 1;
      case TemplateStepKind::kJumpUnless: {
        TRY(const ExpressionValue condition, evaluate(step.expression));
        return is_true(condition.get()) ? at + 1 : step.target;
      }
      case TemplateStepKind::kJump:
        return step.target;
      case TemplateStepKind::kFor:
        TRY_VOID(begin_loop(step));
        return next_round(at, step.target);
      case TemplateStepKind::kRepeat:
        return next_round(step.target, at + 1);
    }
    return at + 1;
  }

  Expressed<ExpressionValue> evaluate(std::size_t index) {
    const TemplateExpression& one = program_.expressions[index];
    auto found = ExpressionEvaluator(one.expression.tree(), scope_, meter_, nullptr).run();
    if (!found) found.error().offset += one.offset;
    return found;
  }

  Expressed<void> output(const TemplateStep& step) {
    const std::size_t offset = program_.expressions[step.expression].offset;
    auto value = evaluate(step.expression);
    for (const TemplateFilter& filter : step.filters) {
      if (filter.kind == TemplateFilterKind::kDefault) {
        const bool absent =
            value ? value->get().is_null() : value.error().code == ExpressionErrc::kMissing;
        if (absent) value = evaluate(static_cast<std::size_t>(filter.argument));
      } else if (value) {
        value = join(*value, filter, offset);
      }
    }
    if (!value) return std::unexpected(std::move(value.error()));
    if (value->get().is_null()) return {};
    return write(value->get(), offset);
  }

  Expressed<ExpressionValue> join(const ExpressionValue& list, const TemplateFilter& filter,
                                  std::size_t offset) {
    if (!list.get().is_array()) {
      return problem(ExpressionErrc::kValue, offset,
                     fmt::format("'join' needs a list, and this is {}", type_words(list.get())));
    }
    ExpressionValue separator{json::value("")};
    if (filter.argument >= 0) {
      TRY(separator, evaluate(static_cast<std::size_t>(filter.argument)));
    }
    std::string joined;
    bool fits = true, first = true;
    for (const json::value& item : list.get().get_array()) {
      if (!meter_.spend()) return too_long(offset);
      if (!first) fits &= append_text(joined, separator.get(), limits::kTemplateOutputBytes);
      fits = fits && append_text(joined, item, limits::kTemplateOutputBytes);
      if (!fits) return too_large(offset);
      first = false;
    }
    return json::value(joined);
  }

  Expressed<void> write(const json::value& value, std::size_t offset) {
    if (append_text(out_, value, limits::kTemplateOutputBytes)) return {};
    return too_large(offset);
  }

  Expressed<void> begin_loop(const TemplateStep& step) {
    const std::size_t offset = program_.expressions[step.expression].offset;
    TRY(ExpressionValue over, evaluate(step.expression));
    json::value taken = std::move(over).take(meter_);
    if (meter_.exhausted()) return too_long(offset);
    if (taken.is_object()) {
      json::array keys;
      for (const auto& member : taken.get_object()) keys.emplace_back(member.key());
      taken = std::move(keys);
    }
    if (!taken.is_array()) {
      return problem(
          ExpressionErrc::kValue, offset,
          fmt::format("'for' goes through a list or an object, and this is {}", type_words(taken)));
    }
    scope_.loops.push_back({step.text, std::move(taken.get_array())});
    return {};
  }

  std::size_t next_round(std::size_t loop_step, std::size_t after) {
    TemplateScope::Loop& loop = scope_.loops.back();
    if (loop.next++ < loop.items.size()) return loop_step + 1;
    scope_.loops.pop_back();
    return after;
  }

  static std::unexpected<ExpressionProblem> too_long(std::size_t offset) {
    return problem(ExpressionErrc::kLimit, offset,
                   fmt::format("the template takes more than {} steps", limits::kTemplateSteps));
  }
  static std::unexpected<ExpressionProblem> too_large(std::size_t offset) {
    return problem(
        ExpressionErrc::kLimit, offset,
        fmt::format("the text becomes longer than {} bytes", limits::kTemplateOutputBytes));
  }

  const TemplateProgram& program_;
  TemplateScope scope_;
  ExpressionMeter meter_{limits::kTemplateSteps};
  std::string out_;
};

// A template always says the line, also where it has only one.
Error template_error(const ExpressionProblem& found, std::string_view text) {
  Error error = to_error(found, text);
  if (!error.message.starts_with("line ")) error.message.insert(0, "line 1, ");
  return error;
}

}  // namespace

Result<TextTemplate> TextTemplate::parse(std::string_view text) {
  TemplateParser parser(text);
  if (const auto read = parser.run(); !read) return fail(template_error(read.error(), text));
  return TextTemplate(std::move(parser.program));
}

Result<std::string> TextTemplate::render(ExpressionScope& scope) const {
  auto rendered = TemplateRun(program_, scope).run();
  if (!rendered) return fail(template_error(rendered.error(), program_.text));
  return std::move(*rendered);
}

}  // namespace rouse
