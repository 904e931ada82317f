#include "agent/agent_turn_runner.h"

#include <algorithm>

#include <fmt/format.h>

#include "agent/failure_words.h"

namespace rouse {
namespace {

constexpr std::size_t kResumedAtOnce = 100;
constexpr std::size_t kDroppedAtOnce = 100;
constexpr std::size_t kOverheard = 16;         // waiting messages a running turn may join
constexpr std::size_t kClearedMessages = 200;  // a summary of the last 100 turns (S4-C9)
constexpr std::string_view kShutdown = "shutdown";

Error stopping_error() {
  return Error(Errc::kUnavailable,
               "rouse is stopping; the message is kept and answered after the next start");
}

struct ClearedBody {
  std::string summary;
};
auto shape(const ClearedBody*) { return fields(field("summary", &ClearedBody::summary, "")); }

}  // namespace

// A turn that runs, as the loop's house.
class AgentTurnRunner::Running final : public LoopHouse {
 public:
  Running(AgentTurnRunner& runner, Turn t)
      : runner_(runner), turn(std::move(t)), active_at(runner.parts_.clock.mono_now()) {
    began_at = active_at;
  }

  Task<Result<void>> keep(std::vector<TurnStep> steps) override {
    for (const TurnStep& step : steps) has_intent = has_intent || step.kind == "intent";
    const std::int64_t first = next_step;
    next_step += static_cast<std::int64_t>(steps.size());
    active_at = runner_.parts_.clock.mono_now();
    co_return co_await runner_.parts_.ledger.keep(turn.id, first, std::move(steps));
  }
  void publish(TurnEvent event) override {
    active_at = runner_.parts_.clock.mono_now();
    runner_.parts_.stage.publish(std::move(event));
  }
  Result<SpendBook::Reservation> reserve(const ModelRequest& request,
                                         const TurnSpend& so_far) override {
    const ModelInfo& info = model->info();
    const std::int64_t out =
        request.max_output_tokens > 0 ? request.max_output_tokens : info.max_output;
    return runner_.parts_.spend.reserve(turn.workspace, turn.conversation, context.zone, info,
                                        estimate_tokens(request), out, so_far);
  }
  // Before the first call there is nothing to overhear: what waits then is a turn of its own.
  std::vector<PromptMessage> overheard() override {
    std::vector<PromptMessage> out;
    if (!runner_.options_.join_running || !std::exchange(asked_before, true)) return out;
    const auto waiting = runner_.parts_.kernel.turns().queued(turn.conversation, kOverheard);
    if (!waiting) return out;
    for (const Turn& one : *waiting) {
      if (one.kind != TurnKind::kUser || is_joined(one.id)) continue;
      const auto said = runner_.parts_.ledger.message_of(one);
      if (!said || !*said || !(*said)->content) continue;
      PromptMessage message;
      for (const ContentBlock& block : *(*said)->content) {
        message.blocks.push_back(to_prompt_block(block));
      }
      out.push_back(std::move(message));
      joined.push_back({one, static_cast<std::size_t>(next_step - 1)});
    }
    return out;
  }
  [[nodiscard]] std::string stop_reason() const override { return why_stopped; }
  [[nodiscard]] WallTime now() const override { return runner_.parts_.clock.wall_now(); }

  [[nodiscard]] bool is_joined(const TurnId& id) const {
    return std::ranges::any_of(joined, [&](const JoinedTurn& one) { return one.turn.id == id; });
  }

  void ask_to_stop(std::string reason) {
    if (why_stopped.empty()) why_stopped = std::move(reason);
    stop.request_stop();
  }

 private:
  AgentTurnRunner& runner_;

 public:
  Turn turn;
  TurnContext context;
  std::shared_ptr<Model> model;
  std::optional<std::int64_t> history_from;
  std::int64_t next_step = 1;
  bool has_intent = false;
  bool asked_before = false;       // the model, at least once
  std::vector<JoinedTurn> joined;  // messages the model has heard while it worked
  std::stop_source stop;
  std::stop_source over;  // ends the guard
  std::string why_stopped;
  MonoTime began_at, active_at;
};

struct AgentTurnRunner::Waiter {
  Completer<Result<TurnOutcome>> done;
  void answer(Result<TurnOutcome> outcome) {
    if (done) std::exchange(done, nullptr)(std::move(outcome));
  }
};

AgentTurnRunner::AgentTurnRunner(Parts parts) : parts_(parts) {}
AgentTurnRunner::~AgentTurnRunner() = default;

// --- accepting and waiting -----------------------------------------------------------------------

Task<Result<Submitted>> AgentTurnRunner::submit(InboundMessage message) {
  if (stopping_.stop_requested()) co_return fail(stopping_error());
  CO_TRY(Resolved resolved,
         co_await parts_.kernel.accept(std::move(message), Accept::kBeginIfFree));
  if (resolved.accepted && resolved.accepted->state == "running") launch(*resolved.accepted);
  co_return Submitted{std::move(resolved)};
}

Task<Result<TurnOutcome>> AgentTurnRunner::wait(TurnId id, std::stop_token stop) {
  CO_TRY(const Turn turn, parts_.ledger.get(id));
  if (turn.over()) co_return outcome_of(turn);
  if (stopping_.stop_requested()) co_return fail(stopping_error());
  auto waiter = std::make_shared<Waiter>();
  waiters_[id.str()].push_back(waiter);
  const std::stop_callback given_up(
      stop, [waiter] { waiter->answer(fail(Errc::kCancelled, "nobody waits any more")); });
  co_return co_await complete_later<Result<TurnOutcome>>(
      [waiter, stop](Completer<Result<TurnOutcome>> done) {
        waiter->done = std::move(done);
        if (stop.stop_requested()) {
          waiter->answer(fail(Errc::kCancelled, "nobody waits any more"));
        }
      });
}

void AgentTurnRunner::answer_waiters(const TurnId& turn, const Result<TurnOutcome>& outcome) {
  const auto found = waiters_.find(turn.str());
  if (found == waiters_.end()) return;
  const auto waiting = std::move(found->second);
  waiters_.erase(found);
  for (const auto& waiter : waiting) waiter->answer(outcome);
}

Result<TurnOutcome> AgentTurnRunner::outcome_of(const Turn& turn) {
  TurnOutcome out{.turn = turn.id,
                  .session = turn.session,
                  .conversation = turn.conversation,
                  .response = {},
                  .verdict = {turn.verdict.value_or(""), turn.reason.value_or("")},
                  .pending_approvals = {}};
  TRY(out.response, parts_.ledger.response_of(turn));
  return out;
}

bool AgentTurnRunner::busy(const ConversationId& conversation) const {
  return by_conversation_.contains(conversation.str());
}

// --- running -------------------------------------------------------------------------------------

void AgentTurnRunner::launch(Turn turn) {
  auto running = std::make_shared<Running>(*this, std::move(turn));
  running_[running->turn.id.str()] = running;
  by_conversation_[running->turn.conversation.str()] = running->turn.id.str();
  parts_.loop.spawn("turn", run(running));
}

Task<void> AgentTurnRunner::run(std::shared_ptr<Running> running) {
  parts_.loop.spawn("turn guard", guard(running));
  LoopResult result;
  try {
    result = co_await work(running);
  } catch (const std::exception& e) {
    parts_.log.error("turn.bug", {{"turn", running->turn.id.str()}, {"what", e.what()}});
    result.verdict = {"failed", "internal"};
    result.error = e.what();
    result.answer =
        text_content("Something went wrong inside of rouse; it is in the log.", kFromAgent);
  }
  running->over.request_stop();
  if (running->why_stopped == kShutdown && !running->has_intent &&
      result.verdict.kind == "interrupted") {
    co_await give_back(running);
  } else {
    co_await end(running, std::move(result));
  }
}

// The deadline, and the watch over a turn in which nothing moves.
Task<void> AgentTurnRunner::guard(std::shared_ptr<Running> running) {
  const MonoTime end = running->began_at + options_.deadline;
  const Millis inactive = options_.inactive;
  const std::stop_token over = running->over.get_token();
  while (!over.stop_requested()) {
    const MonoTime now = parts_.clock.mono_now();
    if (now >= end) co_return running->ask_to_stop("deadline");
    const MonoTime idle_end = running->active_at + inactive;
    if (now >= idle_end) co_return running->ask_to_stop("inactive");
    if (!co_await parts_.clock.wait_until(std::min(end, idle_end), over)) co_return;
  }
}

Task<LoopResult> AgentTurnRunner::work(std::shared_ptr<Running> running) {
  auto prompt = co_await parts_.prompts.of_turn(running->turn);
  if (!prompt) {
    LoopResult failed;
    failed.verdict = {"failed", std::string(prompt.error().name)};
    failed.error = prompt.error().message;
    failed.answer = text_content(failure_words(prompt.error()), kFromAgent);
    co_return failed;
  }
  running->context = prompt->turn;
  running->model = prompt->model;
  running->history_from = prompt->first_seq;
  TurnEvent started;
  started.turn = running->context;
  running->publish(std::move(started));
  LoopInput input{.turn = prompt->turn,
                  .message = std::move(prompt->message),
                  .request = std::move(prompt->request),
                  .done = {},
                  .limits = options_.loop};
  if (running->turn.attempts > 1) {
    if (auto kept = parts_.ledger.steps(running->turn.id)) input.done = std::move(*kept);
    running->next_step = static_cast<std::int64_t>(input.done.size()) + 1;
  }
  input.request.deadline = options_.deadline;
  input.request.stall = std::min(input.request.stall, options_.inactive);
  co_return co_await run_agent(std::move(input), running->model, parts_.tools, parts_.hooks,
                               *running, running->stop.get_token());
}

// --- the end -------------------------------------------------------------------------------------

TurnClose AgentTurnRunner::closing(const Running& running, LoopResult& result) {
  const TurnSpend& spend = result.spend;
  TurnClose how{.verdict = std::move(result.verdict),
                .error = std::move(result.error),
                .answer = std::move(result.answer)};
  how.model = spend.model;
  how.tokens_in = spend.usage.in;
  how.tokens_out = spend.usage.out;
  how.cache_read = spend.usage.cache_read;
  how.cache_write = spend.usage.cache_write;
  if (!spend.price_unknown) how.cost_micros = spend.micros;
  how.history_from = running.history_from;
  how.joined = running.joined;
  how.also = parts_.spend.record(running.turn.workspace, running.turn.conversation,
                                 running.context.zone, spend);
  return how;
}

// A full disk must not lose an answer: the close is tried until it holds or the server stops; what
// is not closed then begins anew with the next start.
Task<Result<ClosedTurn>> AgentTurnRunner::close_until_it_holds(std::shared_ptr<Running> running,
                                                               TurnClose how) {
  Millis pause = seconds(1);
  while (true) {
    auto closed = co_await parts_.ledger.close(running->turn, how);
    if (closed || closed.error().is(Errc::kConflict)) co_return closed;
    parts_.log.error("turn.not_closed",
                     {{"turn", running->turn.id.str()}, {"message", closed.error().message}});
    answer_waiters(running->turn.id, std::unexpected(closed.error()));
    if (!co_await parts_.clock.wait_for(pause, stopping_.get_token())) co_return closed;
    pause = std::min(pause * 2, seconds(30));
  }
}

Task<void> AgentTurnRunner::end(std::shared_ptr<Running> running, LoopResult result) {
  TurnClose how = closing(*running, result);
  const auto session = parts_.kernel.sessions().get(running->turn.session);
  const std::string words = readable_text(how.answer);
  if (session) {
    for (CloseParticipant* participant : participants_) {
      for (Statement& one : participant->at_close(running->turn, *session, words, how.verdict)) {
        how.also.push_back(std::move(one));
      }
    }
  }
  auto closed = co_await close_until_it_holds(running, std::move(how));
  running_.erase(running->turn.id.str());
  by_conversation_.erase(running->turn.conversation.str());
  if (closed) co_return ended(std::move(*closed));
  answer_waiters(running->turn.id, std::unexpected(closed.error()));
}

void AgentTurnRunner::tell_waiters(const Turn& turn, const std::string& response) {
  answer_waiters(turn.id,
                 TurnOutcome{.turn = turn.id,
                             .session = turn.session,
                             .conversation = turn.conversation,
                             .response = response,
                             .verdict = {turn.verdict.value_or(""), turn.reason.value_or("")},
                             .pending_approvals = {}});
}

void AgentTurnRunner::ended(ClosedTurn closed) {
  TurnEvent event;
  event.kind = TurnEvent::Kind::kEnded;
  event.turn.workspace = closed.turn.workspace;
  event.turn.conversation = closed.turn.conversation;
  event.turn.session = closed.turn.session;
  event.turn.turn = closed.turn.id;
  event.verdict = closed.turn.verdict.value_or("");
  parts_.stage.publish(std::move(event));
  tell_waiters(closed.turn, closed.response);
  for (const Turn& turn : closed.joined) tell_waiters(turn, closed.response);
  for (CloseParticipant* participant : participants_) participant->closed(closed.turn.id);
  if (closed.next) {
    if (stopping_.stop_requested()) {
      parts_.loop.spawn("put back", give_back(std::make_shared<Running>(*this, *closed.next)));
    } else {
      launch(std::move(*closed.next));
    }
  }
  if (parts_.summariser.has_model() && closed.turn.first_seq) {
    parts_.loop.spawn("summary", improve(std::move(closed.session), std::move(closed.summary)));
  }
}

Task<void> AgentTurnRunner::improve(Session session, SummaryInput input) {
  (void)co_await parts_.kernel.improve_summary(std::move(session), std::move(input));
}

Task<void> AgentTurnRunner::give_back(std::shared_ptr<Running> running) {
  const auto back = co_await parts_.ledger.put_back(running->turn);
  if (!back) {
    parts_.log.warn("turn.not_put_back",
                    {{"turn", running->turn.id.str()}, {"message", back.error().message}});
  }
  running_.erase(running->turn.id.str());
  by_conversation_.erase(running->turn.conversation.str());
  answer_waiters(running->turn.id, fail(stopping_error()));
}

// --- stopping turns ------------------------------------------------------------------------------

// True if it ran here; it is over when this returns.
Task<bool> AgentTurnRunner::cancel_running(TurnId id, std::string reason) {
  const auto found = running_.find(id.str());
  if (found == running_.end()) co_return false;
  found->second->ask_to_stop(std::move(reason));
  (void)co_await wait(id, {});
  co_return true;
}

Task<Result<Turn>> AgentTurnRunner::cancel(TurnId id) {
  CO_TRY(Turn turn, parts_.ledger.get(id));
  if (turn.over()) co_return turn;
  if (co_await cancel_running(id, "cancelled")) co_return parts_.ledger.get(id);
  auto dropped = co_await parts_.ledger.close(
      turn, {.verdict = {"interrupted", "cancelled"}, .error = {}, .answer = {}});
  if (!dropped && dropped.error().is(Errc::kConflict)) {  // it began in between, or is over
    (void)co_await cancel_running(id, "cancelled");
    co_return parts_.ledger.get(id);
  }
  if (!dropped) co_return std::unexpected(dropped.error());
  turn = dropped->turn;
  ended(std::move(*dropped));
  co_return turn;
}

Task<Result<Cleared>> AgentTurnRunner::clear(WorkspaceId workspace, std::string name) {
  Cleared out;
  const auto conversation = parts_.kernel.conversations().find_by_name(workspace, name);
  if (!conversation && !conversation.error().is(ConversationErrc::kNotFound)) {
    co_return std::unexpected(conversation.error());
  }
  if (!conversation) co_return out;
  out.conversation = conversation->id;
  while (true) {  // what waits first, or ending the running one would begin the next
    CO_TRY(const auto waiting, parts_.kernel.turns().queued(conversation->id, kDroppedAtOnce));
    if (waiting.empty()) break;
    for (const Turn& turn : waiting) CO_TRY_VOID(co_await cancel(turn.id));
  }
  if (const auto found = by_conversation_.find(conversation->id.str());
      found != by_conversation_.end()) {
    CO_TRY(const TurnId id, TurnId::parse(found->second));
    out.cancelled = co_await cancel_running(id, "cleared");
  }
  CO_TRY(const auto session, parts_.kernel.sessions().latest_of(conversation->id));
  if (!session || !session->active) co_return out;
  CO_TRY(std::string summary, co_await clear_summary(*session));
  CO_TRY_VOID(co_await close_cleared(*session, std::move(summary), out));
  co_return out;
}

Task<Result<std::string>> AgentTurnRunner::clear_summary(Session session) {
  CO_TRY(const auto said,
         parts_.kernel.messages().tail(session.conversation, {}, kClearedMessages));
  SummaryInput input{
      .previous = session.context_summary, .exchanges = {}, .turn_count = session.turn_count};
  for (auto message = said.rbegin(); message != said.rend(); ++message) {
    if (message->session != session.id) continue;
    if (message->role == "user") {
      input.exchanges.push_back({readable_text(message->content), {}, {}});
    } else if (message->role == "assistant" && !input.exchanges.empty()) {
      input.exchanges.back().assistant = readable_text(message->content);
    }
  }
  if (input.exchanges.empty()) co_return session.context_summary;
  const Summary made =
      co_await parts_.summariser.summarise(SummaryProfile::kClear, std::move(input));
  co_return made.text;
}

Task<Result<void>> AgentTurnRunner::close_cleared(Session session, std::string summary,
                                                  Cleared& out) {
  const auto pass = co_await parts_.kernel.gate().enter(session.workspace, session.key);
  CO_TRY(session, parts_.kernel.sessions().get(session.id));
  if (!session.active) co_return Result<void>{};
  const WallTime now = parts_.clock.wall_now();
  Write write;
  write.statements = {SessionTable::set_close_summary(session.id, summary),
                      SessionTable::close(session.id, kClosedByClear, now),
                      EventLog::append({.workspace = session.workspace,
                                        .type = "chat_cleared",
                                        .conversation = session.conversation.str(),
                                        .session = session.id.str(),
                                        .body = encode_json(ClearedBody{std::move(summary)}),
                                        .created = now})};
  CO_TRY_VOID(co_await parts_.database.write(std::move(write)));
  parts_.events.committed(session.workspace);
  out.closed = session.id;
  co_return Result<void>{};
}

// --- starting and stopping -----------------------------------------------------------------------

Task<Result<void>> AgentTurnRunner::resume_waiting() {
  std::string after;
  while (!stopping_.stop_requested()) {
    CO_TRY(const auto page, co_await parts_.kernel.turns().waiting(after, kResumedAtOnce));
    if (page.empty()) break;
    after = page.back().str();
    for (const ConversationId& conversation : page) {
      if (busy(conversation)) continue;
      CO_TRY(auto next, parts_.kernel.turns().next(conversation));
      if (!next) continue;
      const auto begun = co_await parts_.kernel.turns().start(next->id);
      if (!begun && begun.error().is(StoreErrc::kConflict)) continue;  // somebody was faster
      if (!begun) co_return std::unexpected(begun.error());
      next->state = "running";
      next->attempts += 1;
      launch(std::move(*next));
    }
  }
  co_return Result<void>{};
}

Task<void> AgentTurnRunner::stop(Millis deadline) {
  stopping_.request_stop();
  const MonoTime end = parts_.clock.mono_now() + deadline;
  while (!running_.empty() && parts_.clock.mono_now() < end) {
    (void)co_await parts_.clock.wait_for(millis(20));
  }
  for (const auto& [id, running] : running_) running->ask_to_stop(std::string(kShutdown));
  const MonoTime last = parts_.clock.mono_now() + seconds(2);
  while (!running_.empty() && parts_.clock.mono_now() < last) {
    (void)co_await parts_.clock.wait_for(millis(20));
  }
}

}  // namespace rouse
