#include "lifecycle/docs/workflow_docs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lifecycle/docs/workflow_words.h"
#include "lifecycle/engine/engine.h"
#include "lifecycle/engine/scope.h"
#include "lifecycle/workflow/workflow_book.h"

namespace rouse {
namespace {

// What stands in a cell of a table must not end it.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

std::string_view kind_words(ArgumentKind kind) {
  switch (kind) {
    case ArgumentKind::kText:
      return "text";
    case ArgumentKind::kTemplate:
      return "template";
    case ArgumentKind::kValue:
      return "any value";
    case ArgumentKind::kNumber:
      return "whole number";
    case ArgumentKind::kDecimal:
      return "number";
    case ArgumentKind::kFlag:
      return "true or false";
    case ArgumentKind::kVariable:
      return "name of a variable";
    case ArgumentKind::kTexts:
      return "list of texts";
    case ArgumentKind::kPattern:
      return "pattern";
    case ArgumentKind::kWhen:
      return "expression";
    case ArgumentKind::kItems:
      return "list";
  }
  return "";
}

// The choices of a template are the names that its action lends it.
std::string kind_of(const ArgumentInfo& info) {
  if (info.choices.empty() || info.kind != ArgumentKind::kText) {
    return std::string(kind_words(info.kind));
  }
  return fmt::format("`{}`", fmt::join(info.choices, "`, `"));
}

void add_arguments(std::string& page, const std::vector<ArgumentInfo>& arguments) {
  page += "\n| argument | is | |\n|---|---|---|\n";
  for (const ArgumentInfo& info : arguments) {
    page += fmt::format("| `{}`{} | {} | {} |\n", info.name, info.required ? " (needed)" : "",
                        cell(kind_of(info)), cell(info.help));
  }
  for (const ArgumentInfo& info : arguments) {
    if (info.of.empty()) continue;
    page += fmt::format("\nEach of `{}`:\n", info.name);
    add_arguments(page, info.of);
  }
}

void add_triggers(std::string& page) {
  page += kTriggersIntro;
  page += "\n| trigger | when | |\n|---|---|---|\n";
  for (const TriggerInfo& info : kTriggers) {
    const std::string also =
        info.alias.empty() ? "" : fmt::format(", also `{}`", std::string(info.alias));
    page += fmt::format("| `{}`{} | {} | {} |\n", info.name, also, cell(info.help),
                        info.can_block ? "can refuse" : "");
  }
}

void add_actions(std::string& page) {
  page += kActionsIntro;
  for (const ActionKind& action : all_actions()) {
    page += fmt::format("\n### {}\n\n{}", action.name, action.help);
    if (!action.pure) page += " A dry run leaves it out.";
    if (action.gate) page += " It is a gate: if it can't be decided, it refuses.";
    page += "\n";
    if (!action.arguments.empty()) add_arguments(page, action.arguments);
  }
}

void add_names(std::string& page, std::string_view head, std::span<const ScopeName> names) {
  page += fmt::format("\n| {} | |\n|---|---|\n", head);
  for (const ScopeName& one : names) {
    page += fmt::format("| `{}` | {} |\n", one.name, cell(one.help));
  }
}

// Names that mean the same stand in one row.
void add_tool_names(std::string& page) {
  page += kToolNamesIntro;
  page += "\n| name | means |\n|---|---|\n";
  std::vector<std::string_view> names;
  const auto aliases = tool_aliases();
  for (std::size_t i = 0; i < aliases.size(); ++i) {
    names.push_back(aliases[i].name);
    if (i + 1 < aliases.size() && aliases[i + 1].help == aliases[i].help) continue;
    page += fmt::format("| `{}` | {} |\n", fmt::join(names, "`, `"), cell(aliases[i].help));
    names.clear();
  }
}

void add_bounds(std::string& page) {
  page += fmt::format(
      "\n## Bounds\n\n"
      "At most {} files of {} KB, {} actions and rules and {} variables in each. An expression has "
      "at most {} bytes and\n{} steps, a template at most {} KB of text and gives at most {} KB. A "
      "step that acts in the world has {} s; what\nit would have set after that is lost. Of a "
      "conversation at most the newest {} writes with what fired are kept.\n",
      kWorkflowFiles, kWorkflowBytes / 1024, kWorkflowSteps, kWorkflowVariables,
      limits::kExpressionBytes, limits::kExpressionSteps, limits::kTemplateBytes / 1024,
      limits::kTemplateOutputBytes / 1024, kActionDeadline.count / 1000, kFiringsKept);
}

}  // namespace

std::string workflow_docs() {
  std::string page(kIntro);
  add_triggers(page);
  add_actions(page);
  page += kNamesIntro;
  add_names(page, "value", scope_values());
  add_names(page, "function", scope_functions());
  page += kLanguage;
  add_tool_names(page);
  page += kAuthors;
  add_bounds(page);
  return page;
}

}  // namespace rouse
