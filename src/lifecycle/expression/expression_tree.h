// An expression after parsing: a flat vector of nodes that name each other by index, so that it is
// one allocation, cannot form a cycle and is freed without recursion. The parser builds it and
// keeps the bounds, the evaluator only reads it. Nobody else needs this header.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/value.hpp>

namespace rouse {

enum class ExpressionKind : std::uint8_t {
  kConstant,     // detail: index of the constant
  kName,         // detail: index of the word
  kLocal,        // detail: slot of a comprehension's variable
  kList,         // children: the items
  kDict,         // children: key, value, key, value …
  kAttribute,    // children: object; detail: word
  kSubscript,    // children: object, key
  kMethod,       // children: object, arguments …; detail: ExpressionMethod
  kBuiltin,      // children: arguments …; detail: ExpressionBuiltin
  kHostCall,     // children: arguments …; detail: word
  kAny,          // children: condition, list, optional filter; detail: slot
  kAll,          // the same
  kAnd,          // children: two or more
  kOr,           // children: two or more
  kNot,          // children: one
  kCompare,      // children: operands; detail: index of the first operator
  kConditional,  // children: value, condition, otherwise
};

enum class ExpressionCompare : std::uint8_t {
  kEqual,
  kUnequal,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kIn,
  kNotIn,
  kIs,
  kIsNot,
};

enum class ExpressionMethod : std::uint8_t {
  kGet,
  kStartsWith,
  kEndsWith,
  kLower,
  kUpper,
  kStrip,
  kSplit,
  kKeys,
  kValues,
};

enum class ExpressionBuiltin : std::uint8_t { kLen, kStr, kInt, kBool, kAny, kAll };

using ExpressionIndex = std::uint16_t;

struct ExpressionNode {
  ExpressionKind kind = ExpressionKind::kConstant;
  ExpressionIndex detail = 0;
  ExpressionIndex first = 0, count = 0;  // a range of ExpressionTree::children
  ExpressionIndex begin = 0, end = 0;    // its place in the text, in bytes
};

struct ExpressionTree {
  std::string text;
  std::vector<ExpressionNode> nodes;
  std::vector<ExpressionIndex> children;
  std::vector<boost::json::value> constants;
  std::vector<std::string> words;
  std::vector<ExpressionCompare> compares;
  ExpressionIndex root = 0;

  [[nodiscard]] ExpressionIndex child(const ExpressionNode& node, std::size_t which) const {
    return children[node.first + which];
  }
  [[nodiscard]] std::string_view source(const ExpressionNode& node) const {
    return std::string_view(text).substr(node.begin, node.end - node.begin);
  }
};

}  // namespace rouse
