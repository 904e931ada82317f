#include "lifecycle/expression/template_parser.h"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "base/text.h"
#include "lifecycle/expression/expression_lexer.h"

namespace rouse {
namespace {

constexpr std::array<std::string_view, 2> kFilters{"default", "join"};
constexpr std::array<std::string_view, 6> kStatements{"if",    "elif", "else",
                                                      "endif", "for",  "endfor"};

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool in_word(char c) { return begins_name(c) || (c >= '0' && c <= '9'); }

// The first place at or after `from` that `wanted` accepts, outside of quotes.
template <class Wanted>
std::size_t find_unquoted(std::string_view text, std::size_t from, Wanted wanted) {
  char quote = '\0';
  for (std::size_t i = from; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != '\0') {
      if (c == '\\') {
        ++i;
      } else if (c == quote) {
        quote = '\0';
      }
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (wanted(i)) {
      return i;
    }
  }
  return std::string_view::npos;
}

}  // namespace

Expressed<void> TemplateParser::run() {
  if (text_.size() > limits::kTemplateBytes) {
    return problem(ExpressionErrc::kLimit, 0,
                   fmt::format("the template is longer than {} bytes", limits::kTemplateBytes));
  }
  if (!is_utf8(text_)) return problem(ExpressionErrc::kSyntax, 0, "the template is not UTF-8");
  std::size_t at = 0;
  while (at < text_.size()) {
    const std::size_t open = std::min({text_.find("{{", at), text_.find("{%", at), text_.size()});
    if (open > at) {
      TRY_VOID(add({.text = std::string(text_.substr(at, open - at)), .filters = {}}, at));
    }
    at = open;
    if (at < text_.size()) TRY_VOID(tag(at));
  }
  if (blocks_.empty()) return {};
  const Block& left = blocks_.back();
  return problem(
      ExpressionErrc::kSyntax, left.offset,
      fmt::format("the '{{% {} %}}' that begins here has no end", left.loop ? "for" : "if"));
}

// --- pieces --------------------------------------------------------------------------------------

// Where the tag that opened before `from` closes. The braces of a dict do not close it.
std::size_t TemplateParser::tag_end(std::size_t from, std::string_view closing) const {
  std::size_t braces = 0;
  return find_unquoted(text_, from, [&](std::size_t i) {
    if (braces == 0 && text_.substr(i).starts_with(closing)) return true;
    if (text_[i] == '{') ++braces;
    if (text_[i] == '}' && braces > 0) --braces;
    return false;
  });
}

TemplateParser::Piece TemplateParser::piece(std::size_t begin, std::size_t end) const {
  return trimmed({text_.substr(begin, end - begin), begin});
}

TemplateParser::Piece TemplateParser::trimmed(Piece given) {
  while (!given.text.empty() && is_blank(given.text.front())) {
    given.text.remove_prefix(1);
    ++given.offset;
  }
  while (!given.text.empty() && is_blank(given.text.back())) given.text.remove_suffix(1);
  return given;
}

// The word at the front; the rest stays.
TemplateParser::Piece TemplateParser::take_word(Piece& from) {
  std::size_t length = 0;
  while (length < from.text.size() && in_word(from.text[length])) ++length;
  const Piece word{from.text.substr(0, length), from.offset};
  from = trimmed({from.text.substr(length), from.offset + length});
  return word;
}

Expressed<void> TemplateParser::add(TemplateStep step, std::size_t offset) {
  if (program.steps.size() >= limits::kTemplateParts) {
    return problem(ExpressionErrc::kLimit, offset,
                   fmt::format("the template has more than {} parts", limits::kTemplateParts));
  }
  program.steps.push_back(std::move(step));
  return {};
}

Expressed<std::size_t> TemplateParser::expression(Piece given) {
  if (given.text.empty()) {
    return problem(ExpressionErrc::kSyntax, given.offset, "an expression is expected here");
  }
  auto parsed = Expression::parse_part(given.text);
  if (!parsed) {
    parsed.error().offset += given.offset;
    return std::unexpected(std::move(parsed.error()));
  }
  for (ExpressionUse use : parsed->uses()) {
    const auto is_variable = [&](const Block& block) {
      return block.loop && block.variable == use.name;
    };
    if (!use.function && std::ranges::any_of(blocks_, is_variable)) continue;
    use.offset += given.offset;
    use.key_offset += given.offset;
    program.uses.push_back(std::move(use));
  }
  program.expressions.push_back({std::move(*parsed), given.offset});
  return program.expressions.size() - 1;
}

// --- tags ----------------------------------------------------------------------------------------

Expressed<void> TemplateParser::tag(std::size_t& at) {
  const bool writes = text_[at + 1] == '{';
  const std::string_view closing = writes ? "}}" : "%}";
  const std::size_t end = tag_end(at + 2, closing);
  if (end == std::string_view::npos) {
    return problem(
        ExpressionErrc::kSyntax, at,
        fmt::format("the '{}' that begins here has no '{}'", text_.substr(at, 2), closing));
  }
  const Piece inside = piece(at + 2, end);
  at = end + 2;
  return writes ? output(inside) : statement(inside);
}

Expressed<void> TemplateParser::output(Piece given) {
  TemplateStep step{.kind = TemplateStepKind::kOutput, .text = {}, .filters = {}};
  std::optional<std::size_t> value;
  std::size_t at = 0;
  while (true) {
    const std::size_t bar =
        find_unquoted(given.text, at, [&](std::size_t i) { return given.text[i] == '|'; });
    const Piece part = trimmed({given.text.substr(at, bar - at), given.offset + at});
    if (value) {
      TRY_VOID(filter(part, step));
    } else {
      TRY(value, expression(part));
    }
    if (bar == std::string_view::npos) break;
    at = bar + 1;
  }
  step.expression = *value;
  return add(std::move(step), given.offset);
}

// default('x'), join(', ')
Expressed<void> TemplateParser::filter(Piece given, TemplateStep& step) {
  const Piece name = take_word(given);
  const auto* known = std::ranges::find(kFilters, name.text);
  if (known == kFilters.end()) {
    return problem(ExpressionErrc::kSyntax, name.offset,
                   fmt::format("the filter '{}' is not known{}", utf8_prefix(name.text, 40),
                               did_you_mean(name.text, kFilters)));
  }
  TemplateFilter made{.kind = static_cast<TemplateFilterKind>(known - kFilters.begin())};
  if (given.text.size() >= 2 && given.text.starts_with('(') && given.text.ends_with(')')) {
    const std::size_t inside = given.text.size() - 2;
    TRY(const std::size_t argument,
        expression(trimmed({given.text.substr(1, inside), given.offset + 1})));
    made.argument = static_cast<int>(argument);
  } else if (!given.text.empty()) {
    return problem(ExpressionErrc::kSyntax, given.offset, "'(' or '|' is expected after a filter");
  }
  if (made.kind == TemplateFilterKind::kDefault && made.argument < 0) {
    return problem(ExpressionErrc::kSyntax, name.offset, "'default' takes 1 argument");
  }
  step.filters.push_back(made);
  return {};
}

Expressed<void> TemplateParser::statement(Piece given) {
  const std::size_t offset = given.offset;
  const Piece word = take_word(given);
  if (word.text.empty()) {
    return problem(ExpressionErrc::kSyntax, offset, "a statement is expected here, such as 'if'");
  }
  if (word.text == "if") return begin_if(given, offset);
  if (word.text == "for") return begin_for(given, offset);
  if (word.text == "elif") return next_branch(given, word.text, offset);
  if (word.text != "else" && word.text != "endif" && word.text != "endfor") {
    return problem(ExpressionErrc::kSyntax, offset,
                   fmt::format("'{}' is no statement{}", utf8_prefix(word.text, 40),
                               did_you_mean(word.text, kStatements)));
  }
  if (!given.text.empty()) {
    return problem(ExpressionErrc::kSyntax, given.offset,
                   fmt::format("'%}}' is expected after '{}'", word.text));
  }
  return word.text == "else" ? next_branch(given, word.text, offset) : end_block(word.text, offset);
}

// --- blocks --------------------------------------------------------------------------------------

Expressed<void> TemplateParser::begin_if(Piece condition, std::size_t offset) {
  if (blocks_.size() >= limits::kTemplateDepth) {
    return problem(ExpressionErrc::kLimit, offset,
                   fmt::format("blocks are nested deeper than {}", limits::kTemplateDepth));
  }
  TRY(const std::size_t test, expression(condition));
  blocks_.push_back({.offset = offset, .open = program.steps.size(), .exits = {}, .variable = {}});
  return add({.kind = TemplateStepKind::kJumpUnless, .text = {}, .expression = test, .filters = {}},
             offset);
}

// Leaves the branch that is open: a jump to the end of the block, and the next branch begins.
Expressed<void> TemplateParser::close_branch(std::size_t offset) {
  Block& block = blocks_.back();
  block.exits.push_back(program.steps.size());
  TRY_VOID(add({.kind = TemplateStepKind::kJump, .text = {}, .filters = {}}, offset));
  program.steps[block.open].target = program.steps.size();
  return {};
}

Expressed<void> TemplateParser::next_branch(Piece condition, std::string_view word,
                                            std::size_t offset) {
  if (blocks_.empty() || blocks_.back().loop || blocks_.back().has_else) {
    return problem(ExpressionErrc::kSyntax, offset,
                   fmt::format("there is no '{{% if %}}' for this '{}'", word));
  }
  TRY_VOID(close_branch(offset));
  if (word == "else") {
    blocks_.back().has_else = true;
    return {};
  }
  TRY(const std::size_t test, expression(condition));
  blocks_.back().open = program.steps.size();
  return add({.kind = TemplateStepKind::kJumpUnless, .text = {}, .expression = test, .filters = {}},
             offset);
}

Expressed<void> TemplateParser::begin_for(Piece head, std::size_t offset) {
  if (blocks_.size() >= limits::kTemplateDepth) {
    return problem(ExpressionErrc::kLimit, offset,
                   fmt::format("blocks are nested deeper than {}", limits::kTemplateDepth));
  }
  const Piece variable = take_word(head);
  const Piece in = take_word(head);
  if (variable.text.empty() || !begins_name(variable.text.front()) || in.text != "in") {
    return problem(ExpressionErrc::kSyntax, variable.offset,
                   "'name in list' is expected after 'for'");
  }
  TRY(const std::size_t list, expression(head));
  blocks_.push_back({.loop = true,
                     .offset = offset,
                     .open = program.steps.size(),
                     .exits = {},
                     .variable = variable.text});
  return add({.kind = TemplateStepKind::kFor,
              .text = std::string(variable.text),
              .expression = list,
              .filters = {}},
             offset);
}

Expressed<void> TemplateParser::end_block(std::string_view word, std::size_t offset) {
  const bool loop = word == "endfor";
  if (blocks_.empty() || blocks_.back().loop != loop) {
    return problem(
        ExpressionErrc::kSyntax, offset,
        fmt::format("there is no '{{% {} %}}' for this '{}'", loop ? "for" : "if", word));
  }
  const Block block = std::move(blocks_.back());
  blocks_.pop_back();
  if (loop) {
    TRY_VOID(
        add({.kind = TemplateStepKind::kRepeat, .text = {}, .target = block.open, .filters = {}},
            offset));
  }
  const std::size_t end = program.steps.size();
  if (!block.has_else) program.steps[block.open].target = end;
  for (const std::size_t exit : block.exits) program.steps[exit].target = end;
  return {};
}

}  // namespace rouse
