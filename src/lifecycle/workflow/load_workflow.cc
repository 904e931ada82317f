#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "base/text.h"
#include "base/yaml.h"
#include "lifecycle/engine/scope.h"
#include "lifecycle/workflow/workflow.h"

namespace rouse {
namespace {

constexpr std::size_t kProblemsTold = 20;

// What a scalar means: null, true, 3, 0.5, else a text. A quoted one is always a text.
boost::json::value scalar(const YamlNode& node) {
  const std::string& text = node.text;
  if (node.quoted) return boost::json::value(text);
  if (text.empty() || text == "null" || text == "~") return nullptr;
  if (text == "true") return true;
  if (text == "false") return false;
  std::int64_t whole = 0;
  const char* end = text.data() + text.size();
  if (const auto read = std::from_chars(text.data(), end, whole);
      read.ec == std::errc{} && read.ptr == end) {
    return whole;
  }
  double part = 0;
  if (const auto read = std::from_chars(text.data(), end, part);
      read.ec == std::errc{} && read.ptr == end && text.find_first_of("0123456789") != text.npos) {
    return part;
  }
  return boost::json::value(text);
}

boost::json::value to_json(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::kNull:
      return nullptr;
    case YamlNode::Kind::kScalar:
      return scalar(node);
    case YamlNode::Kind::kList: {
      boost::json::array out;
      for (const YamlNode& item : node.items) out.push_back(to_json(item));
      return out;
    }
    case YamlNode::Kind::kMap: {
      boost::json::object out;
      for (const YamlEntry& entry : node.entries) out[entry.key] = to_json(entry.value);
      return out;
    }
  }
  return nullptr;
}

class Loader {
 public:
  Loader(std::string_view file, std::string_view text) : file_(file), text_(text) {}

  LoadedWorkflow load() {
    if (text_.size() > kWorkflowBytes) {
      problem(1, 1, fmt::format("a workflow has at most {} KB", kWorkflowBytes / 1024));
      return {std::nullopt, std::move(problems_)};
    }
    auto parsed = parse_yaml(text_);
    if (!parsed) {
      problem(parsed.error().line, parsed.error().column, parsed.error().message);
    } else {
      read_top(*parsed);
    }
    LoadedWorkflow out;
    out.problems = std::move(problems_);
    if (out.problems.empty()) out.workflow = std::move(made_);
    return out;
  }

 private:
  void problem(int line, int column, std::string message) {
    if (problems_.size() < kProblemsTold) {
      problems_.push_back({file_, line, column, std::move(message)});
    }
  }
  void problem(const YamlNode& at, std::string message) {
    problem(at.line, at.column, std::move(message));
  }

  static std::string hint(std::string_view word, const std::vector<std::string_view>& known) {
    if (const auto near = nearest(word, known)) return fmt::format("; did you mean '{}'?", *near);
    if (known.empty() || known.size() > 12) return {};
    return fmt::format("; known are {}", fmt::join(known, ", "));
  }

  static const YamlEntry* entry(const YamlNode& map, std::string_view key) {
    const auto found = std::ranges::find(map.entries, key, &YamlEntry::key);
    return found == map.entries.end() ? nullptr : &*found;
  }

  bool is_map(const YamlNode& node, std::string_view what) {
    if (node.kind == YamlNode::Kind::kMap) return true;
    problem(node, fmt::format("{} must be a mapping (name: value), not {}", what, describe(node)));
    return false;
  }

  void only_keys(const YamlNode& map, std::string_view where,
                 const std::vector<std::string_view>& known) {
    for (const YamlEntry& one : map.entries) {
      if (std::ranges::find(known, one.key) != known.end()) continue;
      problem(one.line, one.column,
              fmt::format("'{}' is no key of {}{}", one.key, where, hint(one.key, known)));
    }
  }

  // --- the top
  void read_top(const YamlNode& top) {
    if (!is_map(top, "a workflow")) return;
    only_keys(
        top, "a workflow",
        {"name", "description", "type", "version", "sources", "settings", "variables", "triggers"});
    made_.file = file_;
    made_.name = text_of(top, "name", true);
    const bool good_name = std::ranges::all_of(made_.name, [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    });
    if (const YamlEntry* name = entry(top, "name");
        name != nullptr && (!good_name || made_.name.size() > 64)) {
      problem(name->value, "a name has 1 to 64 of a-z, 0-9, '-' and '_'");
    }
    made_.description = text_of(top, "description", false);
    if (const std::string type = text_of(top, "type", false);
        !type.empty() && type != "lifecycle") {
      problem(entry(top, "type")->value,
              fmt::format("type is 'lifecycle', the only kind there is, not '{}'", type));
    }
    read_sources(top);
    read_settings(top);
    read_variables(top);
    read_triggers(top);
  }

  std::string text_of(const YamlNode& map, std::string_view key, bool required) {
    const YamlEntry* found = entry(map, key);
    if (found == nullptr) {
      if (required) problem(map, fmt::format("'{}' is missing", key));
      return {};
    }
    if (found->value.kind != YamlNode::Kind::kScalar || found->value.text.empty()) {
      problem(found->value,
              fmt::format("'{}' must be a text, not {}", key, describe(found->value)));
      return {};
    }
    return found->value.text;
  }

  void read_sources(const YamlNode& top) {
    const YamlEntry* sources = entry(top, "sources");
    if (sources == nullptr) return;
    if (sources->value.kind != YamlNode::Kind::kList) {
      return problem(sources->value, "'sources' must be a list of names, as in [claude_sdk]");
    }
    for (const YamlNode& one : sources->value.items) {
      if (one.kind == YamlNode::Kind::kScalar && !one.text.empty()) {
        made_.sources.push_back(one.text);
      } else {
        problem(one, "a source is a name");
      }
    }
  }

  void read_settings(const YamlNode& top) {
    const YamlEntry* settings = entry(top, "settings");
    if (settings == nullptr || !is_map(settings->value, "'settings'")) return;
    only_keys(settings->value, "settings", {"priority"});
    const YamlEntry* priority = entry(settings->value, "priority");
    if (priority == nullptr) return;
    const auto value = to_json(priority->value);
    if (!value.is_int64() || value.as_int64() < 0 || value.as_int64() > 10'000) {
      return problem(priority->value, "'priority' is a whole number from 0 to 10000");
    }
    made_.priority = value.as_int64();
  }

  void read_variables(const YamlNode& top) {
    const YamlEntry* variables = entry(top, "variables");
    if (variables == nullptr || variables->value.kind == YamlNode::Kind::kNull) return;
    if (!is_map(variables->value, "'variables'")) return;
    if (variables->value.entries.size() > kWorkflowVariables) {
      return problem(variables->value,
                     fmt::format("a workflow has at most {} variables", kWorkflowVariables));
    }
    for (const YamlEntry& one : variables->value.entries) {
      made_.variables[one.key] = to_json(one.value);
    }
  }

  void read_triggers(const YamlNode& top) {
    const YamlEntry* triggers = entry(top, "triggers");
    if (triggers == nullptr) return problem(top, "'triggers' is missing: it would do nothing");
    if (!is_map(triggers->value, "'triggers'")) return;
    for (const YamlEntry& one : triggers->value.entries) {
      const auto trigger = parse_trigger(one.key);
      if (!trigger) {
        std::vector<std::string_view> known;
        for (const TriggerInfo& info : kTriggers) known.push_back(info.name);
        problem(one.line, one.column,
                fmt::format("there is no trigger '{}'{}", one.key, hint(one.key, known)));
        continue;
      }
      if (made_.triggers.contains(*trigger)) {
        problem(one.line, one.column,
                fmt::format("'{}' is there twice ('{}' is another name of it)",
                            trigger_name(*trigger), trigger_info(*trigger).alias));
        continue;
      }
      read_steps(*trigger, one.value);
    }
  }

  void read_steps(Trigger trigger, const YamlNode& list) {
    std::vector<WorkflowStep>& steps = made_.triggers[trigger];
    if (list.kind == YamlNode::Kind::kNull) return;
    if (list.kind != YamlNode::Kind::kList) {
      return problem(list, fmt::format("'{}' must be a list of actions", trigger_name(trigger)));
    }
    for (const YamlNode& one : list.items) {
      if (++steps_ > kWorkflowSteps) {
        return problem(one, fmt::format("a workflow has at most {} actions", kWorkflowSteps));
      }
      if (auto step = read_step(one)) steps.push_back(std::move(*step));
    }
  }

  std::optional<WorkflowStep> read_step(const YamlNode& node) {
    if (!is_map(node, "an action")) return std::nullopt;
    const std::string name = text_of(node, "action", true);
    if (name.empty()) return std::nullopt;
    const ActionKind* kind = find_action(name);
    if (kind == nullptr) {
      std::vector<std::string_view> known;
      for (const ActionKind& one : all_actions()) known.push_back(one.name);
      problem(entry(node, "action")->value,
              fmt::format("there is no action '{}'{}", name, hint(name, known)));
      return std::nullopt;
    }
    WorkflowStep step;
    step.action = kind;
    step.line = node.line;
    if (const YamlEntry* when = entry(node, "when")) step.when = expression(when->value);
    step.arguments =
        read_arguments(node, kind->arguments, fmt::format("action {}", name), {"action", "when"});
    return step;
  }

  // --- arguments
  ActionArguments read_arguments(const YamlNode& map, const std::vector<ArgumentInfo>& infos,
                                 const std::string& where,
                                 std::vector<std::string_view> also = {}) {
    ActionArguments out;
    out.set_line(map.line);
    for (const ArgumentInfo& info : infos) also.push_back(info.name);
    only_keys(map, where, also);
    for (const ArgumentInfo& info : infos) {
      const YamlEntry* given = entry(map, info.name);
      if (given == nullptr) {
        if (info.required) problem(map, fmt::format("{} needs '{}'", where, info.name));
        continue;
      }
      if (auto argument = read_argument(given->value, info, where)) {
        argument->line = given->line;
        out.put(std::string(info.name), std::move(*argument));
      }
    }
    return out;
  }

  std::optional<ActionArguments::Argument> wrong(const YamlNode& node, const ArgumentInfo& info,
                                                 std::string_view wanted) {
    problem(node, fmt::format("'{}' must be {}, not {}", info.name, wanted, describe(node)));
    return std::nullopt;
  }

  std::optional<ActionArguments::Argument> read_argument(const YamlNode& node,
                                                         const ArgumentInfo& info,
                                                         const std::string& where) {
    ActionArguments::Argument out;
    out.value = to_json(node);
    const bool scalar_here = node.kind == YamlNode::Kind::kScalar;
    switch (info.kind) {
      case ArgumentKind::kValue:
        return out;
      case ArgumentKind::kNumber:
        if (out.value.is_int64() && out.value.as_int64() >= 0) return out;
        return wrong(node, info, "a whole number from 0");
      case ArgumentKind::kDecimal:
        if (out.value.is_number()) return out;
        return wrong(node, info, "a number");
      case ArgumentKind::kFlag:
        if (out.value.is_bool()) return out;
        return wrong(node, info, "true or false");
      case ArgumentKind::kText:
        return scalar_here ? read_text(node, info, std::move(out)) : wrong(node, info, "a text");
      case ArgumentKind::kVariable:
        return scalar_here ? read_variable(node, std::move(out))
                           : wrong(node, info, "a variable's name");
      case ArgumentKind::kTexts:
        return read_texts(node, info, std::move(out));
      case ArgumentKind::kTemplate:
        return scalar_here ? read_template(node, info, std::move(out))
                           : wrong(node, info, "a text");
      case ArgumentKind::kWhen:
        out.when = expression(node);
        return out.when ? std::optional(std::move(out)) : std::nullopt;
      case ArgumentKind::kPattern:
        return scalar_here ? read_pattern(node, std::move(out)) : wrong(node, info, "a text");
      case ArgumentKind::kItems:
        return read_items(node, info, where, std::move(out));
    }
    return std::nullopt;
  }

  std::optional<ActionArguments::Argument> read_text(const YamlNode& node, const ArgumentInfo& info,
                                                     ActionArguments::Argument out) {
    out.value = boost::json::value(node.text);
    const bool known =
        info.choices.empty() || std::ranges::find(info.choices, node.text) != info.choices.end();
    if (known) return out;
    problem(node,
            fmt::format("'{}' is no {}{}", node.text, info.name, hint(node.text, info.choices)));
    return std::nullopt;
  }

  std::optional<ActionArguments::Argument> read_variable(const YamlNode& node,
                                                         ActionArguments::Argument out) {
    out.value = boost::json::value(node.text);
    if (made_.variables.contains(node.text)) return out;
    std::vector<std::string_view> known;
    for (const auto& one : made_.variables) known.push_back(one.key());
    problem(node, fmt::format("the workflow declares no variable '{}'{}", node.text,
                              hint(node.text, known)));
    return std::nullopt;
  }

  std::optional<ActionArguments::Argument> read_texts(const YamlNode& node,
                                                      const ArgumentInfo& info,
                                                      ActionArguments::Argument out) {
    if (node.kind == YamlNode::Kind::kScalar) {  // one is a list of one
      out.value = boost::json::array{boost::json::value(node.text)};
      return out;
    }
    if (node.kind != YamlNode::Kind::kList) return wrong(node, info, "a list of texts");
    boost::json::array list;
    for (const YamlNode& item : node.items) {
      if (item.kind != YamlNode::Kind::kScalar) return wrong(item, info, "a list of texts");
      list.emplace_back(item.text);
    }
    out.value = std::move(list);
    return out;
  }

  std::optional<ActionArguments::Argument> read_template(const YamlNode& node,
                                                         const ArgumentInfo& info,
                                                         ActionArguments::Argument out) {
    auto words = TextTemplate::parse(node.text);
    if (!words) {
      problem(node, fmt::format("'{}': {}", info.name, words.error().message));
      return std::nullopt;
    }
    if (!uses_known(node, words->text(), words->uses(), info.choices)) return std::nullopt;
    out.words = std::move(*words);
    return out;
  }

  std::optional<ActionArguments::Argument> read_pattern(const YamlNode& node,
                                                        ActionArguments::Argument out) {
    auto pattern = CommandPattern::parse(node.text);
    if (!pattern) {
      problem(node, pattern.error().message);
      return std::nullopt;
    }
    out.pattern = std::move(*pattern);
    return out;
  }

  std::optional<ActionArguments::Argument> read_items(const YamlNode& node,
                                                      const ArgumentInfo& info,
                                                      const std::string& where,
                                                      ActionArguments::Argument out) {
    if (node.kind != YamlNode::Kind::kList) return wrong(node, info, "a list");
    for (const YamlNode& item : node.items) {
      if (++steps_ > kWorkflowSteps) {
        problem(item, fmt::format("a workflow has at most {} actions and rules", kWorkflowSteps));
        return std::nullopt;
      }
      if (!is_map(item, fmt::format("an item of '{}'", info.name))) continue;
      out.items.push_back(
          read_arguments(item, info.of, fmt::format("'{}' of {}", info.name, where)));
    }
    return out;
  }

  std::optional<Expression> expression(const YamlNode& node) {
    if (node.kind != YamlNode::Kind::kScalar) {
      problem(node, fmt::format("'when' must be an expression, not {}", describe(node)));
      return std::nullopt;
    }
    auto parsed = Expression::parse(node.text);
    if (!parsed) {
      problem(node, parsed.error().message);
      return std::nullopt;
    }
    if (!uses_known(node, parsed->text(), parsed->uses(), {})) return std::nullopt;
    return std::move(*parsed);
  }

  bool uses_known(const YamlNode& node, std::string_view text,
                  const std::vector<ExpressionUse>& uses,
                  const std::vector<std::string_view>& lent) {
    const auto known = check_uses(text, uses, scope_vocabulary(made_.variables, lent));
    if (!known) problem(node, known.error().message);
    return known.has_value();
  }

  std::string file_;
  std::string_view text_;
  Workflow made_;
  std::size_t steps_ = 0;
  std::vector<WorkflowProblem> problems_;
};

}  // namespace

LoadedWorkflow load_workflow(std::string_view file, std::string_view text) {
  return Loader(file, text).load();
}

}  // namespace rouse
