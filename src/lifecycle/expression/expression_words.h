// The words of the expression language: which operators, methods and functions there are, and how
// many arguments they take. The page that documents the language is made from these tables.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "lifecycle/expression/expression_tree.h"

namespace rouse {

template <class Id>
struct ExpressionWord {
  std::string_view name;
  Id id;
  std::uint8_t least, most;  // arguments
  std::string_view doc;
};

std::span<const ExpressionWord<ExpressionMethod>> expression_methods();
std::span<const ExpressionWord<ExpressionBuiltin>> expression_builtins();

// nullptr: there is none of this name.
const ExpressionWord<ExpressionMethod>* method_named(std::string_view name);
const ExpressionWord<ExpressionBuiltin>* builtin_named(std::string_view name);
std::span<const std::string_view> method_names();

// The comparisons that are one token; "not in" and "is not" are two.
std::optional<ExpressionCompare> compare_named(std::string_view token);
std::string_view compare_name(ExpressionCompare sign);

std::string wrong_count(std::string_view name, std::uint8_t least, std::uint8_t most);
template <class Id>
std::string wrong_count(std::string_view name, const ExpressionWord<Id>& word) {
  return wrong_count(name, word.least, word.most);
}

}  // namespace rouse
