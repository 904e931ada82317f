// The lower half of the grammar: literals, names, lists, attributes and calls. The operators are in
// expression_parser.cc.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "lifecycle/expression/expression_parser.h"
#include "lifecycle/expression/expression_words.h"

namespace rouse {
namespace {

constexpr std::array<std::string_view, 9> kKeywords{"and", "or",   "not", "in",    "is",
                                                    "if",  "else", "for", "lambda"};

bool is_keyword(std::string_view word) {
  return std::ranges::find(kKeywords, word) != kKeywords.end();
}

const boost::json::value* named_constant(std::string_view word) {
  static const boost::json::value kTrue(true), kFalse(false), kNone(nullptr);
  if (word == "True" || word == "true") return &kTrue;
  if (word == "False" || word == "false") return &kFalse;
  if (word == "None" || word == "none" || word == "null") return &kNone;
  return nullptr;
}

}  // namespace

// --- grammar: values -----------------------------------------------------------------------------

ExpressionParser::Parsed ExpressionParser::postfix() {
  const std::size_t begin = token_.begin;
  TRY(Index value, primary());
  while (true) {
    if (stands(".")) {
      TRY(value, attribute(value, begin));
    } else if (stands("[")) {
      TRY(value, subscript(value, begin));
    } else if (stands("(")) {
      return problem(ExpressionErrc::kSyntax, token_.begin, "only a function can be called");
    } else {
      return value;
    }
  }
}

ExpressionParser::Parsed ExpressionParser::primary() {
  if (token_.kind == ExpressionTokenKind::kLiteral) return literal();
  if (token_.kind == ExpressionTokenKind::kName && !is_keyword(token_.text)) return named();
  if (stands("(")) return bracketed();
  if (stands("[")) return list();
  if (stands("{")) return dict();
  if (stands("-")) return negative_number();
  return expected("a value");
}

ExpressionParser::Parsed ExpressionParser::literal() {
  const std::size_t begin = token_.begin;
  boost::json::value value = std::move(token_.literal);
  TRY_VOID(advance());
  return add_constant(begin, std::move(value));
}

ExpressionParser::Parsed ExpressionParser::negative_number() {
  const std::size_t begin = token_.begin;
  TRY_VOID(advance());
  if (!token_.literal.is_number()) return expected("a number");
  boost::json::value value = std::move(token_.literal);
  TRY_VOID(advance());
  if (value.is_double()) return add_constant(begin, -value.get_double());
  return add_constant(begin, -value.get_int64());
}

ExpressionParser::Parsed ExpressionParser::named() {
  const ExpressionToken name = token_;
  TRY_VOID(advance());
  if (const auto* value = named_constant(name.text)) return add_constant(name.begin, *value);
  if (stands("(")) return call(name);
  TRY(const Index word, add_word(name.text));
  uses.push_back({.name = std::string(name.text), .key = {}, .offset = name.begin});
  return add(ExpressionKind::kName, name.begin, word, {});
}

ExpressionParser::Parsed ExpressionParser::bracketed() {
  TRY_VOID(advance());
  TRY(const Index value, conditional());
  if (stands(",")) {
    return problem(ExpressionErrc::kSyntax, token_.begin, "write a list with '[' and ']'");
  }
  TRY_VOID(expect(")"));
  return value;
}

// What stands between brackets, with commas between and perhaps one at the end.
Expressed<void> ExpressionParser::items(std::string_view closing, Children& into,
                                        std::size_t most) {
  while (!stands(closing)) {
    if (into.size() >= most) {
      return problem(ExpressionErrc::kLimit, token_.begin,
                     fmt::format("at most {} can stand here", most));
    }
    TRY(const Index item, conditional());
    into.push_back(item);
    if (stands(closing)) break;
    if (!stands(",")) return expected(fmt::format("',' or '{}'", closing));
    TRY_VOID(advance());
  }
  return advance();
}

ExpressionParser::Parsed ExpressionParser::list() {
  const std::size_t begin = token_.begin;
  TRY_VOID(advance());
  Children found;
  TRY_VOID(items("]", found, limits::kExpressionNodes));
  if (!all_constant(found)) return add(ExpressionKind::kList, begin, 0, found);
  boost::json::array folded;
  for (const Index one : found) folded.push_back(*constant(one));
  return add_constant(begin, std::move(folded));
}

ExpressionParser::Parsed ExpressionParser::dict() {
  const std::size_t begin = token_.begin;
  TRY_VOID(advance());
  Children found;
  while (!stands("}")) {
    const std::size_t key_begin = token_.begin;
    TRY(const Index key, conditional());
    if (const auto* given = constant(key); given != nullptr && !given->is_string()) {
      return problem(ExpressionErrc::kSyntax, key_begin, "the key of an object must be text");
    }
    TRY_VOID(expect(":"));
    TRY(const Index value, conditional());
    found.insert(found.end(), {key, value});
    if (stands("}")) break;
    if (!stands(",")) return expected("',' or '}'");
    TRY_VOID(advance());
  }
  TRY_VOID(advance());
  if (!all_constant(found)) return add(ExpressionKind::kDict, begin, 0, found);
  boost::json::object folded;
  for (std::size_t i = 0; i < found.size(); i += 2) {
    folded[constant(found[i])->get_string()] = *constant(found[i + 1]);
  }
  return add_constant(begin, std::move(folded));
}

ExpressionParser::Parsed ExpressionParser::attribute(Index object, std::size_t begin) {
  TRY_VOID(advance());
  if (token_.kind != ExpressionTokenKind::kName) return expected("a name");
  const ExpressionToken name = token_;
  TRY_VOID(advance());
  if (stands("(")) return method(object, begin, name);
  note_key(object, name.text, name.begin);
  TRY(const Index word, add_word(name.text));
  return add(ExpressionKind::kAttribute, begin, word, {object});
}

ExpressionParser::Parsed ExpressionParser::subscript(Index object, std::size_t begin) {
  TRY_VOID(advance());
  const std::size_t key_begin = token_.begin;
  TRY(const Index key, conditional());
  TRY_VOID(expect("]"));
  if (const auto* given = constant(key); given != nullptr && given->is_string()) {
    note_key(object, given->get_string(), key_begin);
  }
  return add(ExpressionKind::kSubscript, begin, 0, {object, key});
}

// --- grammar: calls ------------------------------------------------------------------------------

ExpressionParser::Parsed ExpressionParser::method(Index object, std::size_t begin,
                                                  const ExpressionToken& name) {
  const ExpressionWord<ExpressionMethod>* known = method_named(name.text);
  if (known == nullptr) {
    return problem(ExpressionErrc::kSyntax, name.begin,
                   fmt::format("there is no method '{}'{}", utf8_prefix(name.text, 40),
                               did_you_mean(name.text, method_names())));
  }
  TRY_VOID(advance());
  const std::size_t key_begin = token_.begin;
  Children children{object};
  TRY_VOID(items(")", children, limits::kExpressionArguments));
  if (children.size() - 1 < known->least || children.size() - 1 > known->most) {
    return problem(ExpressionErrc::kSyntax, name.begin, wrong_count(name.text, *known));
  }
  if (known->id == ExpressionMethod::kGet) {
    const auto* key = constant(children[1]);
    if (key != nullptr && key->is_string()) note_key(object, key->get_string(), key_begin);
  }
  return add(ExpressionKind::kMethod, begin, static_cast<std::size_t>(known->id), children);
}

ExpressionParser::Parsed ExpressionParser::call(const ExpressionToken& name) {
  const ExpressionWord<ExpressionBuiltin>* known = builtin_named(name.text);
  if (known == nullptr) {
    TRY_VOID(add_word(name.text));  // dunder names are refused before anything else is said
    uses.push_back(
        {.name = std::string(name.text), .key = {}, .function = true, .offset = name.begin});
  }
  TRY_VOID(advance());
  const Mark from = mark();
  Children arguments;
  if (known != nullptr && !stands(")") &&
      (known->id == ExpressionBuiltin::kAny || known->id == ExpressionBuiltin::kAll)) {
    TRY(const Index first, conditional());
    if (stands("for")) return comprehension(name, first, from);
    arguments.push_back(first);
    if (!stands(")")) return expected("'for' or ')'");
  }
  TRY_VOID(items(")", arguments, limits::kExpressionArguments));
  if (known == nullptr) {
    TRY(const Index word, add_word(name.text));
    return add(ExpressionKind::kHostCall, name.begin, word, arguments);
  }
  if (arguments.size() < known->least || arguments.size() > known->most) {
    return problem(ExpressionErrc::kSyntax, name.begin, wrong_count(name.text, *known));
  }
  return add(ExpressionKind::kBuiltin, name.begin, static_cast<std::size_t>(known->id), arguments);
}

// any(condition for variable in list if filter), from the "for" on.
ExpressionParser::Parsed ExpressionParser::comprehension(const ExpressionToken& function,
                                                         Index condition, Mark from) {
  const std::size_t slot = slots_++;
  if (slot >= limits::kExpressionDepth) {
    return problem(ExpressionErrc::kLimit, token_.begin,
                   fmt::format("it has more than {} 'for'", limits::kExpressionDepth));
  }
  TRY_VOID(advance());
  if (token_.kind != ExpressionTokenKind::kName || is_keyword(token_.text)) {
    return expected("the name of a variable");
  }
  const std::string_view variable = token_.text;
  TRY_VOID(advance());
  bind(variable, slot, from, mark());
  TRY_VOID(expect("in"));
  TRY(const Index over, disjunction());
  Children children{condition, over};
  if (stands("if")) {
    TRY_VOID(advance());
    const Mark filter = mark();
    TRY(const Index kept, disjunction());
    bind(variable, slot, filter, mark());
    children.push_back(kept);
  }
  TRY_VOID(expect(")"));
  return add(function.text == "any" ? ExpressionKind::kAny : ExpressionKind::kAll, function.begin,
             slot, children);
}

}  // namespace rouse
