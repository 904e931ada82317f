// `rouse workflow test`: one event through one workflow as the engine would do it, with an account
// of every step. Nothing outside of it is touched: what acts in the world is named and left out.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/workflow_event.h"
#include "lifecycle/engine/engine.h"

namespace rouse::cli {

struct DryPart {
  std::int64_t level = 0;
  std::string text, value;
  bool failed = false;
};
inline auto shape(const DryPart*) {
  return fields(field("level", &DryPart::level, "How deep inside of the expression"),
                field("text", &DryPart::text, "As it is written"),
                field("value", &DryPart::value, "What it came to, as JSON, or the error"),
                field("failed", &DryPart::failed, "Whether it could not be decided"));
}

// A rule of a gate that speaks of this tool.
struct DryRule {
  std::int64_t line = 0;
  std::optional<std::string> when;
  std::vector<DryPart> parts;
};
inline auto shape(const DryRule*) {
  return fields(field("line", &DryRule::line, "Where it stands"),
                field("when", &DryRule::when, "Its condition"),
                field("parts", &DryRule::parts, "What each part of it came to"));
}

struct DryStep {
  std::int64_t line = 0;
  std::string action;
  std::optional<std::string> when;
  std::vector<DryPart> parts;
  std::string outcome, detail;
  std::vector<DryRule> rules;
};
inline auto shape(const DryStep*) {
  return fields(field("line", &DryStep::line, "Where it stands"),
                field("action", &DryStep::action, "Its action"),
                field("when", &DryStep::when, "Its condition"),
                field("parts", &DryStep::parts, "What each part of the condition came to"),
                field("outcome", &DryStep::outcome, "done, skipped, blocked, failed or not run"),
                field("detail", &DryStep::detail, "What it changed, or why it failed"),
                field("rules", &DryStep::rules, "Of a gate: its rules for this tool"));
}

struct DryChange {
  std::string name;
  boost::json::value before, after;
};
inline auto shape(const DryChange*) {
  return fields(field("name", &DryChange::name, "Which variable"),
                field("before", &DryChange::before, "What it was"),
                field("after", &DryChange::after, "What it would be"));
}

struct DryReport {
  std::string workflow, event, source;
  std::optional<std::string> tool, tool_class;
  std::vector<DryStep> steps;
  std::int64_t steps_left = 0;
  std::string decision;
  std::optional<std::string> reason, told;
  std::vector<DryChange> variables;
};
inline auto shape(const DryReport*) {
  return fields(field("workflow", &DryReport::workflow, "Which"),
                field("event", &DryReport::event, "The trigger"),
                field("source", &DryReport::source, "Whose session"),
                field("tool", &DryReport::tool, "Of an event about a tool"),
                field("tool_class", &DryReport::tool_class, "What the tool touches, or \"\""),
                field("steps", &DryReport::steps, "In their order"),
                field("steps_left", &DryReport::steps_left, "Not reached after a refusal"),
                field("decision", &DryReport::decision, "allow, inject, block or error"),
                field("reason", &DryReport::reason, "Why it would be refused"),
                field("told", &DryReport::told, "What the model would be told"),
                field("variables", &DryReport::variables, "Those that changed"));
}

struct DryWish {
  std::shared_ptr<const Workflow> workflow;
  std::string event;
  std::string source = {};  // "": the first one the workflow is for
  std::string data = "{}";
  std::vector<std::string> set = {};  // NAME=JSON
};

Result<DryReport> dry_run(const DryWish& wish);
std::string dry_run_text(const DryReport& report);

}  // namespace rouse::cli
