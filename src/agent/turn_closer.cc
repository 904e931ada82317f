#include "agent/turn_closer.h"

#include <algorithm>
#include <iterator>

#include "agent/notify_lines.h"
#include "base/fault.h"
#include "base/text.h"
#include "session/silence.h"

namespace rouse {
namespace {

constexpr std::size_t kNoticeBytes = 400;  // of an answer
constexpr std::string_view kNothingToReport = "There was nothing to report.";

std::string_view notice_kind(TurnKind kind) {
  if (kind == TurnKind::kHeartbeatWake) return "heartbeat";
  const bool scheduled = kind == TurnKind::kAutomation || kind == TurnKind::kIsolated;
  return scheduled ? "automation" : "agent";
}

// What is for the machine alone is read by nobody (design.md, 5).
void cut_tokens(TurnKind kind, Content& answer) {
  if (silence_rule(kind) == SilenceRule::kUntouched) return;
  for (ContentBlock& block : answer) {
    if (block.text && has_token(*block.text)) block.text = without_tokens(*block.text);
  }
  std::erase_if(answer, [](const ContentBlock& block) {
    return block.type == kTextBlock && block.text && block.text->empty();
  });
}

// Nothing is left for a person: neither a word nor a picture.
bool is_blank(const Content& answer) {
  return std::ranges::all_of(answer, [](const ContentBlock& block) {
    return block.type == kTextBlock && trim(block.text.value_or("")).empty();
  });
}

// Trying again would change nothing.
bool is_permanent(const Error& error) {
  return error.is(Errc::kTooLarge) || error.is(StoreErrc::kCorrupt) ||
         error.is(StoreErrc::kBadSql) || error.is(StoreErrc::kTooManyRows);
}

// A greeting stands in the transcript if it says something, and else nothing of it does.
void judge_greeting(TurnClose& how) {
  if (how.verdict.kind == "spoke") {
    const Heard heard = judge_silence(SilenceRule::kSessionOpen, readable_text(how.answer));
    if (heard.silent) how.verdict = {"silent", std::string(heard.outcome)};
  }
  how.unsaid = how.verdict.kind != "spoke";
  if (how.unsaid) how.answer.clear();
}

// A turn that a schedule called for ends in the schedule's words (S3-34).
void word_for(Occasions* occasions, const Turn& turn, TurnClose& how, Millis retry_after) {
  if (occasions == nullptr) return;
  const std::string words = readable_text(how.answer);
  OccasionEnd end = occasions->closing(turn, {how.verdict, words, retry_after}, how.error);
  how.verdict = std::move(end.verdict);
  if (end.words == words) return;
  how.answer = end.words.empty() ? Content{} : text_content(std::move(end.words), kFromAgent);
}

}  // namespace

// --- what is written -----------------------------------------------------------------------------

TurnClose TurnCloser::closing(const RunningTurn& running, LoopResult& result, KeptSteps kept) {
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
  how.kept_none = kept == KeptSteps::kNone;
  how.also = parts_.spend.record(running.turn.workspace, running.turn.conversation,
                                 running.context.zone, spend);
  return how;
}

// An answer of which nothing is left without its tokens was an empty one: where nobody may be met
// with silence it gets a line that says so.
void TurnCloser::word_close(const Turn& turn, TurnClose& how, Millis retry_after) {
  if (turn.kind == TurnKind::kSessionOpen) {
    word_for(parts_.prompts.occasions_for(turn.kind), turn, how, retry_after);
    judge_greeting(how);
    return cut_tokens(turn.kind, how.answer);
  }
  const bool spoke = how.verdict.kind == "spoke" && !is_blank(how.answer);
  cut_tokens(turn.kind, how.answer);
  const bool said_only_tokens =
      spoke && silence_rule(turn.kind) == SilenceRule::kNever && is_blank(how.answer);
  if (said_only_tokens) how.verdict = {"failed", "empty_answer"};
  word_for(parts_.prompts.occasions_for(turn.kind), turn, how, retry_after);
  // Nobody had better words for it, and somebody may be waiting for some.
  if (!said_only_tokens || !is_blank(how.answer)) return;
  how.verdict = {"spoke", "empty"};
  how.answer = text_content(std::string(kNothingToReport), kFromAgent);
}

// The notification is there exactly if the answer is.
void TurnCloser::announce(const Turn& turn, const AnswerNotice& notice, TurnClose& how) {
  Notification told{.workspace = turn.workspace,
                    .kind = std::string(notice_kind(turn.kind)),
                    .subject = notice.subject,
                    .text = first_sentences(readable_text(how.answer), kNoticeBytes),
                    .turn = turn.id,
                    .untrusted = notice.untrusted};
  if (turn.kind != TurnKind::kIsolated) told.conversation = turn.conversation;  // else it goes
  told.heard_there = true;
  std::ranges::move(notifications_->say(told), std::back_inserter(how.also));
}

// Everything the others have to add to the close; an error is one of the store.
Result<std::vector<Statement>> TurnCloser::others_statements(const Turn& turn,
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

Result<void> TurnCloser::add_others(const Turn& turn, TurnClose& how) {
  TRY(const Session session, parts_.ledger.session_of(turn));
  TRY(auto others, others_statements(turn, session, readable_text(how.answer), how.verdict));
  std::ranges::move(others, std::back_inserter(how.also));
  return {};
}

// --- the write -----------------------------------------------------------------------------------

// Its message is on the way to the disk, and all that the close has to know of it is known without
// a read: the close may follow it there.
bool TurnCloser::can_follow(const RunningTurn& running) const {
  if (!running.is_ahead() || running.next_step != 1) return false;
  const LiveConversation* live = parts_.kernel.live(running.turn.conversation);
  return live != nullptr && live->running && live->running->turn.id == running.turn.id;
}

Task<Result<ClosedTurn>> TurnCloser::try_to_close(std::shared_ptr<RunningTurn> running,
                                                  TurnClose how) {
  Turn ending = running->turn;  // with what it cost
  ending.model = how.model;
  ending.tokens_in = how.tokens_in + how.cache_read + how.cache_write;
  ending.tokens_out = how.tokens_out;
  ending.cost_micros = how.cost_micros;
  if (!can_follow(*running)) CO_TRY_VOID(co_await running->begun());
  CO_TRY_VOID(add_others(ending, how));
  how.summary = std::exchange(running->summary, nullptr);
  FAULT_POINT("turn.before_close");
  co_return co_await parts_.ledger.close(
      running->turn, std::move(how), running->is_ahead() ? running->beginning->pass() : nullptr);
}

Task<Result<ClosedTurn>> TurnCloser::close_until_it_holds(std::shared_ptr<RunningTurn> running,
                                                          TurnClose how) {
  Millis pause = seconds(1);
  while (true) {
    auto closed = co_await try_to_close(running, how);
    if (closed || closed.error().is(Errc::kConflict)) co_return closed;
    if (!co_await running->begun()) co_return closed;  // there is nothing to close
    parts_.log.error("turn.not_closed",
                     {{"turn", running->turn.id.str()}, {"message", closed.error().message}});
    if (is_permanent(closed.error())) {
      if (std::exchange(how.without_steps, true)) co_return closed;
      how.joined.clear();
      how.error = closed.error().message;
      continue;
    }
    SOMETIMES("turn.close_again");
    waiters_.answer(running->turn.id, std::unexpected(closed.error()));
    if (!co_await parts_.clock.wait_for(pause, stopping_)) co_return closed;
    pause = std::min(pause * 2, seconds(30));
  }
}

Task<Result<ClosedTurn>> TurnCloser::close(std::shared_ptr<RunningTurn> running, LoopResult result,
                                           KeptSteps kept) {
  TurnClose how = closing(*running, result, kept);
  word_close(running->turn, how, result.retry_after);
  const bool announced = notifications_ != nullptr && result.notice && how.verdict.kind == "spoke";
  if (announced) announce(running->turn, *result.notice, how);
  auto closed = co_await close_until_it_holds(running, std::move(how));
  FAULT_POINT("turn.after_close");
  if (closed && announced) notifications_->told(running->turn.workspace);
  if (closed && running->asks) askers_.insert(running->turn.id.str());
  co_return closed;
}

Task<Result<ClosedTurn>> TurnCloser::close_without_others(const Turn& turn) {
  TurnClose how{.verdict = {"failed", "internal"},
                .without_steps = true,
                .error = "a bug while the turn was closed; it is in the log",
                .answer = text_content("Something went wrong inside of rouse; it is in the log.",
                                       kFromAgent)};
  return parts_.ledger.close(turn, std::move(how));
}

Task<Result<void>> TurnCloser::recover() {
  return parts_.ledger.recover(
      [this](const Turn& turn, const Session& session, const std::string& words,
             const Verdict& verdict) { return others_statements(turn, session, words, verdict); },
      [this](const Turn& turn, TurnClose& how) { word_close(turn, how, {}); });
}

// --- who is told ---------------------------------------------------------------------------------

// For whoever watches it live; the durable events tell the rest.
void TurnCloser::tell_over(const Turn& turn, std::string verdict) {
  TurnEvent event;
  event.kind = TurnEvent::Kind::kEnded;
  event.turn.workspace = turn.workspace;
  event.turn.conversation = turn.conversation;
  event.turn.session = turn.session;
  event.turn.turn = turn.id;
  event.verdict = std::move(verdict);
  parts_.stage.publish(std::move(event));
}

void TurnCloser::tell_waiters(const Turn& turn, const std::string& response) {
  waiters_.answer(turn.id,
                  TurnOutcome{.turn = turn.id,
                              .session = turn.session,
                              .conversation = turn.conversation,
                              .response = response,
                              .verdict = {turn.verdict.value_or(""), turn.reason.value_or("")},
                              .pending_approvals = pending_of(turn.id)});
}

// Of a turn that has just ended. One that can't be read is in the list of approvals all the same.
std::vector<PendingApproval> TurnCloser::pending_of(const TurnId& turn) {
  if (askers_.erase(turn.str()) == 0) return {};
  return parts_.approvals.pending_of(turn).value_or(std::vector<PendingApproval>());
}

void TurnCloser::tell_closed(const ClosedTurn& closed) {
  const std::string verdict = closed.turn.verdict.value_or("");
  tell_over(closed.turn, verdict);
  tell_waiters(closed.turn, closed.response);
  for (const Turn& turn : closed.joined) {
    tell_over(turn, verdict);
    tell_waiters(turn, closed.response);
  }
  for (CloseParticipant* participant : participants_) participant->closed(closed.turn.id);
}

void TurnCloser::tell_not_closed(const Turn& turn, std::string verdict, Error why) {
  tell_over(turn, std::move(verdict));
  waiters_.answer(turn.id, std::unexpected(std::move(why)));
}

void TurnCloser::tell_given_up(const TurnId& turn) {
  for (CloseParticipant* participant : participants_) participant->given_up(turn);
}

}  // namespace rouse
