#include "lifecycle/expression/expression_parser.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "lifecycle/expression/expression_words.h"

namespace rouse {

ExpressionParser::ExpressionParser(std::string_view text) : lexer_(text) { tree.text = text; }

Expressed<void> ExpressionParser::run() {
  TRY_VOID(advance());
  if (token_.kind == ExpressionTokenKind::kEnd) {
    return problem(ExpressionErrc::kSyntax, 0, "the expression is empty");
  }
  TRY(tree.root, conditional());
  if (token_.kind != ExpressionTokenKind::kEnd) return expected("an operator or the end");
  return {};
}

// --- tokens --------------------------------------------------------------------------------------

Expressed<void> ExpressionParser::advance() {
  last_end_ = token_.end;
  TRY(token_, lexer_.next());
  return {};
}

bool ExpressionParser::stands(std::string_view text) const {
  return token_.kind != ExpressionTokenKind::kLiteral && token_.text == text;
}

Expressed<bool> ExpressionParser::accept(std::string_view text) {
  if (!stands(text)) return false;
  TRY_VOID(advance());
  return true;
}

Expressed<void> ExpressionParser::expect(std::string_view text) {
  if (!stands(text)) return expected(fmt::format("'{}'", text));
  return advance();
}

std::unexpected<ExpressionProblem> ExpressionParser::expected(std::string_view what) const {
  const bool ended = token_.kind == ExpressionTokenKind::kEnd;
  return problem(
      ExpressionErrc::kSyntax, token_.begin,
      ended ? fmt::format("{} is expected here, and the expression ends", what)
            : fmt::format("{} is expected here, and not '{}'", what, utf8_prefix(token_.text, 40)));
}

// --- nodes ---------------------------------------------------------------------------------------

ExpressionParser::Parsed ExpressionParser::add(ExpressionKind kind, std::size_t begin,
                                               std::size_t detail, const Children& children) {
  std::size_t depth = 1;
  for (const Index child : children) depth = std::max<std::size_t>(depth, depths_[child] + 1);
  if (depth > limits::kExpressionDepth) {
    return problem(ExpressionErrc::kLimit, begin,
                   fmt::format("it is nested deeper than {} levels", limits::kExpressionDepth));
  }
  if (tree.nodes.size() >= limits::kExpressionNodes) {
    return problem(ExpressionErrc::kLimit, begin,
                   fmt::format("it has more than {} parts", limits::kExpressionNodes));
  }
  tree.nodes.push_back({.kind = kind,
                        .detail = static_cast<Index>(detail),
                        .first = static_cast<Index>(tree.children.size()),
                        .count = static_cast<Index>(children.size()),
                        .begin = static_cast<Index>(begin),
                        .end = static_cast<Index>(last_end_)});
  tree.children.insert(tree.children.end(), children.begin(), children.end());
  depths_.push_back(static_cast<std::uint8_t>(depth));
  return static_cast<Index>(tree.nodes.size() - 1);
}

ExpressionParser::Parsed ExpressionParser::add_constant(std::size_t begin,
                                                        boost::json::value value) {
  tree.constants.push_back(std::move(value));
  return add(ExpressionKind::kConstant, begin, tree.constants.size() - 1, {});
}

Expressed<ExpressionIndex> ExpressionParser::add_word(std::string_view word) {
  if (word.starts_with("__")) {
    return problem(ExpressionErrc::kSyntax, last_end_ - word.size(),
                   "names that begin with two underscores are not allowed");
  }
  const auto found = std::ranges::find(tree.words, word);
  const auto index = static_cast<Index>(found - tree.words.begin());
  if (found == tree.words.end()) tree.words.emplace_back(word);
  return index;
}

const boost::json::value* ExpressionParser::constant(Index node) const {
  const ExpressionNode& found = tree.nodes[node];
  return found.kind == ExpressionKind::kConstant ? &tree.constants[found.detail] : nullptr;
}

bool ExpressionParser::all_constant(const Children& children) const {
  return std::ranges::all_of(children, [&](Index one) { return constant(one) != nullptr; });
}

// The variable of a comprehension is known only after its condition was read: its names become
// locals now, and are no use of the scope any more.
void ExpressionParser::bind(std::string_view variable, std::size_t slot, Mark from, Mark to) {
  for (std::size_t i = from.nodes; i < to.nodes; ++i) {
    ExpressionNode& node = tree.nodes[i];
    if (node.kind != ExpressionKind::kName || tree.words[node.detail] != variable) continue;
    node.kind = ExpressionKind::kLocal;
    node.detail = static_cast<Index>(slot);
  }
  const auto first = uses.begin() + static_cast<std::ptrdiff_t>(from.uses);
  const auto last = uses.begin() + static_cast<std::ptrdiff_t>(to.uses);
  const auto is_bound = [&](const ExpressionUse& use) {
    return !use.function && use.name == variable;
  };
  uses.erase(std::remove_if(first, last, is_bound), last);
}

void ExpressionParser::note_key(Index object, std::string_view key, std::size_t offset) {
  const ExpressionNode& node = tree.nodes[object];
  if (node.kind != ExpressionKind::kName) return;
  for (ExpressionUse& use : uses) {
    if (use.offset != node.begin || use.function) continue;
    use.key = key;
    use.key_offset = offset;
  }
}

// --- grammar: operators --------------------------------------------------------------------------

ExpressionParser::Parsed ExpressionParser::conditional() {
  const std::size_t begin = token_.begin;
  if (++brackets_ > limits::kExpressionDepth) {
    return problem(ExpressionErrc::kLimit, begin,
                   fmt::format("it is nested deeper than {} levels", limits::kExpressionDepth));
  }
  TRY(Index value, disjunction());
  TRY(const bool chosen, accept("if"));
  if (chosen) {
    TRY(const Index condition, disjunction());
    TRY_VOID(expect("else"));
    TRY(const Index otherwise, conditional());
    TRY(value, add(ExpressionKind::kConditional, begin, 0, {value, condition, otherwise}));
  }
  --brackets_;
  return value;
}

ExpressionParser::Parsed ExpressionParser::disjunction() {
  const std::size_t begin = token_.begin;
  TRY(const Index first, conjunction());
  Children operands{first};
  while (stands("or")) {
    TRY_VOID(advance());
    TRY(const Index next, conjunction());
    operands.push_back(next);
  }
  if (operands.size() == 1) return first;
  return add(ExpressionKind::kOr, begin, 0, operands);
}

ExpressionParser::Parsed ExpressionParser::conjunction() {
  const std::size_t begin = token_.begin;
  TRY(const Index first, negation());
  Children operands{first};
  while (stands("and")) {
    TRY_VOID(advance());
    TRY(const Index next, negation());
    operands.push_back(next);
  }
  if (operands.size() == 1) return first;
  return add(ExpressionKind::kAnd, begin, 0, operands);
}

ExpressionParser::Parsed ExpressionParser::negation() {
  std::vector<std::size_t> begins;
  while (stands("not")) {
    begins.push_back(token_.begin);
    TRY_VOID(advance());
  }
  TRY(Index value, comparison());
  for (; !begins.empty(); begins.pop_back()) {
    TRY(value, add(ExpressionKind::kNot, begins.back(), 0, {value}));
  }
  return value;
}

ExpressionParser::Parsed ExpressionParser::comparison() {
  const std::size_t begin = token_.begin;
  TRY(const Index first, postfix());
  Children operands{first};
  std::vector<ExpressionCompare> signs;
  while (true) {
    ExpressionCompare sign{};
    TRY(const bool more, comparison_sign(sign));
    if (!more) break;
    const std::size_t right_begin = token_.begin;
    TRY(const Index right, postfix());
    const bool identity = sign == ExpressionCompare::kIs || sign == ExpressionCompare::kIsNot;
    if (const auto* given = constant(right);
        identity && (given == nullptr || !(given->is_bool() || given->is_null()))) {
      return problem(ExpressionErrc::kSyntax, right_begin,
                     "'is' takes None, True or False; write '==' to compare values");
    }
    operands.push_back(right);
    signs.push_back(sign);
  }
  if (signs.empty()) return first;
  const std::size_t detail = tree.compares.size();
  tree.compares.insert(tree.compares.end(), signs.begin(), signs.end());
  return add(ExpressionKind::kCompare, begin, detail, operands);
}

// Takes the operator that stands here, if one does.
Expressed<bool> ExpressionParser::comparison_sign(ExpressionCompare& sign) {
  if (stands("not")) {
    TRY_VOID(advance());
    TRY_VOID(expect("in"));
    sign = ExpressionCompare::kNotIn;
    return true;
  }
  if (stands("is")) {
    TRY_VOID(advance());
    TRY(const bool negated, accept("not"));
    sign = negated ? ExpressionCompare::kIsNot : ExpressionCompare::kIs;
    return true;
  }
  if (token_.kind == ExpressionTokenKind::kLiteral) return false;
  const auto found = compare_named(token_.text);
  if (!found) return false;
  sign = *found;
  TRY_VOID(advance());
  return true;
}

}  // namespace rouse
