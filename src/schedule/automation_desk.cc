#include "schedule/automation_desk.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>

#include <fmt/format.h>

#include "schedule/job_activity.h"
#include "schedule/job_rows.h"
#include "schedule/trigger_prompt.h"

namespace rouse {
namespace {

constexpr int kRouteLookedAt = 64;  // messages back, for where the conversation is answered
constexpr std::size_t kLookedAtOnce = 200;
constexpr int kRunsLookedAt = 64;  // runs back, for the last one that said something
constexpr std::string_view kOutputIdPrefix = "out:";
constexpr std::string_view kMissedIdPrefix = "missed:";
constexpr std::string_view kOutputGone = "The output is not kept any more.";

constexpr std::string_view kNoteEnd =
    "UPDATE jobs SET failures = $2, backoff_ms = $3, last_status = $4, last_reason = $5, "
    "last_due_ms = $6 WHERE number = $1";
constexpr std::string_view kPause =
    "UPDATE jobs SET state = 'paused', state_by = 'rouse', state_reason = $2, state_ms = $3, "
    "next_ms = NULL WHERE number = $1 AND state = 'active'";

bool is_scheduled(TurnKind kind) {
  return kind == TurnKind::kAutomation || kind == TurnKind::kIsolated;
}

std::string run_id(const Job& job, const Occurrence& occurrence) {
  std::string id = fmt::format("{}:{}", job.id, occurrence.due.unix_ms);
  if (occurrence.attempt > 1) id += fmt::format(":{}", occurrence.attempt);
  return id;
}

// An automation is no word of its owner's: it must not end a taint that came from elsewhere, and
// what untrusted words made stays untrusted (design.md, rule 8).
std::string_view trigger_provenance(const Job& job) {
  return job.provenance == kFromUntrusted ? kFromUntrusted : kFromAgent;
}

}  // namespace

// --- beginning -----------------------------------------------------------------------------------

Run AutomationDesk::run_for(const Job& job, const Occurrence& occurrence) {
  const WallTime now = parts_.clock.wall_now();
  const bool late = occurrence.attempt == 1 &&
                    (occurrence.reason == "late" || now - occurrence.due > seconds(60));
  TriggerPrompt prompt = render_trigger(job, occurrence.due, now, late);
  return {.number = parts_.ledger.next_run_number(),
          .id = run_id(job, occurrence),
          .workspace = job.workspace,
          .job = job.number,
          .job_id = job.id,
          .job_name = job.name,
          .due = occurrence.due,
          .attempt = occurrence.attempt,
          .kind = std::string(job_kind_name(job.kind)),
          .state = std::string(kQueued),
          .session_key = job.session_key,
          .prompt_ref = std::move(prompt.ref),
          .variables = std::move(prompt.variables),
          .prompt = std::move(prompt.text),
          .turn = TurnId::make(now, parts_.random),
          .queued = now,
          .late = late};
}

// The way back to people comes from the conversation, never from the job (S3-17): as they wrote
// last, they are answered; our own messages carry on what the one before them had.
Result<void> AutomationDesk::route(InboundMessage& message, const Job& job) {
  message.account = message.key.peer;
  TRY(const auto conversation, parts_.kernel.conversations().find(job.workspace, message.key));
  if (!conversation) {
    if (!is_bridged(message.key.channel)) return {};  // it begins here
    return fail(ConversationErrc::kNotFound,
                fmt::format("there is no conversation {} any more", message.key.str()));
  }
  TRY(const auto session, parts_.kernel.sessions().latest_of(conversation->id));
  auto at = session ? session->last_inbound : std::nullopt;
  const bool unified = message.key == SessionKey::unified();
  for (int i = 0; at && i < kRouteLookedAt; ++i) {
    TRY(const auto row, parts_.kernel.inbound().get(*at));
    if (!row) break;
    at = row->previous;
    if (!unified && row->channel != message.key.channel) continue;         // through another door
    if (row->channel == turn_kind_name(TurnKind::kSessionOpen)) continue;  // nobody wrote
    message.account = row->account;
    message.peer = row->peer;
    if (unified) message.transport = row->channel;
    return {};
  }
  return {};
}

Result<InboundMessage> AutomationDesk::message_for(const Job& job, const Run& run) {
  InboundMessage out{.workspace = job.workspace,
                     .key = {},
                     .account = {},
                     // With the turn's id: nobody else can take it first.
                     .message_id = fmt::format("run:{}:{}", run.id, run.turn->str()),
                     .content = text_content(trigger_words(job), trigger_provenance(job)),
                     .kind = TurnKind::kAutomation,
                     .heeds_reset_phrases = false};
  out.keeps_key = true;  // a job stays with the conversation it was made for (S3-46)
  out.meta = trigger_meta(job, run.id, run.prompt_ref, run.due);
  out.turn = run.turn;
  if (job.kind == JobKind::kBound) {
    TRY(out.key, SessionKey::parse(job.session_key));
    TRY_VOID(route(out, job));
  } else if (job.kind == JobKind::kIsolated) {
    out.kind = TurnKind::kIsolated;
    out.key = {"isolated", run.id};
    out.account = out.key.peer;
  } else {
    out.key = {"cron", job.id};  // the old way: a thread of its own
    out.account = out.key.peer;
  }
  return out;
}

Result<InboundMessage> AutomationDesk::output_for(const Job& job, const Run& run,
                                                  const std::string& session_key,
                                                  std::string_view from) {
  InboundMessage out{.workspace = job.workspace,
                     .key = {},
                     .account = {},
                     .message_id = std::string(kOutputIdPrefix) + run.id,
                     .content = text_content(trigger_words(job), from),
                     .kind = TurnKind::kAutomation,
                     .heeds_reset_phrases = false};
  out.keeps_key = true;
  out.meta = trigger_meta(job, run.id, run.prompt_ref, run.due);
  TRY(out.key, SessionKey::parse(session_key));
  TRY_VOID(route(out, job));
  return out;
}

Task<AutomationDesk::Start> AutomationDesk::begin(Job job, Occurrence occurrence) {
  Run run = run_for(job, occurrence);
  auto message = message_for(job, run);
  if (!message) {
    parts_.log.warn("automation.not_begun",
                    {{"automation", job.id}, {"message", message.error().message}});
    const bool for_good =
        message.error().is(ConversationErrc::kNotFound) || message.error().is(Errc::kInvalid);
    const bool ended = for_good && co_await fail_unbegun(job, occurrence, run, message.error());
    co_return Start{ended ? Begun::kOver : Begun::kLater};
  }
  message->also = {OccurrenceLedger::begin(occurrence), OccurrenceLedger::insert(run)};
  const auto submitted = co_await parts_.runner.submit(std::move(*message));
  if (submitted && !submitted->resolved.redelivered) {
    begun_.insert(*run.turn);
    const auto& accepted = submitted->resolved.accepted;
    const bool runs = accepted && accepted->state == "running";
    co_return Start{runs ? Begun::kRunning : Begun::kWaiting, run.turn};
  }
  parts_.log.warn("automation.not_begun",
                  {{"automation", job.id},
                   {"message", submitted ? "taken before" : submitted.error().message}});
  co_return Start{Begun::kLater};
}

Task<bool> AutomationDesk::tell_missed(Job job, std::vector<Statement> record) {
  const WallTime due = job.schedule.at;
  InboundMessage message{
      .workspace = job.workspace,
      .key = {},
      .account = {},
      .message_id = fmt::format("{}{}:{}", kMissedIdPrefix, job.number, due.unix_ms),
      .content = text_content(trigger_words(job), trigger_provenance(job)),
      .kind = TurnKind::kAutomation,
      .heeds_reset_phrases = false};
  message.keeps_key = true;
  message.meta = trigger_meta(job, fmt::format("{}:{}", job.id, due.unix_ms), {}, due);
  const auto key = SessionKey::parse(job.session_key);
  if (!key) co_return false;
  message.key = *key;
  if (!route(message, job)) co_return false;
  message.also = std::move(record);
  const auto told = co_await parts_.runner.submit(std::move(message));
  if (!told) parts_.log.warn("automation.not_told", {{"message", told.error().message}});
  co_return told && !told->resolved.redelivered;
}

// What such a message is answered with: "missed:<job number>:<due ms>".
Result<std::optional<Occasion>> AutomationDesk::missed_of(std::string_view id) {
  id.remove_prefix(kMissedIdPrefix.size());
  std::int64_t number = 0, due = 0;
  const char* end = id.data() + id.size();
  const auto first = std::from_chars(id.data(), end, number);
  if (first.ptr != end) std::from_chars(first.ptr + 1, end, due);
  TRY(const Job job, parts_.book.get(number));
  Occasion out;
  out.ready = fmt::format(
      "The automation \"{}\" was due {} and was not run: rouse was not there then, and now it is "
      "too late for it.",
      job.name, due_words({due}, job.schedule.zone, parts_.clock.wall_now()));
  return std::optional(std::move(out));
}

// There is nobody to tell it to but the record.
Task<bool> AutomationDesk::fail_unbegun(Job job, Occurrence occurrence, Run run, Error why) {
  const WallTime now = parts_.clock.wall_now();
  const RunEnd end = run_end(job, occurrence, {"failed", std::string(why.name)}, now);
  run.turn.reset();
  run.state = end.state;
  run.reason = end.reason;
  run.error = why.message;
  run.ended = now;
  Write write{end_statements(job, occurrence, end, now)};
  write.statements.push_back(OccurrenceLedger::insert(run));
  write.statements.push_back(ran_event(run, "", "", ""));
  std::ranges::move(log_lone_run(job, run, failure_line(job, end, now), now),
                    std::back_inserter(write.statements));
  const auto written = co_await parts_.database.write(std::move(write));
  if (written) parts_.events.committed(job.workspace);
  co_return written.has_value();
}

Task<Result<void>> AutomationDesk::end_unrun(Job job, Occurrence occurrence, std::string_view state,
                                             std::string_view reason) {
  // A skip ends a streak (CR-31).
  co_return co_await end(std::move(job), std::move(occurrence),
                         {.state = state, .reason = std::string(reason)});
}

Task<Result<void>> AutomationDesk::end(Job job, Occurrence occurrence, RunEnd end) {
  Write write{end_statements(job, occurrence, end, parts_.clock.wall_now())};
  const bool news = !end.also.empty() || !end.pause.empty() || end.state == kMissed;
  std::ranges::move(end.also, std::back_inserter(write.statements));
  CO_TRY_VOID(co_await parts_.database.write(std::move(write)));
  if (news) parts_.events.committed(job.workspace);
  co_await fold(job.number);
  co_return Result<void>{};
}

// --- the end -------------------------------------------------------------------------------------

Result<std::optional<AutomationDesk::Whole>> AutomationDesk::whole(const TurnId& turn) {
  TRY(auto run, parts_.ledger.run_of(turn));
  if (!run) return std::optional<Whole>();
  auto job = parts_.book.get(run->job);
  if (!job && (job.error().is(JobErrc::kNotFound) || job.error().is(StoreErrc::kCorrupt))) {
    return std::optional<Whole>();
  }
  if (!job) return std::unexpected(job.error());
  TRY(auto occurrence, parts_.ledger.at(run->job, run->due));
  if (!occurrence || occurrence->due != run->due) return std::optional<Whole>();
  return std::optional(Whole{std::move(*run), std::move(*job), std::move(*occurrence)});
}

std::vector<Statement> AutomationDesk::end_statements(const Job& job, const Occurrence& occurrence,
                                                      const RunEnd& end, WallTime now) {
  std::vector<Statement> out;
  if (end.retry) {
    out.push_back(OccurrenceLedger::retry(occurrence, *end.retry, end.reason));
    return out;
  }
  out.push_back(OccurrenceLedger::end(job.number, occurrence.due, end.state, end.reason, now));
  out.push_back({kNoteEnd,
                 {job.number, end.failures,
                  end.backoff ? Value(end.backoff->unix_ms) : Value(std::monostate{}),
                  std::string(end.state), end.reason, occurrence.due.unix_ms},
                 {}});
  if (end.state == kMissed) {
    const Covered span{occurrence.due, occurrence.due, 1, kMissed, end.reason};
    std::ranges::move(log_missed(job, span, now), std::back_inserter(out));
  }
  if (!end.pause.empty()) {
    // What is due but not claimed yet counts as paused, too: resume() begins there.
    const WallTime since = job.next && *job.next <= now ? *job.next - millis(1) : now;
    out.push_back({kPause, {job.number, end.pause, since.unix_ms}, {}});
    std::ranges::move(log_auto_pause(job, end.pause, now), std::back_inserter(out));
  } else if (!job.next) {
    out.push_back(finish_job(job.number, end.state, now));
  }
  return out;
}

Result<std::vector<Statement>> AutomationDesk::at_close(const Turn& turn, const Session& session,
                                                        const std::string& response,
                                                        const Verdict& verdict) {
  if (!is_scheduled(turn.kind)) return std::vector<Statement>();
  TRY(auto found, whole(turn.id));
  if (!found) return std::vector<Statement>();
  const WallTime now = parts_.clock.wall_now();
  const auto failure = failures_.find(turn.id);
  const bool failed = failure != failures_.end();
  const RunEnd end = run_end(found->job, found->occurrence, verdict, now,
                             failed ? failure->second.retry_after : Millis{0});
  std::vector<Statement> out = end_statements(found->job, found->occurrence, end, now);
  Run& run = found->run;
  run.state = end.state;
  run.reason = end.reason;
  run.conversation = turn.conversation;
  run.session = session.id;
  run.model = turn.model.value_or("");
  run.tokens_in = turn.tokens_in;
  run.tokens_out = turn.tokens_out;
  run.cost_micros = turn.cost_micros;
  run.ended = now;
  if (failed) run.error = failure->second.story;
  if (found->job.kind != JobKind::kBound) {
    run.answer = response;
    run.routed = "pending";
  }
  out.push_back(OccurrenceLedger::end(run));
  const bool lasts = found->job.kind != JobKind::kIsolated;  // else its conversation is about to go
  out.push_back(lasts ? ran_event(run, turn.conversation.str(), session.id.str(), turn.id.str())
                      : ran_event(run, "", "", ""));
  if (!lasts && !end.retry) {
    std::ranges::move(log_lone_run(found->job, run, response, now), std::back_inserter(out));
  }
  ending_[turn.id] = run;
  return out;
}

void AutomationDesk::closed(const TurnId& turn) {
  failures_.erase(turn);
  const auto found = ending_.extract(turn);
  if (!found.empty()) {
    parts_.loop.spawn("fold automation", fold(found.mapped().job));
    if (on_ended_) on_ended_(turn, found.mapped());
  } else if (begun_.contains(turn)) {
    parts_.loop.spawn("settle automation", settle_unclosed(turn));
  }
  begun_.erase(turn);
  if (on_over_) on_over_(turn);
}

void AutomationDesk::given_up(const TurnId& turn) {
  failures_.erase(turn);
  ending_.erase(turn);
  begun_.erase(turn);
  if (on_over_) on_over_(turn);
}

// A bug kept us out of the close of its turn: the turn is over, so the occurrence is, too.
Task<void> AutomationDesk::settle_unclosed(TurnId turn) {
  const auto found = whole(turn);
  if (!found || !*found) co_return;
  const auto settled = co_await settle_open((*found)->occurrence);
  if (!settled) parts_.log.warn("automation.not_settled", {{"message", settled.error().message}});
}

Task<void> AutomationDesk::fold(std::int64_t job) {
  const auto folded = co_await parts_.ledger.fold(job);
  if (!folded) parts_.log.warn("automation.not_folded", {{"message", folded.error().message}});
}

// --- for the runner ------------------------------------------------------------------------------

// Where its last run began: its report and everything said about it since belong into the prompt.
Result<std::optional<std::int64_t>> AutomationDesk::said_since(const Run& run) {
  std::int64_t number = run.number;
  for (int i = 0; i < kRunsLookedAt; ++i) {  // one that was dropped before it began said nothing
    TRY(const auto before, parts_.ledger.run_before(run.job, number));
    if (!before) break;
    number = before->number;
    if (!before->turn || before->session_key != run.session_key) continue;
    TRY(const auto turn, parts_.kernel.turns().get(*before->turn));
    if (turn && turn->first_seq) return std::optional(*turn->first_seq - 1);
  }
  return std::optional<std::int64_t>();
}

// Which run's words a turn says is known by the message it answers: a restart changes nothing.
Result<std::optional<Occasion>> AutomationDesk::output_of(const Turn& turn) {
  if (turn.kind != TurnKind::kAutomation || !turn.inbound) return std::optional<Occasion>();
  TRY(const auto row, parts_.kernel.inbound().get(*turn.inbound));
  if (row && row->message_id && row->message_id->starts_with(kMissedIdPrefix)) {
    return missed_of(*row->message_id);
  }
  if (!row || !row->message_id || !row->message_id->starts_with(kOutputIdPrefix)) {
    return std::optional<Occasion>();
  }
  TRY(const auto run,
      parts_.ledger.run(turn.workspace, row->message_id->substr(kOutputIdPrefix.size())));
  Occasion out;
  out.ready = run ? run->answer : std::string(kOutputGone);
  return std::optional(std::move(out));
}

Result<std::optional<Occasion>> AutomationDesk::of_turn(const Turn& turn) {
  TRY(const auto found, whole(turn.id));
  if (!found) return output_of(turn);
  Occasion out;
  out.prompt = found->run.prompt;
  out.deadline = found->job.timeout;
  out.tools = found->job.extra.tools;
  if (found->job.kind == JobKind::kIsolated) {
    out.model = "cheap";
    if (found->job.workspace == Workspaces::default_id()) {
      out.folder = found->job.extra.project_path;
    }
  }
  if (found->job.kind != JobKind::kIsolated) {
    TRY(out.since, said_since(found->run));
  }
  return std::optional(std::move(out));
}

OccasionEnd AutomationDesk::closing(const Turn& turn, OccasionEnd end, const std::string& error) {
  if (!error.empty()) failures_[turn.id] = {error, end.retry_after};
  const auto found = whole(turn.id);
  if (!found || !*found) return end;
  const Job& job = (*found)->job;
  if (end.verdict.kind == "failed" && end.verdict.reason == "empty_answer") {
    return {{"spoke", std::string(kEmptyReason)}, empty_line(job)};
  }
  const WallTime now = parts_.clock.wall_now();
  const RunEnd how = run_end(job, (*found)->occurrence, end.verdict, now, end.retry_after);
  if (how.state == kRunError || how.state == kRunTimeout) {
    const std::string line = failure_line(job, how, now);
    const bool partial =
        end.verdict.kind == "interrupted" && end.words.find("\n\n(") != std::string::npos;
    end.words = partial ? end.words + "\n\n" + line : line;
  }
  return end;
}

// --- what waits and is not wanted ----------------------------------------------------------------

Task<void> AutomationDesk::drop_waiting(TurnId turn, std::string reason) {
  const auto dropped = co_await parts_.runner.drop_waiting(turn, std::move(reason));
  if (!dropped) parts_.log.warn("automation.not_dropped", {{"message", dropped.error().message}});
}

void AutomationDesk::withdraw(const Job& job) {
  const auto open = parts_.ledger.open_of(job.number);
  if (!open || !*open) return;
  const auto run = parts_.ledger.newest_run(job.number, (*open)->due);
  if (!run || !*run || !(*run)->turn) return;
  parts_.loop.spawn("withdraw automation",
                    drop_waiting(*(*run)->turn, std::string(job_state_name(job.state))));
}

Task<Result<void>> AutomationDesk::look_around() {
  failures_.clear();  // of those that the recovery has closed
  ending_.clear();
  std::int64_t job = 0;
  WallTime due{std::numeric_limits<std::int64_t>::min()};
  while (true) {
    CO_TRY(const auto page, co_await parts_.ledger.open_after(job, due, kLookedAtOnce));
    if (page.empty()) co_return Result<void>{};
    job = page.back().job;
    due = page.back().due;
    for (const Occurrence& open : page) {
      if (open.state == kQueued) CO_TRY_VOID(co_await settle_open(open));
    }
  }
}

// Queued, and its turn is over or was never there: nobody else will end it.
Task<Result<void>> AutomationDesk::settle_open(Occurrence open) {
  CO_TRY(auto run, parts_.ledger.newest_run(open.job, open.due));
  if (run && run->turn) {
    CO_TRY(const auto turn, parts_.kernel.turns().get(*run->turn));
    if (turn && !turn->over()) co_return Result<void>{};
  }
  const WallTime now = parts_.clock.wall_now();
  Write write{{OccurrenceLedger::end(open.job, open.due, kRunInterrupted, "restart", now)}};
  const auto job = parts_.book.get(open.job);
  if (job) {  // one that can't be read must not keep the server from starting (CR-27)
    const RunEnd end{.state = kRunInterrupted, .reason = "restart", .failures = job->failures};
    write.statements = end_statements(*job, open, end, now);
  }
  if (run && !run->ended) {
    run->state = kRunInterrupted;
    run->reason = "restart";
    run->ended = now;
    if (run->kind != job_kind_name(JobKind::kBound)) run->routed = "pending";
    write.statements.push_back(OccurrenceLedger::end(*run));
  }
  CO_TRY_VOID(co_await parts_.database.write(std::move(write)));
  co_return Result<void>{};
}

}  // namespace rouse
