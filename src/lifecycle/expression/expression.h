// The language of a workflow's `when`: a small, safe piece of Python over JSON values.
//
//   not variables.get('_session_initialized')
//   tool_input.get('reason') not in ['obsolete', 'duplicate'] and 0 < stop_attempts < 3
//   any(name in listed_servers for name in wanted if name) or session.title is None
//
// It has and/or/not, chained comparisons, in, is (None, True, False), `a if c else b`, literals,
// lists, dicts, attributes, subscripts, a few methods of text and objects (get, startswith,
// endswith, lower, upper, strip, split, keys, values), len, str, int, bool, any, all, and the
// functions its host lends it. Values mean what they mean in Python: 1 == 1.0 == True, an empty
// list is false, `or` gives the operand. There is no arithmetic, no assignment, no way to define or
// to import: an expression reaches the values and functions of its ExpressionScope and nothing
// else.
//
// It is parsed once, within bounds on bytes, nodes and depth, and evaluated within a bound on
// steps, which also count the bytes and items it goes through. Nothing is guessed: a missing key is
// an error unless asked for by .get(), and whoever evaluates a gate takes an error as "blocked".
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json/value.hpp>

#include "base/result.h"
#include "lifecycle/expression/expression_problem.h"
#include "lifecycle/expression/expression_tree.h"

namespace rouse {

namespace limits {
inline constexpr std::size_t kExpressionBytes = 4096;
inline constexpr std::size_t kExpressionNodes = 1000;
inline constexpr std::size_t kExpressionDepth = 32;  // of the tree, and of brackets
inline constexpr std::size_t kExpressionArguments = 8;
inline constexpr std::size_t kExpressionSteps = 20'000;  // nodes, items and KB of one evaluation
inline constexpr std::size_t kExpressionTextBytes = 1 << 20;  // the longest text it may build
inline constexpr std::size_t kExpressionTraceEntries = 200;
inline constexpr std::size_t kExpressionTraceBytes = 120;  // of one value in a trace
}  // namespace limits

// All that an expression can reach. What find() and call() use must be at hand: they run on the
// loop. Expression::uses() says beforehand what will be asked for.
class ExpressionScope {
 public:
  virtual ~ExpressionScope() = default;
  // nullptr: there is no such name. An error: there is, but its value cannot be found out. The
  // value stays where it is until the evaluation has ended.
  virtual Result<const boost::json::value*> find(std::string_view name) = 0;
  // The value of `name.key`, if it can be had for less than all of `name`. nullptr: find() it.
  virtual Result<const boost::json::value*> find_part(std::string_view name, std::string_view key) {
    return nullptr;
  }
  virtual Result<boost::json::value> call(std::string_view function,
                                          std::span<const boost::json::value* const> arguments) = 0;
  [[nodiscard]] virtual std::vector<std::string_view> names() const = 0;  // for "did you mean"
};

// A name that an expression asks its scope for, with the key it reads first if that is written out:
// variables.get('plan_mode'), variables.plan_mode and variables['plan_mode'] all use the key
// "plan_mode" of "variables".
struct ExpressionUse {
  std::string name, key;
  bool function = false;
  std::size_t offset = 0, key_offset = 0;
};

// What there is to use, for strict loading.
struct ExpressionVocabulary {
  std::vector<std::string_view> names, functions;
  // Names whose keys are all known, as those of "variables" are.
  std::vector<std::pair<std::string_view, std::vector<std::string_view>>> keys;
};

// The first use of something that is not there, with the nearest name that is.
Result<void> check_uses(std::string_view text, const std::vector<ExpressionUse>& uses,
                        const ExpressionVocabulary& known);

// What each part of an expression came to, outer parts before inner ones. Parts that were not
// evaluated, because `and` or `or` was decided before, are not in it.
struct ExpressionTrace {
  struct Entry {
    std::size_t level = 0;  // how deep inside the expression
    std::string text;       // as it is written there
    std::string value;      // JSON, cut to kExpressionTraceBytes; or the error
    bool failed = false;
  };
  std::vector<Entry> entries;
};

class Expression {
 public:
  static Result<Expression> parse(std::string_view text);
  // The same for a text within a text: the problem keeps its place.
  static Expressed<Expression> parse_part(std::string_view text);

  // Whether it is true, as Python sees truth. This is what a `when` asks.
  Result<bool> holds(ExpressionScope& scope, ExpressionTrace* trace = nullptr) const;
  Result<boost::json::value> value(ExpressionScope& scope, ExpressionTrace* trace = nullptr) const;

  [[nodiscard]] const std::string& text() const { return tree_.text; }
  [[nodiscard]] const std::vector<ExpressionUse>& uses() const { return uses_; }
  [[nodiscard]] const ExpressionTree& tree() const { return tree_; }

 private:
  Expression(ExpressionTree tree, std::vector<ExpressionUse> uses)
      : tree_(std::move(tree)), uses_(std::move(uses)) {}
  ExpressionTree tree_;
  std::vector<ExpressionUse> uses_;
};

}  // namespace rouse
