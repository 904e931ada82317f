// What a workflow can do: an action, with a name, its arguments and a function. Adding one is one
// file in actions/ and one line in actions/all_actions.cc; the loader checks its arguments by what
// is said here, and docs/workflows.md is made from it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/value.hpp>

#include "base/task.h"
#include "lifecycle/expression/expression.h"
#include "lifecycle/expression/template.h"
#include "lifecycle/workflow/command_pattern.h"

namespace rouse {

enum class ArgumentKind : std::uint8_t {
  kText,      // as it is written
  kTemplate,  // text with holes
  kValue,     // any value: null, true, 3, 'text', [..], {..}
  kNumber,    // a whole number from 0
  kDecimal,   // 0.7
  kFlag,      // true or false
  kVariable,  // the name of a variable that the workflow declares
  kTexts,     // a list of texts
  kPattern,   // a regular expression over a command
  kWhen,      // an expression
  kItems,     // a list of mappings, each with arguments of its own (`of`)
};

struct ArgumentInfo {
  std::string_view name;
  ArgumentKind kind = ArgumentKind::kText;
  bool required = false;
  std::string_view help;
  std::vector<std::string_view> choices = {};  // of a text; empty: any
  std::vector<ArgumentInfo> of = {};           // of kItems
};

// The arguments of one step, as the file gives them, checked and parsed.
class ActionArguments {
 public:
  struct Argument {
    boost::json::value value;                // of every kind that has one
    std::optional<TextTemplate> words = {};  // kTemplate
    std::optional<Expression> when = {};     // kWhen
    std::optional<CommandPattern> pattern = {};
    std::vector<ActionArguments> items = {};  // kItems
    int line = 0;
  };

  [[nodiscard]] bool has(std::string_view name) const { return find(name) != nullptr; }
  [[nodiscard]] std::string text(std::string_view name, std::string_view otherwise = "") const;
  [[nodiscard]] std::int64_t number(std::string_view name, std::int64_t otherwise) const;
  [[nodiscard]] double decimal(std::string_view name, double otherwise) const;
  [[nodiscard]] bool flag(std::string_view name, bool otherwise) const;
  [[nodiscard]] std::vector<std::string> texts(std::string_view name) const;
  [[nodiscard]] const boost::json::value* value(std::string_view name) const;
  [[nodiscard]] const TextTemplate* words(std::string_view name) const;
  [[nodiscard]] const Expression* when(std::string_view name) const;
  [[nodiscard]] const CommandPattern* pattern(std::string_view name) const;
  [[nodiscard]] const std::vector<ActionArguments>& items(std::string_view name) const;
  [[nodiscard]] int line() const { return line_; }

  void set_line(int line) { line_ = line; }
  void put(std::string name, Argument argument) {
    all_.insert_or_assign(std::move(name), std::move(argument));
  }
  [[nodiscard]] const Argument* find(std::string_view name) const;

 private:
  int line_ = 0;
  std::map<std::string, Argument, std::less<>> all_;
};

struct ActionCall;

struct ActionKind {
  std::string_view name;
  std::string_view help;
  std::vector<ArgumentInfo> arguments;
  // It only looks at the event and the variables: a dry run does it, too. What acts in the world
  // is named there and left out.
  bool pure = true;
  // It acts in the world by looking at it and leaves no trace there: it need not wait until the
  // message that called for it is durable.
  bool only_looks = false;
  // A quick look whether there is anything to do; null: there always is.
  bool (*has_nothing_to_do)(const ActionCall& call) = nullptr;
  // An error is recorded and the workflow goes on; where the action is a gate, it blocks.
  Task<Result<void>> (*run)(ActionCall& call) = nullptr;
  bool gate = false;
};

// Every action there is, in the order of their names.
const std::vector<ActionKind>& all_actions();
const ActionKind* find_action(std::string_view name);

}  // namespace rouse
