#include "app/cli/workflow_reading.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/cli/command.h"
#include "app/cli/readable.h"
#include "app/cli/workflow_dry_run.h"

namespace rouse::cli {
namespace {

constexpr std::size_t kLine = 300;
constexpr std::size_t kRefusalsTold = 10;

std::string state_of(const WorkflowView& workflow) {
  if (workflow.state != "broken") return workflow.state;
  return workflow.loaded_at ? "broken, its last good text is in force" : "broken, not in force";
}

std::string times(std::int64_t count) {
  return count == 1 ? "once" : fmt::format("{} times", count);
}

std::string indented(std::string_view text, std::size_t by) {
  return std::string(by, ' ') + hanging(safe_text(text), by);
}

std::string parts_text(const std::vector<DryPart>& parts, std::size_t indent) {
  std::string out;
  for (const DryPart& part : parts) {
    if (part.text == "variables" && !part.failed) continue;  // all of them, for one that is read
    out += fmt::format("{:{}}{} {} {}\n", "", indent + 2 * static_cast<std::size_t>(part.level),
                       one_line(part.text, kLine), part.failed ? "failed:" : "=",
                       one_line(part.value, kLine));
  }
  return out;
}

std::string step_text(const DryStep& step) {
  std::string out = fmt::format("line {:<4} {}: {}", step.line, step.action, step.outcome);
  if (!step.detail.empty()) out += fmt::format(" ({})", one_line(step.detail, kLine));
  out += '\n';
  out += parts_text(step.parts, 4);
  for (const DryRule& rule : step.rules) {
    out +=
        fmt::format("    rule in line {}{}\n", rule.line, rule.when ? "" : ", without a condition");
    out += parts_text(rule.parts, 6);
  }
  return out;
}

}  // namespace

std::string workflow_table(const WorkflowList& list) {
  std::vector<std::vector<std::string>> rows{{"NAME", "STATE", "FOR", "FILE"}};
  std::string problems;
  for (const WorkflowView& one : list.workflows) {
    const std::string who =
        one.sources.empty() ? "everybody" : fmt::format("{}", fmt::join(one.sources, ", "));
    rows.push_back({one_line(one.name, 64), state_of(one), one_line(who, 48),
                    one.shipped ? "(rouse's own)" : one_line(one.file, 80)});
    for (const WorkflowProblemView& problem : one.problems) {
      problems += fmt::format("! {}:{}:{}: {}\n", one_line(problem.file, 80), problem.line,
                              problem.column, one_line(problem.message, kLine));
    }
  }
  return to_table(rows) + problems;
}

std::string firings_text(std::vector<Firing> newest_first) {
  std::ranges::reverse(newest_first);
  std::string out;
  for (const Firing& one : newest_first) {
    out += fmt::format("{}  {:<16} {:<7} {}", short_time(one.at), one_line(one.event, 32),
                       one.decision, one_line(one.workflow, 64));
    if (one.tool) out += fmt::format("  {}", one_line(*one.tool, 64));
    out += fmt::format("  {} µs\n", one.micros);
    if (one.reason) out += indented("refused: " + *one.reason, 4) + "\n";
    for (const FiredAction& action : one.actions) {
      out += fmt::format("    line {} {}: {}", action.line, one_line(action.action, 64),
                         one_line(action.outcome, 32));
      if (!action.detail.empty()) out += fmt::format(" ({})", one_line(action.detail, kLine));
      out += '\n';
    }
  }
  return out;
}

std::string rules_story(const std::vector<Firing>& newest_first) {
  if (newest_first.empty()) return {};
  struct Count {
    std::int64_t fired = 0, refused = 0;
  };
  std::map<std::string, Count> counts;
  std::vector<const Firing*> refused;
  for (const Firing& one : newest_first) {
    Count& count = counts[one.workflow];
    ++count.fired;
    if (one.decision != "block") continue;
    ++count.refused;
    refused.push_back(&one);
  }
  std::string out = "Rules in this conversation:\n";
  for (const auto& [name, count] : counts) {
    out += fmt::format(
        "  {} fired {}, {}\n", one_line(name, 64), times(count.fired),
        count.refused == 0 ? std::string("refused nothing") : "refused " + times(count.refused));
  }
  const std::size_t told = std::min(refused.size(), kRefusalsTold);
  for (std::size_t i = told; i-- > 0;) {
    const Firing& one = *refused[i];
    out += fmt::format("{}  {} was refused: {}\n", short_time(one.at),
                       one.tool ? one_line(*one.tool, 64) : std::string("the end of the turn"),
                       one_line(one.reason.value_or(""), kLine));
  }
  return out;
}

std::string dry_run_text(const DryReport& report) {
  std::string out = fmt::format("{}, {}, source {}", report.workflow, report.event, report.source);
  if (report.tool) {
    out += fmt::format(", tool {} ({})", one_line(*report.tool, 64),
                       report.tool_class->empty() ? "of no known class" : *report.tool_class);
  }
  out += "\n\n";
  if (report.steps.empty()) out += "It says nothing about this event.\n";
  for (const DryStep& step : report.steps) out += step_text(step);
  if (report.steps_left > 0) out += fmt::format("({} more not reached)\n", report.steps_left);
  out += fmt::format("\ndecision: {}\n", report.decision);
  if (report.reason) out += fmt::format("reason: {}\n", hanging(safe_text(*report.reason), 8));
  if (report.told) out += fmt::format("the model is told:\n{}\n", indented(*report.told, 4));
  if (!report.variables.empty()) out += "variables that changed:\n";
  for (const DryChange& one : report.variables) {
    out += fmt::format("    {}: {} -> {}\n", one.name, one_line(encode_json(one.before), kLine),
                       one_line(encode_json(one.after), kLine));
  }
  return out;
}

}  // namespace rouse::cli
