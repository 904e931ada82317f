#include "lifecycle/expression/expression_words.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace rouse {
namespace {

using Method = ExpressionWord<ExpressionMethod>;
using Builtin = ExpressionWord<ExpressionBuiltin>;

constexpr std::array<Method, 9> kMethods{{
    {"get", ExpressionMethod::kGet, 1, 2,
     "object.get(key, default): the value, or the default, or None"},
    {"startswith", ExpressionMethod::kStartsWith, 1, 1, "text.startswith(text)"},
    {"endswith", ExpressionMethod::kEndsWith, 1, 1, "text.endswith(text)"},
    {"lower", ExpressionMethod::kLower, 0, 0, "text.lower(): A to Z become a to z"},
    {"upper", ExpressionMethod::kUpper, 0, 0, "text.upper(): a to z become A to Z"},
    {"strip", ExpressionMethod::kStrip, 0, 0, "text.strip(): without blanks at both ends"},
    {"split", ExpressionMethod::kSplit, 0, 1,
     "text.split(separator): a list; at blanks without one"},
    {"keys", ExpressionMethod::kKeys, 0, 0, "object.keys(): a list"},
    {"values", ExpressionMethod::kValues, 0, 0, "object.values(): a list"},
}};

constexpr std::array<Builtin, 6> kBuiltins{{
    {"len", ExpressionBuiltin::kLen, 1, 1, "len(text, list or object): characters, items, keys"},
    {"str", ExpressionBuiltin::kStr, 1, 1, "str(value): as text; lists and objects as JSON"},
    {"int", ExpressionBuiltin::kInt, 1, 1, "int(number, truth value or text): a whole number"},
    {"bool", ExpressionBuiltin::kBool, 1, 1, "bool(value): whether it is true"},
    {"any", ExpressionBuiltin::kAny, 1, 1, "any(list), any(condition for name in list if filter)"},
    {"all", ExpressionBuiltin::kAll, 1, 1, "all(list), all(condition for name in list if filter)"},
}};

constexpr std::array<std::string_view, kMethods.size()> kMethodNames = [] {
  std::array<std::string_view, kMethods.size()> names;
  std::ranges::transform(kMethods, names.begin(), &Method::name);
  return names;
}();

// In the order of ExpressionCompare.
constexpr std::array<std::string_view, 10> kCompares{"==", "!=", "<",      "<=", ">",
                                                     ">=", "in", "not in", "is", "is not"};

}  // namespace

std::span<const Method> expression_methods() { return kMethods; }
std::span<const Builtin> expression_builtins() { return kBuiltins; }
std::span<const std::string_view> method_names() { return kMethodNames; }

const Method* method_named(std::string_view name) {
  const auto* found = std::ranges::find(kMethods, name, &Method::name);
  return found == kMethods.end() ? nullptr : found;
}

const Builtin* builtin_named(std::string_view name) {
  const auto* found = std::ranges::find(kBuiltins, name, &Builtin::name);
  return found == kBuiltins.end() ? nullptr : found;
}

std::optional<ExpressionCompare> compare_named(std::string_view token) {
  const auto* found = std::ranges::find(kCompares, token);
  if (found == kCompares.end()) return std::nullopt;
  return static_cast<ExpressionCompare>(found - kCompares.begin());
}

std::string_view compare_name(ExpressionCompare sign) {
  return kCompares.at(static_cast<std::size_t>(sign));
}

std::string wrong_count(std::string_view name, std::uint8_t least, std::uint8_t most) {
  if (most == 0) return fmt::format("'{}' takes no arguments", name);
  if (least == most) {
    return fmt::format("'{}' takes {} argument{}", name, most, most == 1 ? "" : "s");
  }
  return fmt::format("'{}' takes {} to {} arguments", name, least, most);
}

}  // namespace rouse
