#include "agent/running_turn.h"

#include <algorithm>
#include <iterator>

namespace rouse {
namespace {

constexpr std::size_t kOverheard = 16;  // waiting messages a running turn may join

// One answer can serve both only if it goes back the same way (DL-5).
bool same_origin(const InboundRow& a, const InboundRow& b) {
  return a.channel == b.channel && a.account == b.account && a.peer == b.peer;
}

}  // namespace

RunningTurn::RunningTurn(const TurnParts& parts, Turn t, bool joins)
    : parts_(parts), joins_(joins), turn(std::move(t)), active_at(parts.clock.mono_now()) {
  began_at = active_at;
}

void RunningTurn::begin_ahead(InboundRow row, std::shared_ptr<TurnBeginning> when) {
  message = std::move(row);
  beginning = std::move(when);
}

void RunningTurn::settle(Result<void> outcome) {
  const bool durable = outcome.has_value();
  beginning->settle(std::move(outcome));
  if (!durable) {
    held_.clear();
    parts_.hooks.never_was(turn.session);
    return ask_to_stop("not_kept");
  }
  for (TurnEvent& event : std::exchange(held_, {})) parts_.stage.publish(std::move(event));
}

void RunningTurn::begin_summary() {
  if (turn.kind != TurnKind::kUser || over.stop_requested()) return;
  if (const auto session = parts_.ledger.session_of(turn)) {
    summary = std::make_shared<ContextAhead>(session->context_summary, input.message);
  }
}

Task<Result<void>> RunningTurn::begun() {
  if (beginning == nullptr) co_return Result<void>{};
  if (is_ahead()) parts_.loop.stay_awake(kCommitUs);
  co_return co_await beginning->durable();
}

Task<Result<void>> RunningTurn::keep(std::vector<TurnStep> steps, CallRuling asked) {
  for (const TurnStep& step : steps) has_intent = has_intent || step.kind == "intent";
  const std::int64_t first = next_step;
  next_step += static_cast<std::int64_t>(steps.size());
  active_at = parts_.clock.mono_now();
  std::vector<Statement> also = std::move(asked.statements);
  std::ranges::move(parts_.hooks.to_keep(context), std::back_inserter(also));
  CO_TRY_VOID(co_await parts_.ledger.keep(turn.id, first, std::move(steps), std::move(also)));
  parts_.hooks.kept(context);
  if (asked.approval) {
    asks = true;
    parts_.approvals.committed(*asked.approval);
  }
  co_return Result<void>{};
}

Result<CallRuling> RunningTurn::rule_on(const Tool& tool, const ToolCall& call,
                                        const TurnContext& now_in) {
  return parts_.approvals.rule_on(tool, call, now_in);
}

void RunningTurn::publish(TurnEvent event) {
  active_at = parts_.clock.mono_now();
  if (beginning != nullptr && beginning->never_was()) return;
  if (is_ahead()) return held_.push_back(std::move(event));
  parts_.stage.publish(std::move(event));
}

void RunningTurn::expect_quiet(Millis length) { active_at = parts_.clock.mono_now() + length; }

Result<SpendBook::Reservation> RunningTurn::reserve(const ModelRequest& request,
                                                    const TurnSpend& so_far) {
  const ModelInfo& info = model->info();
  const std::int64_t out =
      request.max_output_tokens > 0 ? request.max_output_tokens : info.max_output;
  return parts_.spend.reserve(turn.workspace, turn.conversation, context.zone, info,
                              estimate_tokens(request), out, so_far);
}

// What goes wrong leaves the prompt as it is; the turn goes on with it.
Task<std::optional<ModelRequest>> RunningTurn::compact(std::string_view reason,
                                                       std::int64_t tokens) {
  if (!co_await begun()) co_return std::nullopt;
  const auto session = parts_.ledger.session_of(turn);
  if (!session) co_return std::nullopt;
  expect_quiet(kCompactionQuiet);
  const auto outcome = co_await parts_.compactor.compact(
      {.session = *session,
       .limits = history_limits,
       .reason = std::string(reason),
       .turn = turn.id,
       .tokens_before = tokens,
       .shown_from = history_from.value_or(0),
       .may_fold = [this] { return parts_.hooks.pre_compact(context); }},
      stop.get_token());
  if (!outcome || !outcome->made) {
    not_compacted(outcome ? outcome->note : outcome.error().message);
    co_return std::nullopt;
  }
  auto anew = co_await parts_.prompts.of_turn(turn);
  if (!anew) co_return std::nullopt;
  history_from = anew->first_seq;
  co_return std::move(anew->request);
}

// Before the first call there is nothing to overhear: what waits then is a turn of its own. People
// join people's turns only: what they say never becomes part of a job's work (CR-37).
std::vector<PromptMessage> RunningTurn::overheard() {
  std::vector<PromptMessage> out;
  if (!joins_ || turn.kind != TurnKind::kUser || !std::exchange(asked_before, true)) return out;
  const auto waiting = parts_.kernel.turns().queued(turn.conversation, kOverheard);
  if (!waiting) return out;
  const auto own = parts_.ledger.message_of(turn);
  if (!own || !*own) return out;
  for (const Turn& one : *waiting) {
    if (one.kind != TurnKind::kUser || one.session != turn.session || is_joined(one.id)) continue;
    const auto said = parts_.ledger.message_of(one);
    if (!said || !*said || !(*said)->content || !same_origin(**said, **own)) continue;
    PromptMessage heard;
    for (const ContentBlock& block : *(*said)->content) {
      heard.blocks.push_back(to_prompt_block(block));
    }
    out.push_back(std::move(heard));
    joined.push_back({one, static_cast<std::size_t>(next_step - 1)});
  }
  return out;
}

void RunningTurn::not_compacted(const std::string& why) const {
  parts_.log.info("turn.not_compacted", {{"turn", turn.id.str()}, {"why", why}});
}

bool RunningTurn::is_joined(const TurnId& id) const {
  return std::ranges::any_of(joined, [&](const JoinedTurn& one) { return one.turn.id == id; });
}

void RunningTurn::ask_to_stop(std::string reason) {
  if (why_stopped.empty()) why_stopped = std::move(reason);
  stop.request_stop();
}

}  // namespace rouse
