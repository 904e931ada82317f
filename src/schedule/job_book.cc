#include "schedule/job_book.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>

#include <fmt/format.h>

#include "base/text.h"
#include "base/text_check.h"
#include "schedule/job_activity.h"
#include "schedule/job_checks.h"
#include "schedule/job_rows.h"
#include "schedule/occurrence_ledger.h"
#include "store/values.h"

namespace rouse {
namespace {

constexpr std::size_t kKeyBytes = 200;
constexpr std::int64_t kSettledAtOnce = 2'000'000;  // instants counted in one go
constexpr std::size_t kBoundListed = 1'000;
constexpr int kTries = 5;                       // at a change
constexpr std::int64_t kLookedThrough = 5'000;  // numbers, in one go

constexpr std::string_view kLast = "SELECT COALESCE(MAX(number), 0) FROM jobs";
constexpr std::string_view kById =
    "SELECT " JOB_COLUMNS " FROM jobs WHERE workspace_id = $1 AND job_id = $2";
constexpr std::string_view kByNumber = "SELECT " JOB_COLUMNS " FROM jobs WHERE number = $1";
constexpr std::string_view kByKey =
    "SELECT " JOB_COLUMNS " FROM jobs WHERE workspace_id = $1 AND made_key = $2";
constexpr std::string_view kPage =
    "SELECT " JOB_COLUMNS
    " FROM jobs WHERE workspace_id = $1 AND number > $2 AND state <> 'removed' "
    "ORDER BY number LIMIT $3";
constexpr std::string_view kPageOfSession =
    "SELECT " JOB_COLUMNS
    " FROM jobs WHERE workspace_id = $1 AND session_key = $4 AND number > $2 "
    "AND state <> 'removed' ORDER BY number LIMIT $3";
constexpr std::string_view kBoundTo =
    "SELECT " JOB_COLUMNS
    " FROM jobs WHERE workspace_id = $1 AND session_key = $2 AND kind = 'bound' "
    "AND state <> 'removed' AND state <> 'done' ORDER BY number LIMIT 1000";
constexpr std::string_view kOfSource =
    "SELECT " JOB_COLUMNS
    " FROM jobs WHERE source = $1 AND workspace_id = $2 AND number > $3 AND state <> 'removed' "
    "AND source IN ('file', 'agent', 'system') ORDER BY number LIMIT 500";
constexpr std::string_view kSomeOf =
    "SELECT number FROM jobs WHERE workspace_id = $1 ORDER BY job_id LIMIT 100";
constexpr std::string_view kHowMany =
    "SELECT COUNT(*) FROM (SELECT 1 FROM jobs WHERE workspace_id = $1 AND state <> 'removed' "
    "LIMIT $2) AS some";
constexpr std::string_view kActiveByAgent =
    "SELECT COUNT(*) FROM jobs WHERE source = 'agent' AND workspace_id = $1 "
    "AND state IN ('active', 'paused') AND source IN ('file', 'agent', 'system') "
    "AND state <> 'removed'";

// Nothing of it is on the way any more. The highest number stays, so that none is given twice.
constexpr std::string_view kOver =
    "SELECT number FROM jobs WHERE number > $1 AND number <= $2 AND state IN ('done', 'removed') "
    "AND state_ms < $3 AND kind <> 'system' AND number < $4 "
    "AND NOT EXISTS (SELECT 1 FROM occurrences o WHERE o.job = jobs.number AND o.ended_ms IS NULL) "
    "AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.job = jobs.number AND r.routed = 'pending') "
    "ORDER BY number LIMIT 100";

Result<std::vector<Job>> jobs_from(const Rows& rows) {
  std::vector<Job> out;
  out.reserve(rows.size());
  for (const Row& row : rows) {
    auto job = job_from_row(row);
    if (job) out.push_back(std::move(*job));  // one that can't be read is the scheduler's to show
  }
  return out;
}

}  // namespace

JobBook::JobBook(Database& database, Clock& clock, Random& random, Workspaces& workspaces,
                 EventLog& events)
    : database_(database),
      clock_(clock),
      random_(random),
      workspaces_(workspaces),
      events_(events) {}

Result<void> JobBook::load() {
  TRY(const Rows rows, database_.read({kLast, {}}));
  last_number_ = rows.front().integer(0);
  return {};
}

std::string JobBook::owner_key(const std::string& session_key) const {
  return settings_.unified ? SessionKey::unified().str() : session_key;
}

// --- creating ------------------------------------------------------------------------------------

// What is wished, with every default filled in.
Result<Job> JobBook::job_of(const JobWish& wish) {
  TRY(const Workspace workspace, workspaces_.get(wish.workspace));
  const WallTime now = clock_.wall_now();
  Job job{.workspace = wish.workspace,
          .id = wish.id.value_or("00000000"),
          .name = trim(wish.name).empty() ? name_from(wish.message) : std::string(trim(wish.name)),
          .message = wish.message,
          .kind = wish.kind,
          .session_key = wish.session_key,
          .schedule = wish.schedule,
          .state_by = wish.source,
          .state_since = now,
          .extra = wish.extra,
          .provenance = wish.provenance,
          .source = wish.source,
          .key = wish.key,
          .made_in = wish.made_in,
          .made_by = wish.made_by,
          .created = now,
          .updated = now};
  if (job.schedule.zone.empty()) {
    job.schedule.zone = workspace.timezone.value_or(settings_.default_zone);
  }
  if (job.schedule.kind == ScheduleKind::kEvery && job.schedule.anchor == WallTime{}) {
    job.schedule.anchor = now;
  }
  job.catch_up = wish.catch_up.value_or(job.catch_up);
  job.catch_up_max = wish.catch_up_max.value_or(job.catch_up_max);
  job.window = wish.window.value_or(job.window);
  job.timeout = wish.timeout.value_or(job.timeout);
  if (!wish.enabled) job.state = JobState::kPaused;
  if (wish.enabled) job.next = next_due(job.schedule, now);
  return job;
}

Result<Job> JobBook::check(const JobWish& wish) {
  TRY(Job job, job_of(wish));
  TRY_VOID(check_job(job, clock_.wall_now()));
  return job;
}

Result<std::optional<Job>> JobBook::with_key(const WorkspaceId& workspace, const std::string& key) {
  TRY(const Rows rows, database_.read({kByKey, {workspace.str(), key}}));
  if (rows.empty()) return std::optional<Job>();
  TRY(Job job, job_from_row(rows.front()));
  if (job.state != JobState::kRemoved) return std::optional(std::move(job));
  return fail(JobErrc::kRemoved,
              fmt::format("automation {} was removed on {}; it is not made again by the same key",
                          job.id, to_iso(job.state_since)));
}

Task<Result<CreatedJob>> JobBook::create(JobWish wish) {
  if (wish.key) {
    CO_TRY_VOID(check_text("key", *wish.key, kKeyBytes));
    CO_TRY(auto there, with_key(wish.workspace, *wish.key));
    if (there) co_return CreatedJob{std::move(*there), true};
  }
  if (!settings_.held.empty()) {
    co_return fail(Errc::kUnavailable, "nothing would run this automation now: " + settings_.held);
  }
  CO_TRY(Job job, job_of(wish));
  if (!wish.id) job.id = random_.hex(4);
  CO_TRY_VOID(check_job(job, job.created));
  if (wish.id) {
    CO_TRY(auto back, co_await revive(job));
    if (back) co_return CreatedJob{std::move(*back), false};
  }
  if (wish.source == "agent") {
    CO_TRY(const Rows rows, database_.read({kActiveByAgent, {wish.workspace.str()}}));
    if (rows.front().integer(0) >= kJobsByAgent) {
      co_return fail(JobErrc::kTooMany,
                     fmt::format("agents have made {} automations here already; remove some first",
                                 kJobsByAgent));
    }
  }
  if (last_number_ >= kJobsOfWorkspace) {  // fewer were ever made: nobody needs to count
    CO_TRY(const Rows count, database_.read({kHowMany, {wish.workspace.str(), kJobsOfWorkspace}}));
    if (count.front().integer(0) >= kJobsOfWorkspace) {
      co_return fail(JobErrc::kTooMany,
                     fmt::format("a workspace has at most {} automations", kJobsOfWorkspace));
    }
  }
  job.number = ++last_number_;
  Write write;
  write.statements.push_back(insert_job(job));
  std::ranges::move(log_job_change(job, "created", job.source, job.created),
                    std::back_inserter(write.statements));
  const auto written = co_await database_.write(std::move(write));
  if (!written && written.error().is(StoreErrc::kConflict)) {
    if (job.key) {  // two asked at once
      CO_TRY(auto there, with_key(job.workspace, *job.key));
      if (there) co_return CreatedJob{std::move(*there), true};
    }
    co_return fail(Errc::kConflict,
                   fmt::format("there is an automation with the id '{}' already", job.id));
  }
  if (!written) co_return std::unexpected(written.error());
  events_.committed(job.workspace);
  if (on_change_) on_change_();
  co_return CreatedJob{std::move(job), false};
}

// What a file names again after it was gone is the same job, with its history.
Task<Result<std::optional<Job>>> JobBook::revive(Job wanted) {
  auto before = get(wanted.workspace, wanted.id);
  if (!before && before.error().is(JobErrc::kNotFound)) co_return std::optional<Job>();
  if (!before) co_return std::unexpected(before.error());
  if (before->state != JobState::kRemoved || before->source != wanted.source) {
    co_return std::optional<Job>();
  }
  wanted.number = before->number;
  wanted.created = before->created;
  CO_TRY(const WallTime recorded, recorded_until(*before));
  if (wanted.next) wanted.next = next_due(wanted.schedule, std::max(wanted.updated, recorded));
  const std::string by = wanted.source;
  CO_TRY(Job back, co_await change(*before, std::move(wanted), {}, "created", by));
  co_return std::optional(std::move(back));
}

// --- changing ------------------------------------------------------------------------------------

Result<Job> JobBook::changeable(const WorkspaceId& workspace, const std::string& id,
                                std::string_view by, Touch what) {
  TRY(Job job, get(workspace, id));
  if (job.state == JobState::kRemoved) {
    return fail(JobErrc::kNotFound, fmt::format("automation {} was removed on {} by {}", id,
                                                to_iso(job.state_since), job.state_by));
  }
  if (job.kind == JobKind::kSystem && by != "system") {
    return fail(JobErrc::kProtected,
                fmt::format("'{}' is one of rouse's own and can't be changed here", job.name));
  }
  if (job.source == "file" && by != "file" && what == Touch::kAll) {
    return fail(JobErrc::kDeclared,
                fmt::format("'{}' stands in schedule.json; change it there", job.id));
  }
  return job;
}

// The last instant something is recorded for. A clock that was set back must not make a job come
// due there again: what has a row has it once.
Result<WallTime> JobBook::recorded_until(const Job& job) {
  TRY(const auto newest, OccurrenceLedger(database_).newest(job.number));
  return newest ? newest->last : job.created;
}

// Instants after `after` that nobody will claim any more: one row says what became of them. Moves
// `next` behind them.
Result<std::vector<Statement>> JobBook::settle(Job& job, WallTime after, std::string_view reason) {
  const WallTime now = clock_.wall_now();
  OccurrenceLedger ledger(database_);
  TRY(const WallTime recorded, recorded_until(job));
  after = std::max(after, recorded);
  const DueSpan span = dues_between(job.schedule, after, now, kSettledAtOnce);
  job.next =
      next_due(job.schedule, span.count == kSettledAtOnce ? span.last : std::max(now, after));
  if (span.count == 0) return std::vector<Statement>();
  TRY(auto row, ledger.cover(job.number, span.first, span.last, span.count, kSkipped, reason,
                             database_.owner_epoch(), now));
  return std::vector{std::move(row)};
}

Task<Result<Job>> JobBook::change(const Job& before, Job after, std::vector<Statement> also,
                                  std::string_view what, std::string by) {
  const WallTime now = clock_.wall_now();
  after.updated = std::max(now, before.updated + millis(1));
  Write write;
  write.statements.push_back(change_job(before, after));
  std::ranges::move(also, std::back_inserter(write.statements));
  std::ranges::move(log_job_change(after, what, by, now), std::back_inserter(write.statements));
  const auto written = co_await database_.write(std::move(write));
  if (!written && written.error().is(StoreErrc::kConflict)) {
    co_return fail(
        Errc::kConflict,
        fmt::format("automation {} was changed or came due at this moment; try again", before.id));
  }
  if (!written) co_return std::unexpected(written.error());
  events_.committed(after.workspace);
  if (on_change_) on_change_();
  co_return after;
}

// A job may come due while somebody changes it: then the change begins anew.
Task<Result<Job>> JobBook::until_it_holds(std::function<Task<Result<Job>>()> attempt) {
  for (int i = 1;; ++i) {
    auto changed = co_await attempt();
    if (changed || !changed.error().is(Errc::kConflict) || i == kTries) co_return changed;
  }
}

Task<Result<Job>> JobBook::edit(WorkspaceId workspace, std::string id, JobEdit edit,
                                std::string by) {
  return until_it_holds([=, this] { return edit_once(workspace, id, edit, by); });
}
Task<Result<Job>> JobBook::pause(WorkspaceId workspace, std::string id, std::string by,
                                 std::string why) {
  return until_it_holds([=, this] { return pause_once(workspace, id, by, why); });
}
Task<Result<Job>> JobBook::resume(WorkspaceId workspace, std::string id, std::string by) {
  return until_it_holds([=, this] { return resume_once(workspace, id, by); });
}
Task<Result<Job>> JobBook::remove(WorkspaceId workspace, std::string id, std::string by) {
  return until_it_holds([=, this] { return remove_once(workspace, id, by); });
}

Task<Result<Job>> JobBook::edit_once(WorkspaceId workspace, std::string id, JobEdit edit,
                                     std::string by) {
  CO_TRY(const Job before, changeable(workspace, id, by, Touch::kAll));
  const WallTime now = clock_.wall_now();
  Job after = before;
  if (edit.name) after.name = trim(*edit.name);
  if (edit.message) after.message = *edit.message;
  if (after.name.empty()) after.name = name_from(after.message);
  if (edit.session_key) after.session_key = *edit.session_key;
  after.catch_up = edit.catch_up.value_or(after.catch_up);
  after.catch_up_max = edit.catch_up_max.value_or(after.catch_up_max);
  after.window = edit.window.value_or(after.window);
  after.timeout = edit.timeout.value_or(after.timeout);
  if (edit.extra) after.extra = *edit.extra;
  if (edit.provenance) after.provenance = *edit.provenance;
  after.failures = 0;
  after.backoff_until.reset();
  std::vector<Statement> also;
  if (edit.schedule) {
    Job old = before;
    if (before.next) {
      CO_TRY(also, settle(old, *before.next - millis(1), "edited"));
    } else if (before.state == JobState::kPaused) {
      CO_TRY(also, settle(old, before.state_since, "paused"));
      after.state_since = now;  // what comes due in the pause from here on, does so by the new one
    }
    after.schedule = *edit.schedule;
    if (after.schedule.zone.empty()) after.schedule.zone = before.schedule.zone;
    if (after.schedule.kind == ScheduleKind::kEvery && after.schedule.anchor == WallTime{}) {
      after.schedule.anchor = now;
    }
    if (after.state == JobState::kDone) {
      after.state = JobState::kActive;
      after.state_by = by;
      after.state_since = now;
    }
    CO_TRY(const WallTime recorded, recorded_until(before));
    const auto next = next_due(after.schedule, std::max(now, recorded));
    after.next = after.state == JobState::kActive ? next : std::nullopt;
    CO_TRY_VOID(check_job(after, now));
  } else {
    CO_TRY_VOID(check_job(after, WallTime{std::numeric_limits<std::int64_t>::min() / 2}));
  }
  co_return co_await change(before, std::move(after), std::move(also), "edited", std::move(by));
}

Task<Result<Job>> JobBook::pause_once(WorkspaceId workspace, std::string id, std::string by,
                                      std::string why) {
  CO_TRY(const Job before, changeable(workspace, id, by, Touch::kState));
  if (before.state == JobState::kPaused) co_return before;  // pausing twice is pausing once
  CO_TRY_VOID(check_lives(before));
  const WallTime now = clock_.wall_now();
  Job after = before;
  std::vector<Statement> also;
  if (before.next) {
    CO_TRY(also, settle(after, *before.next - millis(1), "paused"));
  }
  also.push_back(OccurrenceLedger::end_open(before.number, kSkipped, "paused", now));
  after.next.reset();
  after.state = JobState::kPaused;
  after.state_by = by;
  after.state_reason = utf8_prefix(trim(why), kJobNameBytes);
  after.state_since = now;
  CO_TRY(Job done, co_await change(before, std::move(after), std::move(also), "paused", by));
  if (on_withdrawn_) on_withdrawn_(done);
  co_return done;
}

Task<Result<Job>> JobBook::resume_once(WorkspaceId workspace, std::string id, std::string by) {
  CO_TRY(const Job before, changeable(workspace, id, by, Touch::kState));
  if (before.state == JobState::kActive) co_return before;
  CO_TRY_VOID(check_lives(before));
  Job after = before;
  CO_TRY(auto also, settle(after, before.state_since, "paused"));
  after.state = after.next ? JobState::kActive : JobState::kDone;
  after.state_by = by;
  after.state_reason = after.next ? "" : "its time came while it was paused";
  after.state_since = clock_.wall_now();
  after.failures = 0;
  after.backoff_until.reset();
  co_return co_await change(before, std::move(after), std::move(also), "resumed", std::move(by));
}

Task<Result<Job>> JobBook::remove_once(WorkspaceId workspace, std::string id, std::string by) {
  CO_TRY(const Job before, changeable(workspace, id, by, Touch::kAll));
  const WallTime now = clock_.wall_now();
  Job after = before;
  std::vector<Statement> also;
  if (before.next) {
    CO_TRY(also, settle(after, *before.next - millis(1), "removed"));
  } else if (before.state == JobState::kPaused) {
    CO_TRY(also, settle(after, before.state_since, "paused"));
  }
  also.push_back(OccurrenceLedger::end_open(before.number, kSkipped, "removed", now));
  after.next.reset();
  after.state = JobState::kRemoved;
  after.state_by = by;
  after.state_reason.clear();
  after.state_since = now;
  CO_TRY(Job done, co_await change(before, std::move(after), std::move(also), "removed", by));
  if (on_withdrawn_) on_withdrawn_(done);
  co_return done;
}

// --- reading -------------------------------------------------------------------------------------

Result<Job> JobBook::get(const WorkspaceId& workspace, const std::string& id) {
  TRY(const Rows rows, database_.read({kById, {workspace.str(), id}}));
  if (!rows.empty()) return job_from_row(rows.front());
  return fail(JobErrc::kNotFound, fmt::format("there is no automation '{}'", utf8_prefix(id, 80)));
}

Result<Job> JobBook::get(std::int64_t number) {
  TRY(const Rows rows, database_.read({kByNumber, {number}}));
  if (!rows.empty()) return job_from_row(rows.front());
  return fail(JobErrc::kNotFound, fmt::format("there is no automation number {}", number));
}

Task<Result<std::vector<Job>>> JobBook::list(WorkspaceId workspace, std::string session_key,
                                             std::int64_t after, std::size_t limit) {
  std::vector<Value> params{workspace.str(), after, static_cast<std::int64_t>(limit)};
  if (!session_key.empty()) params.emplace_back(session_key);
  CO_TRY(const Rows rows,
         co_await database_.read_page(
             {session_key.empty() ? kPage : kPageOfSession, std::move(params), limit}));
  co_return jobs_from(rows);
}

Result<std::vector<Job>> JobBook::bound_to(const WorkspaceId& workspace,
                                           const std::string& session_key) {
  TRY(const Rows rows, database_.read({kBoundTo, {workspace.str(), session_key}, kBoundListed}));
  return jobs_from(rows);
}

Task<Result<std::vector<Job>>> JobBook::of_source(WorkspaceId workspace, std::string source) {
  std::vector<Job> out;
  std::int64_t after = 0;
  while (true) {
    CO_TRY(const Rows rows,
           co_await database_.read_page({kOfSource, {source, workspace.str(), after}}));
    if (rows.empty()) co_return out;
    after = rows.back().integer(0);
    CO_TRY(auto jobs, jobs_from(rows));
    std::ranges::move(jobs, std::back_inserter(out));
  }
}

Task<Result<void>> JobBook::forget_all(Rows rows) {
  Write write;
  for (const Row& row : rows) {
    std::ranges::move(OccurrenceLedger::forget(row.integer(0)),
                      std::back_inserter(write.statements));
  }
  CO_TRY_VOID(co_await database_.write(std::move(write)));
  co_return Result<void>{};
}

Task<Result<void>> JobBook::forget(WorkspaceId workspace) {
  while (true) {
    CO_TRY(Rows rows, co_await database_.read_page({kSomeOf, {workspace.str()}}));
    if (rows.empty()) co_return Result<void>{};
    CO_TRY_VOID(co_await forget_all(std::move(rows)));
  }
}

// In steps of so many numbers: a million jobs are looked through without one long read.
Task<Result<void>> JobBook::prune(WallTime before, std::stop_token stop) {
  std::int64_t after = 0;
  while (after < last_number_ && !stop.stop_requested()) {
    const std::int64_t until = after + kLookedThrough;
    CO_TRY(Rows rows,
           co_await database_.read_page({kOver, {after, until, before.unix_ms, last_number_}}));
    after = rows.size() < 100 ? until : rows.back().integer(0);
    if (!rows.empty()) CO_TRY_VOID(co_await forget_all(std::move(rows)));
  }
  co_return Result<void>{};
}

}  // namespace rouse
