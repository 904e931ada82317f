#include "lifecycle/engine/engine.h"

#include <algorithm>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace rouse {
namespace {

constexpr std::string_view kStarted = "_session_started";
constexpr std::string_view kEnded = "_session_ended";
constexpr std::size_t kVariableBytes = 256 * 1024;  // of a session, as they are stored

// Nothing of the engine may hold up an agent whose workflows say nothing about the moment.
bool anybody_listens(const WorkflowSet& set, Trigger trigger) {
  return std::ranges::any_of(set, [&](const auto& one) { return one->steps(trigger) != nullptr; });
}

std::shared_ptr<LifecycleEvent> event_of(Trigger trigger, TurnContext turn) {
  return std::make_shared<LifecycleEvent>(trigger, std::move(turn));
}

HookAnswer undecidable(const Error& why, Trigger trigger) {
  if (!trigger_info(trigger).can_block) return HookAnswer::allow();
  return HookAnswer::block("The rules of this session could not be read (" + why.message +
                           "), so this is refused.");
}

}  // namespace

// --- hooks --------------------------------------------------------------------------------------

Task<HookAnswer> LifecycleEngine::before_agent(TurnContext turn, std::string message) {
  auto event = event_of(Trigger::kBeforeAgent, std::move(turn));
  event->prompt = std::move(message);
  return fire(std::move(event));
}

Task<HookAnswer> LifecycleEngine::before_tool(TurnContext turn, std::string tool,
                                              std::string arguments) {
  return fire(tool_event(Trigger::kBeforeTool, std::move(turn), std::move(tool), arguments));
}

Task<HookAnswer> LifecycleEngine::after_tool(TurnContext turn, std::string tool,
                                             std::string arguments, ToolResult result) {
  auto event = tool_event(Trigger::kAfterTool, std::move(turn), std::move(tool), arguments);
  event->tool_result = std::move(result.text);
  event->tool_failed = result.failed;
  return fire(std::move(event));
}

Task<HookAnswer> LifecycleEngine::stop(TurnContext turn, std::string answer) {
  auto event = event_of(Trigger::kStop, std::move(turn));
  event->answer = std::move(answer);
  return fire(std::move(event));
}

// Whoever asks for it may be outside of a turn, so it is written at once.
Task<HookAnswer> LifecycleEngine::pre_compact(TurnContext turn) {
  const auto state = state_of(turn);
  HookAnswer answer = co_await fire(event_of(Trigger::kPreCompact, std::move(turn)));
  if (state) co_await write_now(*state);
  co_return answer;
}

std::shared_ptr<LifecycleEvent> LifecycleEngine::tool_event(Trigger trigger, TurnContext turn,
                                                            std::string tool,
                                                            std::string_view arguments) const {
  auto event = event_of(trigger, std::move(turn));
  const Tool* found = parts_.tools.find(tool);
  set_tool(*event, std::move(tool),
           found == nullptr ? std::string_view() : tool_class_name(found->info().tool_class),
           arguments);
  return event;
}

// --- firing -------------------------------------------------------------------------------------

Task<HookAnswer> LifecycleEngine::fire(std::shared_ptr<LifecycleEvent> event) {
  // The notes are the next turn's by now.
  if (event->turn.beginning != nullptr && event->turn.beginning->never_was()) {
    co_return HookAnswer::allow();
  }
  const auto state = state_of(event->turn);
  if (!state) {
    parts_.log.error("lifecycle.unread", {{"message", state.error().message}});
    co_return undecidable(state.error(), event->trigger);
  }
  (*state)->turn = event->turn;
  event->source = (*state)->source;
  std::string told;
  const bool starts = event->trigger == Trigger::kBeforeAgent && event->source != kSdkSource &&
                      !(*state)->variables.is(kStarted);
  if (starts) {
    auto start = event_of(Trigger::kSessionStart, event->turn);
    start->source = event->source;
    start->prompt = event->prompt;
    told = (co_await fire_in(*state, std::move(start))).inject;
    (*state)->variables.set(kStarted, true);
  }
  HookAnswer answer = co_await fire_in(*state, std::move(event));
  if (!told.empty()) {
    answer.inject = answer.inject.empty() ? told : told + "\n\n" + answer.inject;
  }
  co_return answer;
}

// Once for each version of the book: they change no more than it does.
void LifecycleEngine::use_defaults(State& state, const WorkflowSet& set) {
  if (!state.variables.is_new(parts_.book.version())) return;
  for (const auto& workflow : set) {
    if (workflow->is_for(state.source)) state.variables.use_defaults(workflow->variables);
  }
}

Task<HookAnswer> LifecycleEngine::fire_in(std::shared_ptr<State> state, SharedEvent event) {
  const auto set = parts_.book.current();  // as it is now, to the end of this event
  HookAnswer all;
  if (!anybody_listens(*set, event->trigger)) co_return all;
  use_defaults(*state, *set);
  for (const auto& workflow : *set) {
    if (workflow->steps(event->trigger) == nullptr || !workflow->is_for(event->source)) continue;
    const std::int64_t began = parts_.stopwatch();
    WorkflowRun run =
        co_await run_workflow(workflow, event, state->variables, parts_.hands,
                              {.clock = &parts_.clock, .beginning = event->turn.beginning});
    const std::int64_t micros = parts_.stopwatch() - began;
    if (!run.answer.inject.empty()) {
      if (!all.inject.empty()) all.inject += "\n\n";
      all.inject += run.answer.inject;
    }
    if (!run.answer.allowed) {
      all.allowed = false;
      all.reason = run.answer.reason;
    }
    const bool over = !all.allowed || run.force_allow;
    record(*state, *event, *workflow, std::move(run), micros);
    if (over) break;
  }
  co_return all;
}

void LifecycleEngine::record(State& state, const LifecycleEvent& event, const Workflow& workflow,
                             WorkflowRun run, std::int64_t micros) {
  Firing firing{.at = to_iso(parts_.clock.wall_now()),
                .turn_id = {},  // the row has it
                .event = std::string(trigger_name(event.trigger)),
                .workflow = workflow.name,
                .decision = !run.answer.allowed          ? "block"
                            : run.failed                 ? "error"
                            : !run.answer.inject.empty() ? "inject"
                                                         : "allow",
                .reason = {},
                .tool = {},
                .micros = micros,
                .actions = std::move(run.actions)};
  if (!run.answer.allowed) firing.reason = std::move(run.answer.reason);
  if (!event.tool.empty()) firing.tool = event.tool;
  if (run.failed) {
    parts_.log.warn("lifecycle.failed", {{"workflow", workflow.name},
                                         {"event", firing.event},
                                         {"message", firing.actions.back().detail}});
  }
  state.firings.push_back(std::move(firing));
}

// --- state --------------------------------------------------------------------------------------

Result<std::shared_ptr<LifecycleEngine::State>> LifecycleEngine::state_of(const TurnContext& turn) {
  const auto known = states_.find(turn.session.str());
  if (known != states_.end()) return known->second;
  TRY(const Session session, parts_.kernel.sessions().get(turn.session));
  TRY(const std::string stored, records_.variables_of(turn.session));
  boost::system::error_code failed;
  boost::json::value variables = boost::json::parse(stored, failed);
  if (failed || !variables.is_object()) {
    return fail(Errc::kInternal, "the variables of " + turn.session.str() + " are damaged");
  }
  make_room();
  auto state = std::make_shared<State>();
  state->turn = turn;
  state->source = source_of(session.key.channel);
  state->variables = SessionVariables(std::move(variables.as_object()));
  state->saved = state->variables.stored();
  return states_.emplace(turn.session.str(), std::move(state)).first->second;
}

// What is written can be read again.
void LifecycleEngine::make_room() {
  if (states_.size() < kSessionsKept) return;
  std::erase_if(states_,
                [](const auto& one) { return one.second->clean() && one.second.use_count() == 1; });
}

Result<boost::json::object> LifecycleEngine::variables_of(const TurnContext& turn) {
  TRY(const auto state, state_of(turn));
  use_defaults(*state, *parts_.book.current());
  return state->variables.all();
}

std::vector<Statement> LifecycleEngine::hand_over(State& state) {
  std::vector<Statement> out;
  const WallTime now = parts_.clock.wall_now();
  state.handed_firings = state.firings.size();
  state.handed = state.variables.stored();
  if (!same_variables(state.saved, state.handed)) {
    std::string stored = boost::json::serialize(*state.handed);
    if (stored.size() <= kVariableBytes) {
      out.push_back(LifecycleRecords::put_variables(state.turn, std::move(stored), now));
    } else {
      parts_.log.error("lifecycle.variables_too_large", {{"session", state.turn.session.str()}});
    }
  }
  if (!state.firings.empty()) {
    LifecycleRecords::add_firings(out, state.turn, encode_json(state.firings), now);
  }
  return out;
}

void LifecycleEngine::handed_over(State& state) {
  state.firings.erase(state.firings.begin(),
                      state.firings.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                  state.handed_firings, state.firings.size())));
  state.handed_firings = 0;
  if (state.handed) state.saved = std::move(state.handed);
}

std::vector<Statement> LifecycleEngine::to_keep(const TurnContext& turn) {
  const auto known = states_.find(turn.session.str());
  return known == states_.end() ? std::vector<Statement>{} : hand_over(*known->second);
}

void LifecycleEngine::kept(const TurnContext& turn) {
  const auto known = states_.find(turn.session.str());
  if (known != states_.end()) handed_over(*known->second);
}

Result<std::vector<Statement>> LifecycleEngine::at_close(const Turn& turn, const Session& session,
                                                         const std::string& response,
                                                         const Verdict& verdict) {
  const auto known = states_.find(session.id.str());
  if (known == states_.end()) return std::vector<Statement>{};
  turns_.insert_or_assign(turn.id.str(), session.id.str());
  return hand_over(*known->second);
}

void LifecycleEngine::closed(const TurnId& turn) {
  const auto session = turns_.extract(turn.str());
  if (session.empty()) return;
  const auto known = states_.find(session.mapped());
  if (known != states_.end()) handed_over(*known->second);
}

Task<void> LifecycleEngine::write_now(std::shared_ptr<State> state) {
  Write write;
  write.statements = hand_over(*state);
  if (write.statements.empty()) co_return;
  const auto written = co_await parts_.database.write(std::move(write));
  if (written) {
    handed_over(*state);
  } else {
    parts_.log.error("lifecycle.not_written", {{"message", written.error().message}});
  }
}

Task<void> LifecycleEngine::session_ended(Session session) {
  TurnContext turn;
  turn.workspace = session.workspace;
  turn.conversation = session.conversation;
  turn.session = session.id;
  turn.kind = "session";
  turn.transport = session.key.channel;
  const auto state = state_of(turn);
  if (!state || (*state)->source == kSdkSource || !(*state)->variables.is(kStarted) ||
      (*state)->variables.is(kEnded)) {
    co_return;
  }
  (*state)->turn = turn;
  auto event = event_of(Trigger::kSessionEnd, std::move(turn));
  event->source = (*state)->source;
  event->reason = session.close_reason.value_or("");
  (void)co_await fire_in(*state, std::move(event));
  (*state)->variables.set(kEnded, true);
  co_await write_now(*state);
}

}  // namespace rouse
