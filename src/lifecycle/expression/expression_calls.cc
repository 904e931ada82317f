// The functions and methods of the language; the rest of the evaluator is in
// expression_evaluator.cc.
#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "lifecycle/expression/expression_evaluator.h"
#include "lifecycle/expression/expression_words.h"

namespace rouse {
namespace {

namespace json = boost::json;

constexpr std::string_view kBlanks = " \t\n\r\f\v";

std::string_view stripped(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::int64_t characters(std::string_view text) {
  return static_cast<std::int64_t>(count_characters(text));
}

json::value recased(std::string_view text, char first, char last) {
  json::string out(text);
  for (char& c : out) {
    if (c >= first && c <= last) c = static_cast<char>(c ^ 0x20);
  }
  return out;
}

}  // namespace

// --- functions -----------------------------------------------------------------------------------

ExpressionEvaluator::Outcome ExpressionEvaluator::builtin(const Node& node) {
  TRY(const ExpressionValue held, evaluate(tree_.child(node, 0)));
  const json::value& given = held.get();
  switch (static_cast<ExpressionBuiltin>(node.detail)) {
    case ExpressionBuiltin::kLen:
      return length(node, given);
    case ExpressionBuiltin::kStr:
      return text(node, given);
    case ExpressionBuiltin::kInt:
      return integer(node, given);
    case ExpressionBuiltin::kBool:
      return ExpressionValue::truth(is_true(given));
    case ExpressionBuiltin::kAny:
      return any_or_all(node, given, true);
    case ExpressionBuiltin::kAll:
      return any_or_all(node, given, false);
  }
  return wrong(node, "this function is not known");
}

ExpressionEvaluator::Outcome ExpressionEvaluator::any_or_all(const Node& node,
                                                             const json::value& given,
                                                             bool wanted) {
  if (!given.is_array()) {
    return wrong(node, fmt::format("'{}' needs a list, and {} is {}", wanted ? "any" : "all",
                                   quoted(child(node, 0)), type_words(given)));
  }
  meter_.spend(given.get_array().size());
  const bool found = std::ranges::any_of(
      given.get_array(), [&](const json::value& item) { return is_true(item) == wanted; });
  return ExpressionValue::truth(found == wanted);
}

ExpressionEvaluator::Outcome ExpressionEvaluator::length(const Node& node,
                                                         const json::value& given) {
  if (given.is_string()) {
    meter_.spend_bytes(given.get_string().size());
    return json::value(characters(given.get_string()));
  }
  if (given.is_array()) return json::value(static_cast<std::int64_t>(given.get_array().size()));
  if (given.is_object()) return json::value(static_cast<std::int64_t>(given.get_object().size()));
  return wrong(
      node, fmt::format("{} is {} and has no length", quoted(child(node, 0)), type_words(given)));
}

ExpressionEvaluator::Outcome ExpressionEvaluator::text(const Node& node, const json::value& given) {
  std::string out;
  const bool fits = append_text(out, given, limits::kExpressionTextBytes);
  meter_.spend_bytes(out.size());
  if (fits) return json::value(out);
  return wrong(node,
               fmt::format("as text, {} is longer than {} bytes", quoted(child(node, 0)),
                           limits::kExpressionTextBytes),
               ExpressionErrc::kLimit);
}

ExpressionEvaluator::Outcome ExpressionEvaluator::integer(const Node& node,
                                                          const json::value& given) {
  if (given.is_bool()) return json::value(given.get_bool() ? 1 : 0);
  if (given.is_int64() || given.is_uint64()) return given;
  if (given.is_double() && std::abs(given.get_double()) < 0x1p63) {
    return json::value(static_cast<std::int64_t>(given.get_double()));
  }
  if (given.is_string()) {
    const std::string_view digits = stripped(given.get_string());
    const char* end = digits.data() + digits.size();
    std::int64_t number = 0;
    const auto [stop, ec] = std::from_chars(digits.data(), end, number);
    if (ec == std::errc{} && stop == end) return json::value(number);
    return wrong(node, fmt::format("the text '{}' is no whole number", utf8_prefix(digits, 40)));
  }
  return wrong(
      node, fmt::format("{} is {} and no whole number", quoted(child(node, 0)), type_words(given)));
}

// --- methods -------------------------------------------------------------------------------------

ExpressionEvaluator::Outcome ExpressionEvaluator::method(const Node& node) {
  TRY(const ExpressionValue object, evaluate(tree_.child(node, 0)));
  const auto id = static_cast<ExpressionMethod>(node.detail);
  const bool of_object = id == ExpressionMethod::kGet || id == ExpressionMethod::kKeys ||
                         id == ExpressionMethod::kValues;
  if (of_object ? object.get().is_object() : object.get().is_string()) {
    if (id == ExpressionMethod::kGet) return get(node, object);
    return of_object ? object_method(node, object.get()) : text_method(node, object.get());
  }
  return wrong(node,
               fmt::format("'.{}()' needs {}, and {} is {}", expression_methods()[node.detail].name,
                           of_object ? "an object" : "text", quoted(child(node, 0)),
                           type_words(object.get())));
}

ExpressionEvaluator::Outcome ExpressionEvaluator::get(const Node& node,
                                                      const ExpressionValue& object) {
  TRY(const ExpressionValue key, evaluate(tree_.child(node, 1)));
  const json::value* found = key.get().is_string()
                                 ? object.get().get_object().if_contains(key.get().get_string())
                                 : nullptr;  // no object has such a key, as in Python
  if (found != nullptr) return part_of(object, *found);
  if (node.count > 2) return evaluate(tree_.child(node, 2));
  return ExpressionValue();
}

ExpressionEvaluator::Outcome ExpressionEvaluator::object_method(const Node& node,
                                                                const json::value& given) {
  const bool wants_keys = static_cast<ExpressionMethod>(node.detail) == ExpressionMethod::kKeys;
  json::array out;
  for (const auto& member : given.get_object()) {
    if (meter_.exhausted()) break;
    if (wants_keys) {
      meter_.spend_bytes(member.key().size());
      out.emplace_back(member.key());
    } else {
      out.push_back(copy_of(member.value(), meter_));
    }
  }
  return json::value(std::move(out));
}

ExpressionEvaluator::Outcome ExpressionEvaluator::text_method(const Node& node,
                                                              const json::value& given) {
  const std::string_view words = given.get_string();
  ExpressionValue argument;
  if (node.count > 1) {
    TRY(argument, evaluate(tree_.child(node, 1)));
    if (!argument.get().is_string()) {
      return wrong(child(node, 1), fmt::format("'.{}()' takes text, and {} is {}",
                                               expression_methods()[node.detail].name,
                                               quoted(child(node, 1)), type_words(argument.get())));
    }
  }
  meter_.spend_bytes(words.size());
  if (meter_.exhausted()) return too_long(node);
  switch (static_cast<ExpressionMethod>(node.detail)) {
    case ExpressionMethod::kStartsWith:
      return ExpressionValue::truth(words.starts_with(argument.get().get_string()));
    case ExpressionMethod::kEndsWith:
      return ExpressionValue::truth(words.ends_with(argument.get().get_string()));
    case ExpressionMethod::kLower:
      return recased(words, 'A', 'Z');
    case ExpressionMethod::kUpper:
      return recased(words, 'a', 'z');
    case ExpressionMethod::kStrip:
      return json::value(stripped(words));
    default:
      return split_text(node, words, node.count > 1 ? &argument.get() : nullptr);
  }
}

ExpressionEvaluator::Outcome ExpressionEvaluator::split_text(const Node& node,
                                                             std::string_view words,
                                                             const json::value* separator) {
  std::string_view mark;
  if (separator != nullptr) mark = separator->get_string();
  if (separator != nullptr && mark.empty()) return wrong(node, "the separator is empty");
  if (separator == nullptr) words = stripped(words);
  json::array out;
  if (separator == nullptr && words.empty()) return json::value(std::move(out));
  while (meter_.spend()) {
    const std::size_t end =
        separator == nullptr ? words.find_first_of(kBlanks) : find_text(words, mark, meter_);
    out.emplace_back(words.substr(0, end));
    if (end == std::string_view::npos) return json::value(std::move(out));
    words.remove_prefix(end + (separator == nullptr ? 1 : mark.size()));
    if (separator == nullptr) words = stripped(words);
  }
  return too_long(node);
}

}  // namespace rouse
