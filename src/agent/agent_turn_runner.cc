#include "agent/agent_turn_runner.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "agent/failure_words.h"

namespace rouse {
namespace {

constexpr std::size_t kResumedAtOnce = 100;
constexpr std::size_t kResumedRunning = 256;  // turns at a time while a backlog is worked off
constexpr std::size_t kDroppedAtOnce = 100;
constexpr std::size_t kOverheard = 16;         // waiting messages a running turn may join
constexpr std::size_t kClearedMessages = 200;  // a summary of the last 100 turns (S4-C9)
constexpr Millis kSummaryRest = seconds(5);
constexpr std::string_view kShutdown = "shutdown";

Error stopping_error() {
  return Error(Errc::kUnavailable,
               "rouse is stopping; the message is kept and answered after the next start");
}

// One answer can serve both only if it goes back the same way (DL-5).
bool same_origin(const InboundRow& a, const InboundRow& b) {
  return a.channel == b.channel && a.account == b.account && a.peer == b.peer;
}

// Trying again would change nothing.
bool is_permanent(const Error& error) {
  return error.is(Errc::kTooLarge) || error.is(StoreErrc::kCorrupt) ||
         error.is(StoreErrc::kBadSql) || error.is(StoreErrc::kTooManyRows);
}

struct ClearedBody {
  std::string summary;
};
auto shape(const ClearedBody*) { return fields(field("summary", &ClearedBody::summary, "")); }

}  // namespace

namespace {

LoopResult failed_by(const Error& error) {
  LoopResult failed;
  failed.verdict = {"failed", std::string(error.name)};
  failed.error = error.message;
  failed.answer = text_content(failure_words(error), kFromAgent);
  return failed;
}

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
  void expect_quiet(Millis length) override {
    active_at = runner_.parts_.clock.mono_now() + length;
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
    const auto own = runner_.parts_.ledger.message_of(turn);
    if (!own || !*own) return out;
    for (const Turn& one : *waiting) {
      if (one.kind != TurnKind::kUser || one.session != turn.session || is_joined(one.id)) continue;
      const auto said = runner_.parts_.ledger.message_of(one);
      if (!said || !*said || !(*said)->content || !same_origin(**said, **own)) continue;
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
  ++submitting_;
  auto accepted = co_await parts_.kernel.accept(std::move(message), Accept::kBeginIfFree);
  --submitting_;
  if (!accepted) co_return std::unexpected(std::move(accepted).error());
  Resolved resolved = std::move(*accepted);
  if (resolved.accepted) {
    if (resolved.accepted->state == "running") {
      launch_or_give_back(*resolved.accepted);
    } else if (!busy(resolved.session.conversation)) {
      // Something waits there and nobody works on it: it must not wait for ever.
      parts_.loop.spawn("next turn", begin_waiting(resolved.session));
    }
  }
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

void AgentTurnRunner::launch_or_give_back(Turn turn) {
  if (!stopping_.stop_requested()) return launch(std::move(turn));
  parts_.loop.spawn("put back", give_back(std::make_shared<Running>(*this, std::move(turn))));
}

// The first one that waits, if nothing of the conversation runs.
Task<void> AgentTurnRunner::begin_waiting(Session session) {
  const auto pass = co_await parts_.kernel.gate().enter(session.workspace, session.key);
  if (stopping_.stop_requested() || busy(session.conversation)) co_return;
  auto next = parts_.kernel.turns().next(session.conversation);
  if (!next || !*next) co_return;
  const auto begun = co_await parts_.kernel.turns().start((*next)->id);
  if (!begun) {
    parts_.log.warn("turn.not_begun",
                    {{"turn", (*next)->id.str()}, {"message", begun.error().message}});
    co_return;
  }
  Turn turn = std::move(**next);
  turn.state = "running";
  turn.attempts += 1;
  launch_or_give_back(std::move(turn));
}

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
    co_return co_await give_back(running);
  }
  bool failed = false;
  try {
    co_await end(running, std::move(result));
  } catch (const std::exception& e) {
    parts_.log.error("turn.bug", {{"turn", running->turn.id.str()}, {"what", e.what()}});
    failed = true;
  }
  if (failed) co_await end_without_others(running);
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
  if (!prompt) co_return failed_by(prompt.error());
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
  auto kept = parts_.ledger.steps(running->turn.id);  // of an earlier try
  if (!kept) co_return failed_by(kept.error());
  input.done = std::move(*kept);
  running->next_step = static_cast<std::int64_t>(input.done.size()) + 1;
  input.request.deadline = options_.deadline;
  input.request.stall = std::min(input.request.stall, options_.inactive);
  input.request.first_byte = std::min(input.request.first_byte, options_.inactive);
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

// Everything the others have to add to the close; an error is one of the store.
Result<std::vector<Statement>> AgentTurnRunner::others_statements(const Turn& turn,
                                                                  const Session& session,
                                                                  const std::string& words,
                                                                  const Verdict& verdict) {
  std::vector<Statement> out;
  for (CloseParticipant* participant : participants_) {
    TRY(auto statements, participant->at_close(turn, session, words, verdict));
    std::ranges::move(statements, std::back_inserter(out));
  }
  return out;
}

Task<Result<ClosedTurn>> AgentTurnRunner::try_to_close(std::shared_ptr<Running> running,
                                                       TurnClose how) {
  CO_TRY(const Session session, parts_.kernel.sessions().get(running->turn.session));
  CO_TRY(auto others,
         others_statements(running->turn, session, readable_text(how.answer), how.verdict));
  std::ranges::move(others, std::back_inserter(how.also));
  co_return co_await parts_.ledger.close(running->turn, std::move(how));
}

// A full disk must not lose an answer: the close is tried until it holds or the server stops; what
// is not closed then begins anew with the next start. What is too large is closed without the
// steps.
Task<Result<ClosedTurn>> AgentTurnRunner::close_until_it_holds(std::shared_ptr<Running> running,
                                                               TurnClose how) {
  Millis pause = seconds(1);
  while (true) {
    auto closed = co_await try_to_close(running, how);
    if (closed || closed.error().is(Errc::kConflict)) co_return closed;
    parts_.log.error("turn.not_closed",
                     {{"turn", running->turn.id.str()}, {"message", closed.error().message}});
    if (is_permanent(closed.error())) {
      if (std::exchange(how.without_steps, true)) co_return closed;
      how.joined.clear();
      how.error = closed.error().message;
      continue;
    }
    answer_waiters(running->turn.id, std::unexpected(closed.error()));
    if (!co_await parts_.clock.wait_for(pause, stopping_.get_token())) co_return closed;
    pause = std::min(pause * 2, seconds(30));
  }
}

Task<void> AgentTurnRunner::end(std::shared_ptr<Running> running, LoopResult result) {
  auto closed = co_await close_until_it_holds(running, closing(*running, result));
  forget(running->turn);
  if (closed) {
    ended(std::move(*closed));
  } else {
    tell_over(running->turn, "failed");
    answer_waiters(running->turn.id, std::unexpected(closed.error()));
  }
}

// Somebody who takes part in the end failed in a way nobody foresaw: the turn ends without them.
Task<void> AgentTurnRunner::end_without_others(std::shared_ptr<Running> running) {
  TurnClose how{.verdict = {"failed", "internal"},
                .without_steps = true,
                .error = "a bug while the turn was closed; it is in the log",
                .answer = text_content("Something went wrong inside of rouse; it is in the log.",
                                       kFromAgent)};
  auto closed = co_await parts_.ledger.close(running->turn, std::move(how));
  forget(running->turn);
  if (closed) co_return ended(std::move(*closed));
  tell_over(running->turn, "failed");
  answer_waiters(running->turn.id, std::unexpected(closed.error()));
}

void AgentTurnRunner::forget(const Turn& turn) {
  running_.erase(turn.id.str());
  const auto found = by_conversation_.find(turn.conversation.str());
  if (found != by_conversation_.end() && found->second == turn.id.str()) {
    by_conversation_.erase(found);
  }
}

// For whoever watches it live; the durable events tell the rest.
void AgentTurnRunner::tell_over(const Turn& turn, std::string verdict) {
  TurnEvent event;
  event.kind = TurnEvent::Kind::kEnded;
  event.turn.workspace = turn.workspace;
  event.turn.conversation = turn.conversation;
  event.turn.session = turn.session;
  event.turn.turn = turn.id;
  event.verdict = std::move(verdict);
  parts_.stage.publish(std::move(event));
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
  const std::string verdict = closed.turn.verdict.value_or("");
  tell_over(closed.turn, verdict);
  tell_waiters(closed.turn, closed.response);
  for (const Turn& turn : closed.joined) {
    tell_over(turn, verdict);
    tell_waiters(turn, closed.response);
  }
  for (CloseParticipant* participant : participants_) participant->closed(closed.turn.id);
  if (closed.next) launch_or_give_back(std::move(*closed.next));
  const bool capped = closed.turn.reason == error_info(ModelErrc::kSpendCap).name;
  if (parts_.summariser.has_model() && closed.turn.first_seq && !capped) {
    improve_when_quiet(std::move(closed.session), std::move(closed.summary));
  }
}

// The plain summary is there at once. A model is asked to do better when the conversation has come
// to rest, not after each turn of a lively one: that would double what they cost.
void AgentTurnRunner::improve_when_quiet(Session session, SummaryInput input) {
  const std::string id = session.conversation.str();
  const auto [at, is_new] = unimproved_.insert_or_assign(
      id, Unimproved{std::move(session), std::move(input), parts_.clock.mono_now() + kSummaryRest});
  if (is_new) parts_.loop.spawn("summary", improve(id));
}

Task<void> AgentTurnRunner::improve(std::string conversation) {
  while (true) {
    const MonoTime rest = unimproved_.at(conversation).at;
    if (!co_await parts_.clock.wait_until(rest, stopping_.get_token())) break;
    if (unimproved_.at(conversation).at == rest) break;
  }
  auto found = unimproved_.extract(conversation);
  if (stopping_.stop_requested()) co_return;
  Unimproved& last = found.mapped();
  (void)co_await parts_.kernel.improve_summary(std::move(last.session), std::move(last.input));
}

Task<void> AgentTurnRunner::give_back(std::shared_ptr<Running> running) {
  const auto back = co_await parts_.ledger.put_back(running->turn);
  if (!back) {
    parts_.log.warn("turn.not_put_back",
                    {{"turn", running->turn.id.str()}, {"message", back.error().message}});
  }
  forget(running->turn);
  tell_over(running->turn, "interrupted");
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
  return end_early(std::move(id), "cancelled");
}

Task<Result<Turn>> AgentTurnRunner::end_early(TurnId id, std::string reason) {
  CO_TRY(Turn turn, parts_.ledger.get(id));
  if (turn.over()) co_return turn;
  if (co_await cancel_running(id, reason)) co_return parts_.ledger.get(id);
  auto dropped = co_await parts_.ledger.close(
      turn, {.verdict = {"interrupted", reason}, .error = {}, .answer = {}});
  if (!dropped && dropped.error().is(Errc::kConflict)) {  // it began in between, or is over
    (void)co_await cancel_running(id, reason);
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
    for (const Turn& turn : waiting) CO_TRY_VOID(co_await end_early(turn.id, "cleared"));
  }
  if (const auto found = by_conversation_.find(conversation->id.str());
      found != by_conversation_.end()) {
    CO_TRY(const TurnId id, TurnId::parse(found->second));
    out.cancelled = co_await cancel_running(id, "cleared");
  }
  CO_TRY(const auto session, parts_.kernel.sessions().latest_of(conversation->id));
  if (!session || !session->active) co_return out;
  CO_TRY(SummaryInput said, said_in(*session));
  CO_TRY_VOID(co_await close_cleared(*session, said, out));
  if (out.closed && parts_.summariser.has_model() && !said.exchanges.empty()) {
    parts_.loop.spawn("clear summary", improve_clear(*session, std::move(said)));
  }
  co_return out;
}

Result<SummaryInput> AgentTurnRunner::said_in(const Session& session) {
  TRY(const auto said, parts_.kernel.messages().tail(session.conversation, {}, kClearedMessages));
  SummaryInput input{
      .previous = session.context_summary, .exchanges = {}, .turn_count = session.turn_count};
  input.workspace = session.workspace;
  for (auto message = said.rbegin(); message != said.rend(); ++message) {
    if (message->session != session.id) continue;
    if (message->role == "user") {
      input.exchanges.push_back({readable_text(message->content), {}, {}});
    } else if (message->role == "assistant" && !input.exchanges.empty()) {
      input.exchanges.back().assistant = readable_text(message->content);
    }
  }
  return input;
}

// At once, with the plain summary: whoever writes next starts fresh, however slow a model is.
Task<Result<void>> AgentTurnRunner::close_cleared(Session session, const SummaryInput& said,
                                                  Cleared& out) {
  const auto pass = co_await parts_.kernel.gate().enter(session.workspace, session.key);
  CO_TRY(session, parts_.kernel.sessions().get(session.id));
  if (!session.active) co_return Result<void>{};
  const WallTime now = parts_.clock.wall_now();
  std::string summary = template_summary(SummaryProfile::kClear, said);
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

Task<void> AgentTurnRunner::improve_clear(Session session, SummaryInput said) {
  const Summary better =
      co_await parts_.summariser.summarise(SummaryProfile::kClear, std::move(said));
  if (!better.by_model) co_return;
  (void)co_await parts_.database.write(
      Write{{SessionTable::set_close_summary(session.id, better.text)}});
}

// --- starting and stopping -----------------------------------------------------------------------

Task<Result<void>> AgentTurnRunner::recover() {
  return parts_.ledger.recover(
      [this](const Turn& turn, const Session& session, const std::string& words,
             const Verdict& verdict) { return others_statements(turn, session, words, verdict); });
}

Task<Result<void>> AgentTurnRunner::resume_waiting() {
  std::string after;
  while (!stopping_.stop_requested()) {
    CO_TRY(const auto page, co_await parts_.kernel.turns().waiting(after, kResumedAtOnce));
    if (page.empty()) break;
    after = page.back().str();
    for (const ConversationId& conversation : page) {
      while (running_.size() >= kResumedRunning) {  // the backlog of a long night, bit by bit
        if (!co_await parts_.clock.wait_for(millis(100), stopping_.get_token())) break;
      }
      const auto session = parts_.kernel.sessions().latest_of(conversation);
      if (session && *session) co_await begin_waiting(**session);
    }
  }
  co_return Result<void>{};
}

void AgentTurnRunner::turn_away_waiters() {
  std::vector<TurnId> away;
  for (const auto& [id, waiting] : waiters_) {
    if (running_.contains(id)) continue;
    if (const auto turn = TurnId::parse(id)) away.push_back(*turn);
  }
  for (const TurnId& turn : away) answer_waiters(turn, fail(stopping_error()));
}

Task<void> AgentTurnRunner::stop(Millis deadline) {
  stopping_.request_stop();
  turn_away_waiters();  // of turns that will not begin any more
  const auto working = [this] { return !running_.empty() || submitting_ > 0; };
  const MonoTime end = parts_.clock.mono_now() + deadline;
  while (working() && parts_.clock.mono_now() < end) {
    (void)co_await parts_.clock.wait_for(millis(20));
  }
  const auto left = running_;
  for (const auto& [id, running] : left) running->ask_to_stop(std::string(kShutdown));
  const MonoTime last = parts_.clock.mono_now() + seconds(2);
  while (working() && parts_.clock.mono_now() < last) {
    (void)co_await parts_.clock.wait_for(millis(20));
  }
  turn_away_waiters();
}

}  // namespace rouse
