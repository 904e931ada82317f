#include "schedule/output/output_router.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "base/fault.h"
#include "base/local_time.h"
#include "base/text.h"
#include "session/outbox.h"

namespace rouse {
namespace {

constexpr std::size_t kRoutedAtOnce = 50;
constexpr std::size_t kLookedAtMessages = 500;
constexpr std::size_t kRoutedBytes = 1000;
constexpr std::string_view kUsualAccount = "default";

// It is nobody's conversation: whoever writes there next would not be told of a deleted one.
constexpr std::string_view kDropTombstone =
    "DELETE FROM tombstones WHERE workspace_id = $1 AND session_key = $2 "
    "AND finished_ms IS NOT NULL";
// By the last line of the answer (agent/notify_lines.h); it stands there since the turn's close.
constexpr std::string_view kAnnounced =
    "SELECT 1 FROM notifications WHERE workspace_id = $1 AND turn_id = $2 AND kind = 'automation' "
    "LIMIT 1";

SessionKey temporary_key(const Run& run) { return {"isolated", run.id}; }

bool went_well(const Run& run) { return run.state == kRunOk || run.state == kRunEmpty; }

// It never ran, and whoever saw to that knows.
bool was_withdrawn(const Run& run) {
  return run.state == kSkipped || run.state == kMissed || run.reason == "removed" ||
         run.reason == "paused";
}

std::string dated(std::string name, WallTime due, std::string_view zone) {
  constexpr std::string_view kDate = "{date}";
  const LocalTime day = local_time(due, zone);
  for (auto at = name.find(kDate); at != std::string::npos; at = name.find(kDate)) {
    name.replace(at, kDate.size(), fmt::format("{:04}-{:02}-{:02}", day.year, day.month, day.day));
  }
  return name;
}

bool has_untrusted(const Message& message) {
  return std::ranges::any_of(
      message.content, [](const ContentBlock& block) { return block.from == kFromUntrusted; });
}

}  // namespace

void OutputRouter::Parcel::went(std::string_view where) {
  if (!routed.empty()) routed += ", ";
  routed += where;
}

// --- one worker ----------------------------------------------------------------------------------

void OutputRouter::start() {
  running_ = true;
  parts_.loop.spawn("outputs", run());
}

Task<void> OutputRouter::stop() {
  stopping_.request_stop();
  wake_.request_stop();
  while (running_) (void)co_await parts_.clock.wait_for(millis(10));
}

void OutputRouter::nudge() {
  nudged_ = true;
  wake_.request_stop();
}

Task<void> OutputRouter::run() {
  int failures = 0;
  while (!stopping_.stop_requested()) {
    nudged_ = false;
    failures = co_await work_off() ? 0 : failures + 1;
    if (nudged_ || stopping_.stop_requested()) continue;
    wake_ = std::stop_source();
    const Millis pause =
        std::min(seconds(1) * (std::int64_t{1} << std::min(failures, 6)), minutes(1));
    const MonoTime until = failures > 0 ? parts_.clock.mono_now() + pause : kNever;
    (void)co_await parts_.clock.wait_until(until, wake_.get_token());
  }
  running_ = false;
}

// False: something is left for another try. One that can't be brought holds up nobody else.
Task<bool> OutputRouter::work_off() {
  bool all = true;
  std::int64_t after = 0;
  while (!stopping_.stop_requested()) {
    const auto page = co_await parts_.ledger.unrouted(after, kRoutedAtOnce);
    if (!page) {
      parts_.log.warn("outputs.not_read", {{"message", page.error().message}});
      co_return false;
    }
    if (page->empty()) break;
    after = page->back().number;
    for (const Run& run : *page) {
      if (stopping_.stop_requested()) co_return false;
      const auto brought = co_await bring(run);
      if (brought) continue;
      all = false;
      parts_.log.warn("output.not_routed", {{"run", run.id}, {"message", brought.error().message}});
    }
  }
  co_return all;
}

Task<Result<void>> OutputRouter::bring(Run run) {
  auto job = parts_.book.get(run.job);
  if (!job && !job.error().is(JobErrc::kNotFound)) co_return std::unexpected(job.error());
  const auto kind = parse_job_kind(run.kind);
  if (kind == JobKind::kIsolated) {
    // Without its job nobody says where it should go.
    if (job) co_return co_await bring_isolated(std::move(run), std::move(*job));
    CO_TRY_VOID(co_await destroy(run));
  } else if (kind == JobKind::kLegacy && job) {
    co_return co_await bring_legacy(std::move(run), std::move(*job));
  }
  co_return co_await settle({.run = std::move(run), .routed = "dropped"});
}

// --- isolated ------------------------------------------------------------------------------------

Task<Result<void>> OutputRouter::bring_isolated(Run run, Job job) {
  const WallTime now = parts_.clock.wall_now();
  Parcel parcel{.run = run, .job = job, .failed = !went_well(run), .words = run.answer};
  parcel.untrusted = is_untrusted(run, job);
  CO_TRY(const bool again, goes_on(run));
  const JobOutput output = job.extra.output.value_or(JobOutput{});
  const bool silent = again || was_withdrawn(run);
  if (silent) {
    parcel.routed = again ? "retried" : "dropped";
  } else if (parcel.failed && (parcel.words.empty() || run.state == kRunInterrupted)) {
    const RunEnd end{run.state, run.reason, {}, {}, 0, ""};
    parcel.words = failure_line(job, end, now);
  }
  if (!silent && !parcel.failed && output.file) co_await into_file(parcel);
  CO_TRY_VOID(co_await destroy(run));
  FAULT_POINT("output.after_destroy");
  parcel.statements.push_back(
      {kDropTombstone, {run.workspace.str(), temporary_key(run).str()}, {}});
  if (silent) co_return co_await settle(std::move(parcel));
  const bool named = output.file || output.session_key;
  CO_TRY(const bool announced, was_announced(run));
  if (announced) {
    parcel.went("notified");
  } else if (parcel.failed || output.notify.value_or(!named)) {
    notify(parcel);
  }
  if (!parcel.failed && output.session_key) {
    CO_TRY(const bool told, co_await into_conversation(parcel));
    if (told) co_return Result<void>{};
  }
  if (parcel.routed.empty()) parcel.routed = "kept";
  co_return co_await settle(std::move(parcel));
}

// Another try of the same occurrence follows.
Result<bool> OutputRouter::goes_on(const Run& run) {
  if (went_well(run)) return false;
  TRY(const auto occurrence, parts_.ledger.at(run.job, run.due));
  return occurrence && occurrence->due == run.due && !occurrence->ended;
}

// The agent has told of it already, with a subject of its own: once is enough.
Result<bool> OutputRouter::was_announced(const Run& run) {
  if (!run.turn || !went_well(run)) return false;
  TRY(const Rows rows, parts_.database.read({kAnnounced, {run.workspace.str(), run.turn->str()}}));
  return !rows.empty();
}

// What was foreign in its prompt stays foreign elsewhere (design.md, rule 8). If nobody can look
// any more, it counts as such.
bool OutputRouter::is_untrusted(const Run& run, const Job& job) {
  if (job.provenance == kFromUntrusted || !run.conversation) return true;
  const auto conversation = parts_.kernel.conversations().get(run.workspace, *run.conversation);
  if (!conversation) return true;
  const auto said = parts_.kernel.messages().tail(*run.conversation, {}, kLookedAtMessages);
  // A part of a transcript that is too long to be looked at says nothing about the rest.
  if (!said || said->empty() || said->back().seq > 1) return true;
  return std::ranges::any_of(*said, has_untrusted);
}

Task<void> OutputRouter::into_file(Parcel& parcel) {
  const Job& job = parcel.job;
  const std::string name = dated(*job.extra.output->file, parcel.run.due, job.schedule.zone);
  Result<void> kept = fail(Errc::kUnavailable, "no files are kept here");
  if (keep_file_) {
    kept = co_await keep_file_({.workspace = job.workspace,
                                .project_folder = job.extra.project_path.value_or(""),
                                .name = name,
                                .text = parcel.words});
  }
  if (kept) co_return parcel.went("file:" + name);
  parcel.went("failed: " + kept.error().message);
  notify(parcel);  // what can't be kept is shown, at least
}

// True: everything about it is durable.
Task<Result<bool>> OutputRouter::into_conversation(Parcel& parcel) {
  const std::string& key = *parcel.job.extra.output->session_key;
  auto message = parts_.desk.output_for(parcel.job, parcel.run, key,
                                        parcel.untrusted ? kFromUntrusted : kFromAgent);
  std::string problem;
  if (message) {
    Parcel there = parcel;
    there.went("conversation:" + key);
    message->also = there.statements;
    message->also.push_back(
        OccurrenceLedger::set_routed(parcel.run.number, utf8_prefix(there.routed, kRoutedBytes)));
    const auto submitted = co_await parts_.runner.submit(std::move(*message));
    if (submitted && !submitted->resolved.redelivered) {
      parts_.notifications.told(parcel.run.workspace);
      co_return true;
    }
    if (submitted) {
      parcel.went("conversation:" + key);
      co_return false;
    }
    const bool too_late =
        parts_.clock.wall_now() - parcel.run.ended.value_or(parcel.run.due) > kRoutingLife;
    if (!too_late) co_return std::unexpected(submitted.error());
    problem = submitted.error().message;
  } else {
    problem = message.error().message;
  }
  parcel.went("failed: " + problem);
  if (parcel.routed.find("notified") == std::string::npos) notify(parcel);
  co_return false;
}

Task<Result<void>> OutputRouter::destroy(const Run& run) {
  const std::string name = run.conversation ? run.conversation->str() : temporary_key(run).str();
  const auto gone = co_await parts_.deletes.remove(run.workspace, name);
  if (!gone && !gone.error().is(ConversationErrc::kNotFound)) {
    co_return std::unexpected(gone.error());
  }
  co_return Result<void>{};
}

// --- legacy --------------------------------------------------------------------------------------

Task<Result<void>> OutputRouter::bring_legacy(Run run, Job job) {
  const LegacyDelivery delivery = job.extra.legacy.value_or(LegacyDelivery{});
  Parcel parcel{.run = run, .job = job, .words = run.answer};
  const bool wanted = delivery.deliver.value_or(false) && delivery.channel && delivery.to;
  if (!wanted || run.state != kRunOk || run.answer.empty()) {
    parcel.routed = "kept";
    co_return co_await settle(std::move(parcel));
  }
  if (!serves_ || !serves_(*delivery.channel) || !run.conversation || !run.turn) {
    parcel.routed = fmt::format("failed: nothing is sent over '{}' here", *delivery.channel);
    co_return co_await settle(std::move(parcel));
  }
  const Evaluation verdict =
      co_await parts_.evaluator.evaluate_response({.workspace = job.workspace,
                                                   .zone = job.schedule.zone,
                                                   .task = job.message,
                                                   .response = run.answer});
  if (!verdict.deliver) {
    parcel.routed = "kept: " + verdict.reason;
    co_return co_await settle(std::move(parcel));
  }
  const WallTime now = parts_.clock.wall_now();
  parcel.statements.push_back(Outbox::insert({.id = OutboxId::make(now, parts_.random),
                                              .workspace = job.workspace,
                                              .conversation = *run.conversation,
                                              .turn = *run.turn,
                                              .to = {*delivery.channel, *delivery.to},
                                              .account = std::string(kUsualAccount),
                                              .text = run.answer,
                                              .created = now,
                                              .next_try = now}));
  parcel.routed = fmt::format("sent:{}:{}", *delivery.channel, *delivery.to);
  CO_TRY_VOID(co_await settle(std::move(parcel)));
  if (told_) told_();
  co_return Result<void>{};
}

// --- the end -------------------------------------------------------------------------------------

void OutputRouter::notify(Parcel& parcel) {
  // Without its conversation: that of an isolated run is gone.
  std::ranges::move(parts_.notifications.say({.workspace = parcel.job.workspace,
                                              .kind = "automation",
                                              .subject = parcel.job.name,
                                              .text = parcel.words,
                                              .automation = parcel.job.id,
                                              .run = parcel.run.id,
                                              .untrusted = parcel.untrusted && !parcel.failed}),
                    std::back_inserter(parcel.statements));
  parcel.went("notified");
}

Task<Result<void>> OutputRouter::settle(Parcel parcel) {
  Write write{std::move(parcel.statements)};
  write.statements.push_back(
      OccurrenceLedger::set_routed(parcel.run.number, utf8_prefix(parcel.routed, kRoutedBytes)));
  CO_TRY_VOID(co_await parts_.database.write(std::move(write)));
  parts_.notifications.told(parcel.run.workspace);
  co_return Result<void>{};
}

}  // namespace rouse
