// The half of the scheduler that claims: what is due gets its rows before anything begins.
#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "base/fault.h"
#include "schedule/job_activity.h"
#include "schedule/job_rows.h"
#include "schedule/scheduler.h"
#include "store/values.h"

namespace rouse {
namespace {

constexpr std::size_t kJobsAtOnce = 200;
constexpr std::int64_t kInstantsAtOnce = 20'000;  // looked at before others have their turn

constexpr std::string_view kDue =
    "SELECT " JOB_COLUMNS
    ", EXISTS (SELECT 1 FROM occurrences o WHERE o.job = jobs.number AND o.ended_ms IS NULL) "
    "FROM jobs WHERE next_ms IS NOT NULL AND next_ms <= $1 ORDER BY next_ms, number LIMIT $2";
constexpr std::string_view kMoveOn =
    "UPDATE jobs SET next_ms = $2 WHERE number = $1 AND next_ms = $3 AND state = 'active'";
constexpr std::string_view kNoteUnrun =
    "UPDATE jobs SET last_status = $2, last_reason = $3, last_due_ms = $4 WHERE number = $1";
constexpr std::string_view kQuarantine =
    "UPDATE jobs SET state = 'quarantined', state_by = 'rouse', state_reason = $2, state_ms = $3, "
    "next_ms = NULL WHERE number = $1";

}  // namespace

// The statements that settle one job's due instants.
Result<Scheduler::Claim> Scheduler::claim_of(Job job, bool has_open, WallTime now) {
  const ClaimPlan plan =
      plan_claim(job, {.now = now, .alive_since = alive_since_, .has_open = has_open});
  const std::int64_t epoch = parts_.database.owner_epoch();
  Claim claim;
  std::vector<Statement>& out = claim.statements;
  out.push_back({kMoveOn,
                 {job.number, plan.next ? Value(plan.next->unix_ms) : Value(std::monostate{}),
                  job.next->unix_ms},
                 1});
  bool first = true;
  for (const Covered& one : plan.covered) {
    claim.instants += one.count;
    claim.missed = claim.missed || one.state == kMissed;
    if (std::exchange(first, false)) {
      TRY(auto row, parts_.ledger.cover(job.number, one.first, one.last, one.count, one.state,
                                        one.reason, epoch, now));
      out.push_back(std::move(row));
    } else {
      out.push_back(OccurrenceLedger::insert(Occurrence{.job = job.number,
                                                        .due = one.first,
                                                        .last = one.last,
                                                        .count = one.count,
                                                        .state = std::string(one.state),
                                                        .reason = std::string(one.reason),
                                                        .epoch = epoch,
                                                        .attempt = 0,
                                                        .ready = now,
                                                        .claimed = now,
                                                        .ended = now}));
    }
    if (one.state == kMissed) std::ranges::move(log_missed(job, one, now), std::back_inserter(out));
  }
  for (const WallTime due : plan.run) {
    // Those that were missed begin one after the other, behind what is due now (CR-7).
    WallTime ready = now;
    if (plan.late) ready = late_slot_ = std::max(late_slot_ + options_.stagger, now);
    out.push_back(OccurrenceLedger::insert(Occurrence{.job = job.number,
                                                      .due = due,
                                                      .last = due,
                                                      .state = std::string(kClaimed),
                                                      .reason = plan.late ? "late" : "",
                                                      .epoch = epoch,
                                                      .ready = ready,
                                                      .claimed = now}));
  }
  stats_.claims += plan.run.size();
  if (plan.run.empty() && !plan.covered.empty()) {
    const Covered& last = plan.covered.back();
    out.push_back(
        {kNoteUnrun,
         {job.number, std::string(last.state), std::string(last.reason), last.last.unix_ms},
         {}});
    if (!plan.next && !has_open) {
      out.push_back(finish_job(job.number, last.state, now));
    }
  }
  claim.job = std::move(job);
  return claim;
}

// True: there may be more.
Task<Result<bool>> Scheduler::claim_page() {
  const WallTime now = parts_.clock.wall_now();
  CO_TRY(const Rows rows,
         parts_.database.read(
             {kDue, {now.unix_ms, static_cast<std::int64_t>(kJobsAtOnce)}, kJobsAtOnce}));
  if (rows.empty()) co_return false;
  std::vector<Claim> claims;
  claims.reserve(rows.size());
  std::int64_t instants = 0;
  for (const Row& row : rows) {
    auto job = job_from_row(row);
    // A schedule nobody can tell the next instant of is as unreadable as a broken row.
    if (job && job->schedule.kind != ScheduleKind::kAt && !next_due(job->schedule, *job->next)) {
      job = fail(StoreErrc::kCorrupt, fmt::format("the schedule of automation {} never comes due "
                                                  "any more: '{}' in {}",
                                                  job->id, job->schedule.expr, job->schedule.zone));
    }
    if (!job) {  // it must not keep the others from running (CR-27)
      parts_.log.error("automation.quarantined", {{"message", job.error().message}});
      Claim& claim = claims.emplace_back();
      claim.statements = {{kQuarantine, {row.integer(0), job.error().message, now.unix_ms}, 1}};
      continue;
    }
    CO_TRY(auto claim, claim_of(std::move(*job), row.integer(row.size() - 1) != 0, now));
    instants += claim.instants;
    if (is_told(claim) && co_await parts_.desk.tell_missed(claim.job, claim.statements)) {
      parts_.events.committed(claim.job.workspace);
    } else {
      claims.push_back(std::move(claim));
    }
    if (instants > kInstantsAtOnce) break;  // others want the loop, too
  }
  if (claims.empty()) co_return true;
  co_return co_await commit_claims(std::move(claims));
}

// A reminder that will never be said: somebody hears of that, in the write that makes it so (CR-3).
bool Scheduler::is_told(const Claim& claim) {
  return claim.missed && claim.job.kind == JobKind::kBound &&
         claim.job.schedule.kind == ScheduleKind::kAt;
}

// All of a page with one write; if one of them was changed at this very moment, each by itself.
Task<Result<bool>> Scheduler::commit_claims(std::vector<Claim> claims) {
  FAULT_POINT("schedule.before_claim");
  Write all;
  std::set<WorkspaceId> told;  // of what they missed
  for (const Claim& claim : claims) {
    if (claim.missed) told.insert(claim.job.workspace);
    std::ranges::copy(claim.statements, std::back_inserter(all.statements));
  }
  const auto written = co_await parts_.database.write(std::move(all));
  FAULT_POINT("schedule.after_claim");
  if (written) {
    for (const WorkspaceId& workspace : told) parts_.events.committed(workspace);
    co_return true;
  }
  if (!written.error().is(StoreErrc::kConflict)) co_return std::unexpected(written.error());
  SOMETIMES("schedule.claim_alone");
  bool any = false;
  for (Claim& claim : claims) {
    auto alone = co_await parts_.database.write(Write{std::move(claim.statements)});
    if (!alone && alone.error().is(StoreErrc::kConflict)) {
      CO_TRY(const bool moved, co_await step_over(claim.job));
      any = any || moved;
    } else if (!alone) {
      co_return std::unexpected(alone.error());
    } else {
      any = true;
      if (claim.missed) parts_.events.committed(claim.job.workspace);
    }
  }
  if (!any) co_return fail(StoreErrc::kConflict, "what is due can't be claimed");
  co_return true;
}

// A clock that was set back, and then an edit, can make an instant due that was settled before: it
// has its row, and the job goes on behind it.
Task<Result<bool>> Scheduler::step_over(const Job& job) {
  CO_TRY(const auto settled, parts_.ledger.newest(job.number));
  if (!job.next || !settled || settled->last < *job.next) co_return false;
  const auto next = next_due(job.schedule, settled->last);
  const auto moved = co_await parts_.database.write(
      one(kMoveOn,
          {job.number, next ? Value(next->unix_ms) : Value(std::monostate{}), job.next->unix_ms}));
  if (!moved) co_return std::unexpected(moved.error());
  co_return moved->rows_changed.front() == 1;
}

}  // namespace rouse
