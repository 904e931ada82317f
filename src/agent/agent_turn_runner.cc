#include "agent/agent_turn_runner.h"

#include <algorithm>

#include "agent/failure_words.h"
#include "base/fault.h"

namespace rouse {
namespace {

constexpr std::size_t kResumedAtOnce = 100;
constexpr std::size_t kResumedRunning = 256;  // turns at a time while a backlog is worked off
constexpr std::size_t kDroppedAtOnce = 100;
constexpr std::string_view kShutdown = "shutdown";

Error stopping_error() {
  return Error(Errc::kUnavailable,
               "rouse is stopping; the message is kept and answered after the next start");
}

LoopResult failed_by(const Error& error) {
  LoopResult failed;
  failed.verdict = {"failed", std::string(error.name)};
  failed.error = error.message;
  failed.answer = text_content(failure_words(error), kFromAgent);
  return failed;
}

LoopResult known_already(const std::string& words) {
  LoopResult out;
  out.verdict = {"spoke", ""};
  if (!words.empty()) out.answer = text_content(words, kFromAgent);
  return out;
}

LoopResult given_up(std::string reason) {
  LoopResult out;
  out.verdict = {"interrupted", std::move(reason)};
  return out;
}

}  // namespace

AgentTurnRunner::AgentTurnRunner(Parts parts)
    : parts_(parts),
      clearing_(parts_),
      summaries_(parts.loop, parts.clock, parts.kernel, stopping_.get_token()),
      closer_(parts_, waiters_, stopping_.get_token()) {}
AgentTurnRunner::~AgentTurnRunner() = default;

// --- accepting and waiting -----------------------------------------------------------------------

Task<Result<Submitted>> AgentTurnRunner::submit(InboundMessage message) {
  if (stopping_.stop_requested()) co_return fail(stopping_error());
  ++submitting_;
  const auto waiting = std::make_shared<TurnBeginning::Waiting>();
  std::shared_ptr<RunningTurn> ahead;  // it works while its message is on the way to the disk
  const auto begin_ahead = [&](const TakenTurn& taken, auto pass) {
    if (taken.turn.kind != TurnKind::kUser || stopping_.stop_requested()) return;
    ahead = std::make_shared<RunningTurn>(parts_, taken.turn, options_.join_running);
    ahead->begin_ahead(taken.message, std::make_shared<TurnBeginning>(waiting, std::move(pass)));
    // In the next round: by then the message is on its way.
    parts_.loop.post([this, ahead] { launch(ahead); });
  };
  const auto settle = [&](Result<void> outcome) {
    --submitting_;
    if (ahead) ahead->settle(std::move(outcome));
  };
  Result<Resolved> accepted = std::unexpected(Error());
  try {
    accepted = co_await parts_.kernel.accept(std::move(message), Accept::kBeginIfFree, begin_ahead);
  } catch (...) {  // out of memory: the turn must not hold the conversation for ever
    settle(fail(Errc::kInternal, "nobody can say whether the message was taken"));
    throw;
  }
  settle(accepted ? Result<void>{} : std::unexpected(accepted.error()));
  if (!accepted) co_return std::unexpected(std::move(accepted).error());
  FAULT_POINT("message.after_accept");
  Resolved resolved = std::move(*accepted);
  if (resolved.accepted && !ahead) {
    yield_to(*resolved.accepted);
    if (resolved.accepted->state == "running") {
      launch_or_give_back(*resolved.accepted);
    } else if (!busy(resolved.session.conversation)) {
      // Something waits there and nobody works on it: it must not wait for ever.
      parts_.loop.spawn("next turn", begin_waiting(resolved.session));
    }
  }
  co_return Submitted{std::move(resolved)};
}

// Whoever speaks first needs no greeting any more (AP-7).
void AgentTurnRunner::yield_to(const Turn& accepted) {
  if (accepted.kind != TurnKind::kUser && accepted.kind != TurnKind::kApproval) return;
  const auto found = by_conversation_.find(accepted.conversation.str());
  if (found == by_conversation_.end()) return;
  RunningTurn& running = *running_.at(found->second);
  if (running.turn.kind == TurnKind::kSessionOpen) running.ask_to_stop("person_spoke");
}

Task<Result<TurnOutcome>> AgentTurnRunner::wait(TurnId id, std::stop_token stop) {
  if (!running_.contains(id.str())) {
    CO_TRY(const Turn turn, parts_.ledger.get(id));
    if (turn.over()) co_return outcome_of(turn);
  }
  if (stopping_.stop_requested()) co_return fail(stopping_error());
  co_return co_await waiters_.wait(std::move(id), std::move(stop));
}

Result<TurnOutcome> AgentTurnRunner::outcome_of(const Turn& turn) {
  TurnOutcome out{.turn = turn.id,
                  .session = turn.session,
                  .conversation = turn.conversation,
                  .response = {},
                  .verdict = {turn.verdict.value_or(""), turn.reason.value_or("")},
                  .pending_approvals = {}};
  TRY(out.response, parts_.ledger.response_of(turn));
  TRY(out.pending_approvals, parts_.approvals.pending_of(turn.id));
  return out;
}

bool AgentTurnRunner::busy(const ConversationId& conversation) const {
  return by_conversation_.contains(conversation.str());
}

// --- running -------------------------------------------------------------------------------------

void AgentTurnRunner::launch_or_give_back(Turn turn) {
  auto running = std::make_shared<RunningTurn>(parts_, std::move(turn), options_.join_running);
  if (!stopping_.stop_requested()) return launch(std::move(running));
  parts_.loop.spawn("put back", give_back(std::move(running)));
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

void AgentTurnRunner::launch(std::shared_ptr<RunningTurn> running) {
  running_[running->turn.id.str()] = running;
  by_conversation_[running->turn.conversation.str()] = running->turn.id.str();
  parts_.loop.spawn("turn", run(running));
}

Task<void> AgentTurnRunner::run(std::shared_ptr<RunningTurn> running) {
  LoopResult result;
  try {
    auto occasion = parts_.prompts.occasion_of(running->turn);
    if (occasion) running->occasion = std::move(*occasion).value_or(Occasion{});
    parts_.loop.spawn("turn guard", guard(running));
    if (occasion) {
      result = co_await work(running);
    } else {
      result = failed_by(occasion.error());
    }
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
    if (const auto begun = co_await running->begun(); !begun) {
      co_return never_was(running->turn, begun.error());
    }
    co_return co_await give_back(running);
  }
  bool failed = false;
  try {
    auto closed = co_await closer_.close(running, std::move(result), kept_steps(*running));
    if (const auto begun = co_await running->begun(); !begun) {
      co_return never_was(running->turn, begun.error());
    }
    const bool held = closed.has_value();
    end(running->turn, std::move(closed));
    if (!held) closer_.tell_given_up(running->turn.id);
    parts_.loop.post([running] {});  // what it held goes after those who waited have their answer
  } catch (const std::exception& e) {
    parts_.log.error("turn.bug", {{"turn", running->turn.id.str()}, {"what", e.what()}});
    failed = true;
  }
  if (!failed) co_return;
  if (const auto begun = co_await running->begun(); !begun) {
    co_return never_was(running->turn, begun.error());
  }
  end(running->turn, co_await closer_.close_without_others(running->turn));
}

// Whoever sent its message is told that it was not taken; somebody who ended it may wait as well.
void AgentTurnRunner::never_was(const Turn& turn, const Error& why) {
  SOMETIMES("turn.never_was");
  forget(turn);
  waiters_.answer(turn.id, std::unexpected(why));
}

// Begun for the first time, and by this process: nothing of it was kept before.
bool AgentTurnRunner::is_of_this_life(const Turn& turn) const {
  return turn.number > last_life_ && turn.attempts <= 1;
}

// The page that asked for it is gone; the next one asks again.
bool AgentTurnRunner::is_late_greeting(const Turn& turn) const {
  return turn.kind == TurnKind::kSessionOpen && !is_of_this_life(turn);
}

Millis AgentTurnRunner::deadline_of(const RunningTurn& running) const {
  return running.occasion.deadline.value_or(options_.deadline);
}

// The deadline, and the watch over a turn in which nothing moves.
Task<void> AgentTurnRunner::guard(std::shared_ptr<RunningTurn> running) {
  const MonoTime end = running->began_at + deadline_of(*running);
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

Task<LoopResult> AgentTurnRunner::work(std::shared_ptr<RunningTurn> running) {
  if (is_late_greeting(running->turn)) co_return given_up("restart");
  if (running->occasion.ready) co_return known_already(*running->occasion.ready);
  auto prompt = co_await parts_.prompts.of_turn(running->turn, std::move(running->message));
  if (!prompt) co_return failed_by(prompt.error());
  prompt->turn.beginning = running->beginning;
  running->context = prompt->turn;
  running->model = prompt->model;
  running->history_from = prompt->first_seq;
  running->history_limits = prompt->limits;
  TurnEvent started;
  started.turn = running->context;
  running->publish(std::move(started));
  running->input = {.turn = prompt->turn,
                    .message = std::move(prompt->message),
                    .request = std::move(prompt->request),
                    .history_full = prompt->history_full,
                    .done = {},
                    .limits = options_.loop};
  LoopInput& input = running->input;
  if (!is_of_this_life(running->turn)) {
    auto kept = parts_.ledger.steps(running->turn.id);  // of an earlier try
    if (!kept) co_return failed_by(kept.error());
    input.done = std::move(*kept);
  }
  running->next_step = static_cast<std::int64_t>(input.done.size()) + 1;
  running->asks = !input.done.empty();  // it may have, before a restart
  if (const auto taken = co_await take_up_approval(running, input); !taken) {
    co_return failed_by(taken.error());
  }
  // When the model has its question there is time for what follows the answer.
  parts_.loop.post([running] { running->begin_summary(); });
  input.request.deadline = deadline_of(*running);
  input.request.stall = std::min(input.request.stall, options_.inactive);
  input.request.first_byte = std::min(input.request.first_byte, options_.inactive);
  co_return co_await run_agent(input, running->model, parts_.tools, parts_.hooks, *running,
                               running->stop.get_token());
}

// A turn of kind approval begins with the call that was approved, as if the model had just made it;
// from there on it is a turn like any other, and after a crash too: what has begun is never run
// again.
Task<Result<void>> AgentTurnRunner::take_up_approval(std::shared_ptr<RunningTurn> running,
                                                     LoopInput& input) {
  if (running->turn.kind != TurnKind::kApproval) co_return Result<void>{};
  CO_TRY(auto approval, parts_.approvals.carried_by(running->turn));
  if (!approval || approval->state != kApprovalApproved) co_return Result<void>{};
  if (input.done.empty()) {
    ContentBlock call;
    call.type = "tool_call";
    call.from = kFromAgent;
    call.call_id = approval->id.str();
    call.tool = approval->tool;
    call.arguments = approval->arguments;
    input.done = {{"answer", {std::move(call)}, parts_.clock.wall_now()}};
    CO_TRY_VOID(co_await running->keep(input.done, {}));
  }
  input.approved = std::move(approval);
  co_return Result<void>{};
}

// --- the end -------------------------------------------------------------------------------------

KeptSteps AgentTurnRunner::kept_steps(const RunningTurn& running) const {
  const bool none = running.next_step == 1 && is_of_this_life(running.turn);
  return none ? KeptSteps::kNone : KeptSteps::kPerhaps;
}

void AgentTurnRunner::end(const Turn& turn, Result<ClosedTurn> closed) {
  forget(turn);
  if (closed) return ended(std::move(*closed));
  closer_.tell_not_closed(turn, "failed", closed.error());
}

void AgentTurnRunner::forget(const Turn& turn) {
  running_.erase(turn.id.str());
  const auto found = by_conversation_.find(turn.conversation.str());
  if (found != by_conversation_.end() && found->second == turn.id.str()) {
    by_conversation_.erase(found);
  }
}

void AgentTurnRunner::ended(ClosedTurn closed) {
  closer_.tell_closed(closed);
  if (closed.next) launch_or_give_back(std::move(*closed.next));
  const bool capped = closed.turn.reason == error_info(ModelErrc::kSpendCap).name;
  const bool lasts = closed.turn.kind != TurnKind::kIsolated;  // its conversation is about to go
  if (parts_.summariser.has_model() && closed.turn.first_seq && !capped && lasts) {
    summaries_.improve_when_quiet(std::move(closed.session), std::move(closed.summary));
  }
}

Task<void> AgentTurnRunner::give_back(std::shared_ptr<RunningTurn> running) {
  const auto back = co_await parts_.ledger.put_back(running->turn);
  if (!back) {
    parts_.log.warn("turn.not_put_back",
                    {{"turn", running->turn.id.str()}, {"message", back.error().message}});
  }
  forget(running->turn);
  closer_.tell_not_closed(running->turn, "interrupted", stopping_error());
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
  auto dropped = co_await close_waiting(
      std::move(turn), {.verdict = {"interrupted", reason}, .error = {}, .answer = {}});
  if (dropped || !dropped.error().is(Errc::kConflict)) co_return dropped;
  (void)co_await cancel_running(id, reason);  // it began in between, or is over
  co_return parts_.ledger.get(id);
}

Task<Result<Turn>> AgentTurnRunner::drop_waiting(TurnId id, std::string reason) {
  CO_TRY(Turn turn, parts_.ledger.get(id));
  if (turn.state != "queued") co_return turn;
  auto dropped = co_await close_waiting(
      std::move(turn),
      {.verdict = {"interrupted", std::move(reason)}, .unsaid = true, .error = {}, .answer = {}});
  if (dropped || !dropped.error().is(Errc::kConflict)) co_return dropped;
  co_return parts_.ledger.get(id);
}

Task<Result<Turn>> AgentTurnRunner::close_waiting(Turn turn, TurnClose how) {
  CO_TRY_VOID(closer_.add_others(turn, how));
  CO_TRY(auto closed, co_await parts_.ledger.close(std::move(turn), std::move(how)));
  turn = closed.turn;
  ended(std::move(closed));
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
  CO_TRY_VOID(co_await parts_.approvals.withdraw(workspace, conversation->id));
  CO_TRY(const auto session, parts_.kernel.sessions().latest_of(conversation->id));
  if (!session || !session->active) co_return out;
  CO_TRY(out.closed, co_await clearing_.close(std::move(*session)));
  co_return out;
}

// --- starting and stopping -----------------------------------------------------------------------

Task<Result<void>> AgentTurnRunner::recover() {
  last_life_ = parts_.kernel.numbers().last_turn();
  return closer_.recover();
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
  for (const TurnId& turn : waiters_.turns()) {
    if (!running_.contains(turn.str())) waiters_.answer(turn, fail(stopping_error()));
  }
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
