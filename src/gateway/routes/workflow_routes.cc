#include "gateway/routes/workflow_routes.h"

#include <algorithm>
#include <charconv>

#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "gateway/routes/asked_workspace.h"

namespace rouse {
namespace {

constexpr std::size_t kSummaryBytes = 160;

// "plan_mode = false", "9 rules", "source: skills, filter: always_apply"
std::string summary_of(const WorkflowStep& step) {
  const ActionArguments& given = step.arguments;
  if (given.has("name") && given.has("value")) {
    return fmt::format("{} = {}", given.text("name"),
                       utf8_prefix(boost::json::serialize(*given.value("value")), kSummaryBytes));
  }
  std::vector<std::string> parts;
  for (const ArgumentInfo& info : step.action->arguments) {
    const auto* argument = given.find(info.name);
    if (argument == nullptr) continue;
    if (info.kind == ArgumentKind::kItems) {
      parts.push_back(fmt::format("{} {}", argument->items.size(), info.name));
    } else if (argument->value.is_string()) {
      parts.push_back(fmt::format("{}: {}", info.name,
                                  utf8_prefix(trim(argument->value.as_string()), kSummaryBytes)));
    } else {
      parts.push_back(
          fmt::format("{}: {}", info.name,
                      utf8_prefix(boost::json::serialize(argument->value), kSummaryBytes)));
    }
  }
  return std::string(utf8_prefix(fmt::format("{}", fmt::join(parts, ", ")), kSummaryBytes));
}

std::vector<WorkflowTriggerView> triggers_of(const Workflow& workflow) {
  std::vector<WorkflowTriggerView> out;
  for (const auto& [trigger, steps] : workflow.triggers) {
    WorkflowTriggerView view{.event = std::string(trigger_name(trigger)), .actions = {}};
    for (const WorkflowStep& step : steps) {
      WorkflowActionView action{.action = std::string(step.action->name),
                                .when = {},
                                .line = step.line,
                                .summary = summary_of(step)};
      if (step.when) action.when = step.when->text();
      view.actions.push_back(std::move(action));
    }
    out.push_back(std::move(view));
  }
  return out;
}

WorkflowProblemView view_of(const WorkflowProblem& problem) {
  return {problem.file, problem.line, problem.column, problem.message};
}

WorkflowView view_of(const WorkflowState& state) {
  WorkflowView out;
  out.name = state.name;
  out.file = state.file;
  out.type = "lifecycle";
  out.shipped = state.shipped;
  out.state = state.off ? "off" : state.problems.empty() && !state.clash ? "active" : "broken";
  for (const WorkflowProblem& problem : state.problems) out.problems.push_back(view_of(problem));
  if (state.clash) out.problems.push_back(view_of(*state.clash));
  if (!state.in_force()) return out;
  out.description = state.last_good->description;
  out.sources = state.last_good->sources;
  out.priority = state.last_good->priority;
  out.triggers = triggers_of(*state.last_good);
  if (state.loaded) out.loaded_at = to_iso(*state.loaded);
  return out;
}

Result<std::optional<std::int64_t>> number_in(const std::optional<std::string>& cursor) {
  if (!cursor) return std::optional<std::int64_t>();
  std::int64_t number = 0;
  const char* end = cursor->data() + cursor->size();
  const auto [at, ec] = std::from_chars(cursor->data(), end, number);
  if (ec == std::errc() && at == end && number >= 0) return std::optional(number);
  return fail(Errc::kInvalid, "'cursor' must be next_cursor of the page before");
}

}  // namespace

void WorkflowRoutes::add_to(RouteTable& table) {
  table.add(answer<WorkflowList>({.pattern = "/api/workflows",
                                  .access = Access::kAdmin,
                                  .summary = "The workflows, their state and their problems",
                                  .tag = "workflows"},
                                 [this](Call& call) { return list(call); }));
  table.add(answer<WorkflowView>({.pattern = "/api/workflows/{name}",
                                  .access = Access::kAdmin,
                                  .summary = "A workflow with its text and its variables",
                                  .tag = "workflows"},
                                 [this](Call& call) { return get(call); }));
  table.add(
      answer<GateList>({.pattern = "/api/conversations/{id}/gates",
                        .access = Access::kAdmin,
                        .summary = "What workflows did in a conversation: what fired, what it "
                                   "decided, how long it took",
                        .tag = "workflows",
                        .query = {{"limit", "How many turns, 1 to 200; default 50"},
                                  {"cursor", "next_cursor of the page before"},
                                  workspace_parameter()}},
                       [this](Call& call) { return gates(call); }));
}

Task<Result<WorkflowList>> WorkflowRoutes::list(Call& call) {
  WorkflowList out;
  for (const WorkflowState& state : book_.states()) out.workflows.push_back(view_of(state));
  co_return out;
}

Task<Result<WorkflowView>> WorkflowRoutes::get(Call& call) {
  const std::string& name = call.parameters.at(0);
  const auto found = std::ranges::find(book_.states(), name, &WorkflowState::name);
  if (found == book_.states().end()) {
    std::vector<std::string_view> names;
    for (const WorkflowState& state : book_.states()) names.push_back(state.name);
    const auto near = nearest(name, names);
    co_return fail(Errc::kNotFound,
                   near ? fmt::format("there is no workflow '{}'; did you mean '{}'?", name, *near)
                        : fmt::format("there is no workflow '{}'; there are {}", name,
                                      fmt::join(names, ", ")));
  }
  WorkflowView out = view_of(*found);
  out.text = found->text;
  out.variables = found->in_force() ? boost::json::value(found->last_good->variables)
                                    : boost::json::value(boost::json::object{});
  co_return out;
}

Task<Result<GateList>> WorkflowRoutes::gates(Call& call) {
  CO_TRY(const auto workspace, asked_workspace(call, workspaces_));
  CO_TRY(const Conversation conversation,
         kernel_.conversations().find_by_name(workspace, call.parameters.at(0)));
  CO_TRY(const std::size_t limit, call.limit());
  CO_TRY(const auto before, number_in(call.query("cursor")));
  GateList out;
  out.source = source_of(conversation.key.channel);
  out.variables = boost::json::object{};
  CO_TRY(const auto session, kernel_.sessions().latest_of(conversation.id));
  if (session) {
    TurnContext turn;
    turn.workspace = workspace;
    turn.conversation = conversation.id;
    turn.session = session->id;
    out.session_id = session->id.str();
    CO_TRY(out.variables, engine_.variables_of(turn));
  }
  CO_TRY(FiringPage page, co_await engine_.records().firings(conversation.id, before, limit));
  out.firings = std::move(page.firings);
  if (page.next) out.next_cursor = std::to_string(*page.next);
  co_return out;
}

}  // namespace rouse
