#include "app/cli/workflow_dry_run.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/cli/workflow_dry_world.h"
#include "base/text.h"

namespace rouse::cli {
namespace {

// All that one dry run works with.
struct Attempt {
  std::shared_ptr<const Workflow> workflow;
  LifecycleEvent event;
  SessionVariables variables;
  LifecycleHands hands;
  DryReport report = {};
};

std::string known_hint(std::string_view word, const std::vector<std::string_view>& known) {
  if (const auto near = nearest(word, known)) return fmt::format("did you mean '{}'?", *near);
  return fmt::format("known are {}", fmt::join(known, ", "));
}

Result<Trigger> wanted_trigger(const std::string& word) {
  if (const auto found = parse_trigger(word)) return *found;
  std::vector<std::string_view> known;
  for (const TriggerInfo& info : kTriggers) known.push_back(info.name);
  return fail(Errc::kInvalid,
              fmt::format("there is no event '{}'; {}", word, known_hint(word, known)));
}

Result<std::string> wanted_source(const DryWish& wish) {
  const Workflow& workflow = *wish.workflow;
  if (wish.source.empty()) {
    return workflow.is_for(kSdkSource) ? std::string(kSdkSource) : workflow.sources.front();
  }
  if (workflow.is_for(wish.source)) return wish.source;
  return fail(Errc::kInvalid,
              fmt::format("{} does nothing for sessions of '{}': its sources are {}", workflow.name,
                          wish.source, fmt::join(workflow.sources, ", ")));
}

Result<void> set_one(SessionVariables& variables, const std::string& assignment) {
  const auto equals = assignment.find('=');
  if (equals == std::string::npos) {
    return fail(Errc::kInvalid, fmt::format("--set {} has no value; write NAME=JSON, as in "
                                            "--set plan_mode=true",
                                            assignment));
  }
  const std::string name = assignment.substr(0, equals);
  std::vector<std::string_view> known;
  for (const auto& one : variables.all()) known.push_back(one.key());
  if (std::ranges::find(known, name) == known.end()) {
    return fail(Errc::kInvalid, fmt::format("the workflow declares no variable '{}'; {}", name,
                                            known_hint(name, known)));
  }
  auto value = parse_json(assignment.substr(equals + 1));
  if (!value) {
    return fail(wrap(fmt::format("--set {}: the value must be JSON (a text in quotes: "
                                 "--set '{}=\"…\"')",
                                 name, name),
                     std::move(value).error()));
  }
  variables.set(name, std::move(*value));
  return {};
}

// A task that is given is the one that was claimed, unless the variable was set by hand.
Result<SessionVariables> wanted_variables(const DryWish& wish, const GivenEvent& given) {
  SessionVariables out;
  out.use_defaults(wish.workflow->variables);
  if (given.task) out.set("claimed_task", given.task->number.value_or(1));
  for (const std::string& assignment : wish.set) TRY_VOID(set_one(out, assignment));
  return out;
}

std::vector<DryPart> parts_of(const ExpressionTrace& trace) {
  std::vector<DryPart> out;
  for (const ExpressionTrace::Entry& entry : trace.entries) {
    out.push_back({static_cast<std::int64_t>(entry.level), entry.text, entry.value, entry.failed});
  }
  return out;
}

// --- the rules of a gate -------------------------------------------------------------------------

bool speaks_of_this_tool(const ActionArguments& rule, const LifecycleEvent& event) {
  if (rule.has("mcp_tools") && event.tool == "call_tool") return true;
  return std::ranges::any_of(rule.texts("tools"),
                             [&](const std::string& name) { return names_this_tool(name, event); });
}

// The variables as they were when this step began: those before it, once more.
Task<SessionVariables> variables_before(const Attempt& attempt, const WorkflowStep& step) {
  Workflow until = *attempt.workflow;
  std::vector<WorkflowStep>& steps = until.triggers[attempt.event.trigger];
  const auto* first = attempt.workflow->steps(attempt.event.trigger)->data();
  steps.resize(static_cast<std::size_t>(&step - first));
  SessionVariables variables = attempt.variables;
  LifecycleHands hands = attempt.hands;
  (void)co_await run_workflow(std::make_shared<const Workflow>(std::move(until)), attempt.event,
                              variables, hands, {.dry = true});
  co_return variables;
}

Task<std::vector<DryRule>> rules_of(const Attempt& attempt, const WorkflowStep& step) {
  std::vector<DryRule> out;
  if (step.arguments.items("rules").empty()) co_return out;
  const SessionVariables variables = co_await variables_before(attempt, step);
  LifecycleHands hands = attempt.hands;
  LifecycleScope scope(attempt.event, variables, hands);
  for (const ActionArguments& rule : step.arguments.items("rules")) {
    if (!speaks_of_this_tool(rule, attempt.event)) continue;
    DryRule shown{.line = rule.line(), .when = {}, .parts = {}};
    if (const Expression* when = rule.when("when")) {
      ExpressionTrace trace;
      co_await scope.gather(when->uses());
      (void)when->holds(scope, &trace);
      shown.when = when->text();
      shown.parts = parts_of(trace);
    }
    out.push_back(std::move(shown));
  }
  co_return out;
}

// --- the run -------------------------------------------------------------------------------------

void conclude(DryReport& report, const WorkflowRun& run) {
  report.decision = !run.answer.allowed          ? "block"
                    : run.failed                 ? "error"
                    : !run.answer.inject.empty() ? "inject"
                                                 : "allow";
  if (!run.answer.allowed) report.reason = run.answer.reason;
  if (!run.answer.inject.empty()) report.told = run.answer.inject;
}

void tell_changes(DryReport& report, const SessionVariables& before,
                  const SessionVariables& after) {
  for (const auto& one : after.all()) {
    const auto* was = before.find(one.key());
    if (was != nullptr && *was == one.value()) continue;
    report.variables.push_back(
        {std::string(one.key()), was == nullptr ? boost::json::value(nullptr) : *was, one.value()});
  }
}

Task<void> attempt_it(Attempt& attempt) {
  std::vector<StepTrace> trace;
  SessionVariables variables = attempt.variables;
  const WorkflowRun run = co_await run_workflow(attempt.workflow, attempt.event, variables,
                                                attempt.hands, {.dry = true, .trace = &trace});
  DryReport& report = attempt.report;
  for (const StepTrace& one : trace) {
    DryStep step{.line = one.step->line,
                 .action = std::string(one.step->action->name),
                 .when = {},
                 .parts = parts_of(one.when),
                 .outcome = one.outcome,
                 .detail = one.detail,
                 .rules = {}};
    if (one.step->when) step.when = one.step->when->text();
    if (one.holds) step.rules = co_await rules_of(attempt, *one.step);
    report.steps.push_back(std::move(step));
  }
  const auto* all = attempt.workflow->steps(attempt.event.trigger);
  if (all != nullptr) {
    report.steps_left = static_cast<std::int64_t>(all->size() - report.steps.size());
  }
  conclude(report, run);
  tell_changes(report, attempt.variables, variables);
}

}  // namespace

Result<DryReport> dry_run(const DryWish& wish) {
  TRY(const Trigger trigger, wanted_trigger(wish.event));
  TRY(std::string source, wanted_source(wish));
  TRY(const GivenEvent given, read_given_event(wish.data));
  TRY(LifecycleEvent event, event_of(given, trigger, std::move(source)));
  TRY(SessionVariables variables, wanted_variables(wish, given));
  DryWorld world(given);
  Attempt attempt{wish.workflow, std::move(event), std::move(variables), world.hands()};
  attempt.report.workflow = wish.workflow->name;
  attempt.report.event = trigger_name(trigger);
  attempt.report.source = attempt.event.source;
  if (!attempt.event.tool.empty()) {
    attempt.report.tool = attempt.event.tool;
    attempt.report.tool_class = attempt.event.tool_class;
  }
  Loop loop;
  loop.spawn("dry run", attempt_it(attempt));
  loop.run();
  return std::move(attempt.report);
}

}  // namespace rouse::cli
