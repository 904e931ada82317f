// Reads the text of an expression into its tree, by recursive descent over Python's precedence:
// conditional < or < and < not < comparison < attribute, subscript, call. Every bound on the size
// of an expression is kept here, so that the evaluator may trust the tree.
#pragma once

#include <string_view>
#include <vector>

#include "lifecycle/expression/expression.h"
#include "lifecycle/expression/expression_lexer.h"

namespace rouse {

class ExpressionParser {
 public:
  explicit ExpressionParser(std::string_view text);
  Expressed<void> run();

  ExpressionTree tree;
  std::vector<ExpressionUse> uses;

 private:
  using Index = ExpressionIndex;
  using Parsed = Expressed<Index>;
  using Children = std::vector<Index>;
  struct Mark {
    std::size_t nodes, uses;
  };

  // tokens
  Expressed<void> advance();
  [[nodiscard]] bool stands(std::string_view text) const;
  Expressed<bool> accept(std::string_view text);
  Expressed<void> expect(std::string_view text);
  [[nodiscard]] std::unexpected<ExpressionProblem> expected(std::string_view what) const;

  // nodes
  Parsed add(ExpressionKind kind, std::size_t begin, std::size_t detail, const Children& children);
  Parsed add_constant(std::size_t begin, boost::json::value value);
  Expressed<Index> add_word(std::string_view word);
  [[nodiscard]] const boost::json::value* constant(Index node) const;
  [[nodiscard]] bool all_constant(const Children& children) const;
  [[nodiscard]] Mark mark() const { return {tree.nodes.size(), uses.size()}; }
  void bind(std::string_view variable, std::size_t slot, Mark from, Mark to);
  void note_key(Index object, std::string_view key, std::size_t offset);

  // grammar
  Parsed conditional();
  Parsed disjunction();
  Parsed conjunction();
  Parsed negation();
  Parsed comparison();
  Expressed<bool> comparison_sign(ExpressionCompare& sign);
  Parsed postfix();
  Parsed primary();
  Parsed literal();
  Parsed negative_number();
  Parsed named();
  Parsed bracketed();
  Parsed list();
  Parsed dict();
  Parsed attribute(Index object, std::size_t begin);
  Parsed subscript(Index object, std::size_t begin);
  Parsed method(Index object, std::size_t begin, const ExpressionToken& name);
  Parsed call(const ExpressionToken& name);
  Parsed comprehension(const ExpressionToken& function, Index condition, Mark from);
  Expressed<void> items(std::string_view closing, Children& into, std::size_t most);

  ExpressionLexer lexer_;
  ExpressionToken token_;
  std::size_t last_end_ = 0;  // where the token before this one ended
  std::size_t brackets_ = 0;
  std::size_t slots_ = 0;
  std::vector<std::uint8_t> depths_;  // of each node's tree
};

}  // namespace rouse
