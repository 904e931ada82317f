// Walks the tree of an expression once, over the values of a scope, and pays a step of its meter
// for everything it does. It recurses no deeper than the tree, whose depth the parser bounds.
#pragma once

#include <array>
#include <string>

#include "lifecycle/expression/expression.h"
#include "lifecycle/expression/expression_values.h"

namespace rouse {

class ExpressionEvaluator {
 public:
  ExpressionEvaluator(const ExpressionTree& tree, ExpressionScope& scope, ExpressionMeter& meter,
                      ExpressionTrace* trace)
      : tree_(tree), scope_(scope), meter_(meter), trace_(trace) {}

  using Outcome = Expressed<ExpressionValue>;
  // The value borrows from the tree and the scope.
  Outcome run() { return evaluate(tree_.root); }

 private:
  using Index = ExpressionIndex;
  using Node = ExpressionNode;

  Outcome evaluate(Index index);
  Outcome traced(const Node& node);
  Outcome plain(const Node& node);

  Outcome name(const Node& node);
  Outcome found_by_host(const Node& node, const Result<const boost::json::value*>& found);
  Outcome list(const Node& node);
  Outcome dict(const Node& node);
  Outcome attribute(const Node& node);
  Outcome subscript(const Node& node);
  Outcome key_of(const Node& node, const ExpressionValue& object, std::string_view key);
  Outcome item_of(const Node& node, const ExpressionValue& list, std::int64_t asked);
  Outcome host_call(const Node& node);
  Outcome junction(const Node& node);
  Outcome comparison(const Node& node);
  Expressed<bool> holds(const Node& node, ExpressionCompare sign, const boost::json::value& left,
                        const boost::json::value& right);
  Expressed<bool> is_within(const Node& node, const boost::json::value& part,
                            const boost::json::value& whole);
  Outcome conditional(const Node& node);
  Outcome comprehension(const Node& node);
  Expressed<bool> decides(const Node& node, const boost::json::value& item);

  // expression_calls.cc
  Outcome builtin(const Node& node);
  Outcome any_or_all(const Node& node, const boost::json::value& given, bool wanted);
  Outcome length(const Node& node, const boost::json::value& given);
  Outcome text(const Node& node, const boost::json::value& given);
  Outcome integer(const Node& node, const boost::json::value& given);
  Outcome method(const Node& node);
  Outcome get(const Node& node, const ExpressionValue& object);
  Outcome object_method(const Node& node, const boost::json::value& given);
  Outcome text_method(const Node& node, const boost::json::value& given);
  Outcome split_text(const Node& node, std::string_view text, const boost::json::value* separator);

  // A part of a value that may be a temporary.
  ExpressionValue part_of(const ExpressionValue& whole, const boost::json::value& part);
  // As it is written, for a message.
  [[nodiscard]] std::string quoted(const Node& node) const;
  [[nodiscard]] const Node& child(const Node& node, std::size_t which) const {
    return tree_.nodes[tree_.child(node, which)];
  }
  static std::unexpected<ExpressionProblem> wrong(const Node& node, std::string words,
                                                  ExpressionErrc code = ExpressionErrc::kValue);
  static std::unexpected<ExpressionProblem> too_long(const Node& node);

  const ExpressionTree& tree_;
  ExpressionScope& scope_;
  ExpressionMeter& meter_;
  ExpressionTrace* trace_;
  std::size_t level_ = 0;
  std::array<const boost::json::value*, limits::kExpressionDepth> locals_{};
};

}  // namespace rouse
