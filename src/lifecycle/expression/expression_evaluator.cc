#include "lifecycle/expression/expression_evaluator.h"

#include <fmt/format.h>

#include "base/text.h"
#include "lifecycle/expression/expression_words.h"

namespace rouse {

namespace json = boost::json;

ExpressionEvaluator::Outcome ExpressionEvaluator::evaluate(Index index) {
  const Node& node = tree_.nodes[index];
  meter_.spend();
  if (meter_.exhausted()) return too_long(node);
  if (trace_ != nullptr && node.kind != ExpressionKind::kConstant) return traced(node);
  Outcome found = plain(node);
  if (found && meter_.exhausted()) return too_long(node);
  return found;
}

// The entry stands before those of its parts, so it is made first and filled last.
ExpressionEvaluator::Outcome ExpressionEvaluator::traced(const Node& node) {
  const std::size_t place = trace_->entries.size();
  const bool kept = place < limits::kExpressionTraceEntries;
  if (kept) {
    trace_->entries.push_back(
        {.level = level_, .text = std::string(tree_.source(node)), .value = {}});
  }
  ++level_;
  Outcome found = plain(node);
  --level_;
  if (found && meter_.exhausted()) found = too_long(node);
  if (kept) {
    ExpressionTrace::Entry& entry = trace_->entries[place];
    entry.failed = !found;
    entry.value =
        found ? json_excerpt(found->get(), limits::kExpressionTraceBytes) : found.error().words;
  }
  return found;
}

ExpressionEvaluator::Outcome ExpressionEvaluator::plain(const Node& node) {
  switch (node.kind) {
    case ExpressionKind::kConstant:
      return &tree_.constants[node.detail];
    case ExpressionKind::kName:
      return name(node);
    case ExpressionKind::kLocal:
      return locals_.at(node.detail);
    case ExpressionKind::kList:
      return list(node);
    case ExpressionKind::kDict:
      return dict(node);
    case ExpressionKind::kAttribute:
      return attribute(node);
    case ExpressionKind::kSubscript:
      return subscript(node);
    case ExpressionKind::kMethod:
      return method(node);
    case ExpressionKind::kBuiltin:
      return builtin(node);
    case ExpressionKind::kHostCall:
      return host_call(node);
    case ExpressionKind::kAny:
    case ExpressionKind::kAll:
      return comprehension(node);
    case ExpressionKind::kAnd:
    case ExpressionKind::kOr:
      return junction(node);
    case ExpressionKind::kNot: {
      TRY(const ExpressionValue value, evaluate(tree_.child(node, 0)));
      return ExpressionValue::truth(!is_true(value.get()));
    }
    case ExpressionKind::kCompare:
      return comparison(node);
    case ExpressionKind::kConditional:
      return conditional(node);
  }
  return wrong(node, "this cannot be evaluated");
}

// --- values --------------------------------------------------------------------------------------

ExpressionEvaluator::Outcome ExpressionEvaluator::name(const Node& node) {
  return found_by_host(node, scope_.find(tree_.words[node.detail]));
}

ExpressionEvaluator::Outcome ExpressionEvaluator::found_by_host(
    const Node& node, const Result<const json::value*>& found) {
  const std::string& word = tree_.words[node.detail];
  if (!found) {
    return wrong(node, fmt::format("'{}': {}", word, found.error().message), ExpressionErrc::kHost);
  }
  if (*found != nullptr) return *found;
  return wrong(node, fmt::format("'{}' is not known{}", word, did_you_mean(word, scope_.names())),
               ExpressionErrc::kMissing);
}

ExpressionEvaluator::Outcome ExpressionEvaluator::list(const Node& node) {
  json::array made;
  for (std::size_t i = 0; i < node.count; ++i) {
    TRY(ExpressionValue item, evaluate(tree_.child(node, i)));
    made.push_back(std::move(item).take(meter_));
  }
  return json::value(std::move(made));
}

ExpressionEvaluator::Outcome ExpressionEvaluator::dict(const Node& node) {
  json::object made;
  for (std::size_t i = 0; i < node.count; i += 2) {
    TRY(const ExpressionValue key, evaluate(tree_.child(node, i)));
    TRY(ExpressionValue value, evaluate(tree_.child(node, i + 1)));
    if (!key.get().is_string()) {
      return wrong(child(node, i), fmt::format("the key of an object must be text, and {} is {}",
                                               quoted(child(node, i)), type_words(key.get())));
    }
    meter_.spend_bytes(key.get().get_string().size());
    made[key.get().get_string()] = std::move(value).take(meter_);
  }
  return json::value(std::move(made));
}

ExpressionEvaluator::Outcome ExpressionEvaluator::attribute(const Node& node) {
  const std::string& word = tree_.words[node.detail];
  const Node& whole = child(node, 0);
  if (whole.kind == ExpressionKind::kName && trace_ == nullptr) {  // a trace shows the whole
    const auto part = scope_.find_part(tree_.words[whole.detail], word);
    if (!part || *part != nullptr) {
      meter_.spend();  // for the name, as if it had been evaluated
      return found_by_host(whole, part);
    }
  }
  TRY(const ExpressionValue object, evaluate(tree_.child(node, 0)));
  if (object.get().is_object()) return key_of(node, object, word);
  return wrong(node, fmt::format("'.{}' needs an object, and {} is {}", word,
                                 quoted(child(node, 0)), type_words(object.get())));
}

ExpressionEvaluator::Outcome ExpressionEvaluator::subscript(const Node& node) {
  TRY(const ExpressionValue whole, evaluate(tree_.child(node, 0)));
  TRY(const ExpressionValue key, evaluate(tree_.child(node, 1)));
  if (whole.get().is_object() && key.get().is_string()) {
    return key_of(node, whole, key.get().get_string());
  }
  if (whole.get().is_array() && key.get().is_number() && !key.get().is_double()) {
    boost::system::error_code out_of_range;
    const auto asked = key.get().to_number<std::int64_t>(out_of_range);
    if (!out_of_range) return item_of(node, whole, asked);
  }
  return wrong(node, fmt::format("{} is {}, and {} is no index of it", quoted(child(node, 0)),
                                 type_words(whole.get()), type_words(key.get())));
}

ExpressionEvaluator::Outcome ExpressionEvaluator::key_of(const Node& node,
                                                         const ExpressionValue& object,
                                                         std::string_view key) {
  const json::object& members = object.get().get_object();
  if (const json::value* found = members.if_contains(key)) return part_of(object, *found);
  std::vector<std::string_view> keys;
  for (const auto& member : members) {
    if (keys.size() < limits::kExpressionTraceEntries) keys.push_back(member.key());
  }
  return wrong(node,
               fmt::format("{} has no '{}'{}", quoted(child(node, 0)), utf8_prefix(key, 60),
                           did_you_mean(key, keys)),
               ExpressionErrc::kMissing);
}

ExpressionEvaluator::Outcome ExpressionEvaluator::item_of(const Node& node,
                                                          const ExpressionValue& list,
                                                          std::int64_t asked) {
  const json::array& items = list.get().get_array();
  const auto size = static_cast<std::int64_t>(items.size());
  const std::int64_t place = asked < 0 ? asked + size : asked;
  if (place >= 0 && place < size) return part_of(list, items[static_cast<std::size_t>(place)]);
  return wrong(node,
               fmt::format("{} has {} items, and none at {}", quoted(child(node, 0)), size, asked),
               ExpressionErrc::kMissing);
}

ExpressionEvaluator::Outcome ExpressionEvaluator::host_call(const Node& node) {
  std::array<ExpressionValue, limits::kExpressionArguments> values;
  std::array<const json::value*, limits::kExpressionArguments> arguments{};
  for (std::size_t i = 0; i < node.count; ++i) {
    TRY(values.at(i), evaluate(tree_.child(node, i)));
    arguments.at(i) = &values.at(i).get();
  }
  const std::string& function = tree_.words[node.detail];
  auto answer = scope_.call(function, std::span(arguments).first(node.count));
  if (answer && answer->is_bool()) return ExpressionValue::truth(answer->get_bool());
  if (answer) return std::move(*answer);
  return wrong(node, fmt::format("'{}': {}", function, answer.error().message),
               ExpressionErrc::kHost);
}

// --- operators -----------------------------------------------------------------------------------

ExpressionEvaluator::Outcome ExpressionEvaluator::junction(const Node& node) {
  const bool decided_by = node.kind == ExpressionKind::kOr;
  for (std::size_t i = 0; i + 1 < node.count; ++i) {
    TRY(ExpressionValue value, evaluate(tree_.child(node, i)));
    if (is_true(value.get()) == decided_by) return value;
  }
  return evaluate(tree_.child(node, node.count - 1U));
}

ExpressionEvaluator::Outcome ExpressionEvaluator::comparison(const Node& node) {
  TRY(ExpressionValue left, evaluate(tree_.child(node, 0)));
  for (std::size_t i = 1; i < node.count; ++i) {
    TRY(ExpressionValue right, evaluate(tree_.child(node, i)));
    TRY(const bool held, holds(node, tree_.compares[node.detail + i - 1], left.get(), right.get()));
    if (!held) return ExpressionValue::truth(false);
    left = std::move(right);
  }
  return ExpressionValue::truth(true);
}

Expressed<bool> ExpressionEvaluator::holds(const Node& node, ExpressionCompare sign,
                                           const json::value& left, const json::value& right) {
  using enum ExpressionCompare;
  switch (sign) {
    case kEqual:
      return are_equal(left, right, meter_);
    case kUnequal:
      return !are_equal(left, right, meter_);
    case kIs:
    case kIsNot:
      return (left.kind() == right.kind() && are_equal(left, right, meter_)) == (sign == kIs);
    case kIn:
      return is_within(node, left, right);
    case kNotIn: {
      TRY(const bool within, is_within(node, left, right));
      return !within;
    }
    default:
      break;
  }
  const auto order = order_of(left, right);
  if (!order) {
    return wrong(node, fmt::format("'{}' cannot compare {} with {} in {}", compare_name(sign),
                                   type_words(left), type_words(right), quoted(node)));
  }
  if (sign == kLess) return *order < 0;
  if (sign == kLessEqual) return *order <= 0;
  if (sign == kGreater) return *order > 0;
  return *order >= 0;
}

Expressed<bool> ExpressionEvaluator::is_within(const Node& node, const json::value& part,
                                               const json::value& whole) {
  if (whole.is_array()) {
    for (const json::value& item : whole.get_array()) {
      if (are_equal(part, item, meter_)) return true;
      if (meter_.exhausted()) break;
    }
    return false;
  }
  if (whole.is_object()) {
    return part.is_string() && whole.get_object().contains(part.get_string());
  }
  if (whole.is_string() && part.is_string()) {
    return find_text(whole.get_string(), part.get_string(), meter_) != std::string_view::npos;
  }
  return wrong(node, fmt::format("'in' cannot look for {} in {} in {}", type_words(part),
                                 type_words(whole), quoted(node)));
}

ExpressionEvaluator::Outcome ExpressionEvaluator::conditional(const Node& node) {
  TRY(const ExpressionValue condition, evaluate(tree_.child(node, 1)));
  return evaluate(tree_.child(node, is_true(condition.get()) ? 0 : 2));
}

// --- any and all ---------------------------------------------------------------------------------

ExpressionEvaluator::Outcome ExpressionEvaluator::comprehension(const Node& node) {
  TRY(const ExpressionValue over, evaluate(tree_.child(node, 1)));
  const bool wanted = node.kind == ExpressionKind::kAny;
  if (over.get().is_array()) {
    for (const json::value& item : over.get().get_array()) {
      TRY(const bool decided, decides(node, item));
      if (decided) return ExpressionValue::truth(wanted);
    }
    return ExpressionValue::truth(!wanted);
  }
  if (over.get().is_object()) {
    for (const auto& member : over.get().get_object()) {
      meter_.spend_bytes(member.key().size());
      TRY(const bool decided, decides(node, json::value(member.key())));
      if (decided) return ExpressionValue::truth(wanted);
    }
    return ExpressionValue::truth(!wanted);
  }
  return wrong(child(node, 1), fmt::format("'for' goes through a list or an object, and {} is {}",
                                           quoted(child(node, 1)), type_words(over.get())));
}

// Whether this item ends the search: true for any(), false for all().
Expressed<bool> ExpressionEvaluator::decides(const Node& node, const json::value& item) {
  locals_.at(node.detail) = &item;
  if (node.count > 2) {
    TRY(const ExpressionValue kept, evaluate(tree_.child(node, 2)));
    if (!is_true(kept.get())) return false;
  }
  TRY(const ExpressionValue condition, evaluate(tree_.child(node, 0)));
  return is_true(condition.get()) == (node.kind == ExpressionKind::kAny);
}

// --- helpers -------------------------------------------------------------------------------------

ExpressionValue ExpressionEvaluator::part_of(const ExpressionValue& whole,
                                             const json::value& part) {
  if (whole.is_borrowed()) return &part;
  return copy_of(part, meter_);
}

std::string ExpressionEvaluator::quoted(const Node& node) const {
  const std::string_view source = tree_.source(node);
  if (source.size() <= 60) return fmt::format("'{}'", source);
  return fmt::format("'{}…'", utf8_prefix(source, 60));
}

std::unexpected<ExpressionProblem> ExpressionEvaluator::wrong(const Node& node, std::string words,
                                                              ExpressionErrc code) {
  return problem(code, node.begin, std::move(words));
}

std::unexpected<ExpressionProblem> ExpressionEvaluator::too_long(const Node& node) {
  return wrong(node, "it takes more steps than an evaluation may", ExpressionErrc::kLimit);
}

}  // namespace rouse
