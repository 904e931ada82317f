#include "schedule/scheduler.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "base/fault.h"
#include "schedule/job_rows.h"
#include "store/values.h"

namespace rouse {
namespace {

constexpr std::size_t kJobsAtOnce = 200;
constexpr std::size_t kLookedAtOnce = 64;
constexpr std::int64_t kInstantsAtOnce = 20'000;  // looked at before others have their turn
constexpr Millis kStall = seconds(120);           // twice the longest sleep (CR-12)
constexpr Millis kStallShown = minutes(10);
constexpr Millis kClockStep = seconds(60);
constexpr Millis kLaterPause = seconds(30);  // what can't begin is tried twice a minute (CR-13)

constexpr std::string_view kDue =
    "SELECT " JOB_COLUMNS
    ", EXISTS (SELECT 1 FROM occurrences o WHERE o.job = jobs.number AND o.ended_ms IS NULL) "
    "FROM jobs WHERE next_ms IS NOT NULL AND next_ms <= $1 ORDER BY next_ms, number LIMIT $2";
constexpr std::string_view kNextDue =
    "SELECT next_ms FROM jobs WHERE next_ms IS NOT NULL ORDER BY next_ms LIMIT 1";
constexpr std::string_view kMoveOn =
    "UPDATE jobs SET next_ms = $2 WHERE number = $1 AND next_ms = $3 AND state = 'active'";
constexpr std::string_view kNoteUnrun =
    "UPDATE jobs SET last_status = $2, last_reason = $3, last_due_ms = $4 WHERE number = $1";
constexpr std::string_view kFinish =
    "UPDATE jobs SET state = 'done', state_by = 'rouse', state_reason = $2, state_ms = $3 "
    "WHERE number = $1 AND state = 'active' AND next_ms IS NULL";
constexpr std::string_view kQuarantine =
    "UPDATE jobs SET state = 'quarantined', state_by = 'rouse', state_reason = $2, state_ms = $3, "
    "next_ms = NULL WHERE number = $1";

constexpr std::string_view kNoteStart =
    "INSERT INTO server_starts (started_ms) VALUES ($1) ON CONFLICT (started_ms) DO NOTHING";
constexpr std::string_view kNoteEnd =
    "UPDATE server_starts SET ended_ms = $2 WHERE started_ms = $1";
constexpr std::string_view kForgetStarts = "DELETE FROM server_starts WHERE started_ms < $1";
constexpr std::string_view kCrashes =
    "SELECT COUNT(*) FROM server_starts WHERE started_ms >= $1 AND ended_ms IS NULL";

struct MissedBody {
  std::string automation_id, name, reason, scheduled_for;
  std::int64_t count = 1;
};
auto shape(const MissedBody*) {
  return fields(field("automation_id", &MissedBody::automation_id, ""),
                field("name", &MissedBody::name, ""), field("reason", &MissedBody::reason, ""),
                field("scheduled_for", &MissedBody::scheduled_for, ""),
                field("count", &MissedBody::count, ""));
}

Statement missed_event(const Job& job, const Covered& missed, WallTime now) {
  return EventLog::append(
      {.workspace = job.workspace,
       .type = "automation_missed",
       .body = encode_json(MissedBody{job.id, job.name, std::string(missed.reason),
                                      to_iso(missed.last), missed.count}),
       .created = now});
}

}  // namespace

Scheduler::Scheduler(Parts parts) : parts_(parts) {
  parts_.desk.on_over([this](const TurnId& turn) {
    if (running_.erase(turn) + waiting_.erase(turn) > 0) nudge();
  });
  parts_.book.on_change([this] { nudge(); });
  parts_.book.on_withdrawn([this](const Job& job) { parts_.desk.withdraw(job); });
}

void Scheduler::configure(const SchedulerOptions& options) {
  options_ = options;
  if (hold_until_ && options_.crashes_to_hold == 0) hold_until_ = parts_.clock.mono_now();
  nudge();
}

void Scheduler::tell(const std::string& problem) {
  if (on_problem_) on_problem_(problem);
}

// --- starting and stopping -----------------------------------------------------------------------

Task<Result<void>> Scheduler::note_start() {
  life_ = parts_.clock.wall_now();
  CO_TRY(const Rows rows, parts_.database.read({kCrashes, {(life_ - kCrashSpan).unix_ms}}));
  const std::int64_t starts = rows.front().integer(0) + 1;
  Write write = one(kNoteStart, {life_.unix_ms});
  write.statements.push_back({kForgetStarts, {(life_ - days(1)).unix_ms}, {}});
  CO_TRY_VOID(co_await parts_.database.write(std::move(write)));
  if (options_.crashes_to_hold > 0 && starts >= options_.crashes_to_hold) {
    hold_until_ = parts_.clock.mono_now() + options_.hold;
    const std::string problem = fmt::format(
        "automations are held for {}: {} starts within {}, all but the first after a crash",
        to_words(options_.hold), starts, to_words(kCrashSpan));
    parts_.log.error("automations.held", {{"message", problem}});
    tell(problem);
  }
  co_return Result<void>{};
}

void Scheduler::start() {
  alive_since_ = parts_.clock.wall_now();
  last_wall_ = alive_since_;
  last_mono_ = parts_.clock.mono_now();
  planned_wake_ = last_mono_;
  spawn("scheduler", run());
}

// Tried again until it holds: a disk that is full at the start is not full for ever.
Task<Result<void>> Scheduler::settle_last_life() {
  if (!noted_) CO_TRY_VOID(co_await note_start());
  noted_ = true;
  CO_TRY_VOID(co_await parts_.desk.look_around());
  settled_ = true;
  co_return Result<void>{};
}

void Scheduler::stop() {
  stopping_.request_stop();
  wake_.request_stop();
}

Task<void> Scheduler::stop_in_order() {
  stop();
  if (tasks_ > 0) {
    (void)co_await complete_later<bool>(
        [this](Completer<bool> done) { all_ended_ = std::move(done); });
  }
  if (!noted_) co_return;
  (void)co_await parts_.database.write(
      one(kNoteEnd, {life_.unix_ms, parts_.clock.wall_now().unix_ms}));
}

void Scheduler::spawn(std::string name, Task<void> task) {
  ++tasks_;
  parts_.loop.spawn(std::move(name), counted(std::move(task)));
}

Task<void> Scheduler::counted(Task<void> task) {
  co_await std::move(task);
  if (--tasks_ == 0 && all_ended_) std::exchange(all_ended_, nullptr)(true);
}

void Scheduler::nudge() {
  nudged_ = true;
  wake_.request_stop();
}

// --- the clockwork -------------------------------------------------------------------------------

Task<void> Scheduler::run() {
  while (!stopping_.stop_requested()) {
    ++stats_.wakes;
    nudged_ = false;
    notice_time();
    const auto ticked = co_await tick();
    failures_ = ticked ? 0 : failures_ + 1;
    if (!ticked && !stopping_.stop_requested()) {
      parts_.log.warn("scheduler.tick_failed", {{"message", ticked.error().message}});
    }
    auto until = next_wake();
    if (!ticked || !until) {
      const Millis pause =
          std::min(seconds(1) * (std::int64_t{1} << std::min(failures_, 5)), seconds(30));
      nudged_ = false;  // nobody's nudge makes a full disk empty
      until = parts_.clock.mono_now() + pause;
    }
    co_await rest_until(*until);
  }
}

Task<void> Scheduler::rest_until(MonoTime time) {
  planned_wake_ = time;
  if (nudged_ || stopping_.stop_requested()) co_return;
  wake_ = std::stop_source();
  (void)co_await parts_.clock.wait_until(time, wake_.get_token());
  if (nudged_) planned_wake_ = parts_.clock.mono_now();
}

// Did the loop stall, was the machine asleep, was the clock set?
void Scheduler::notice_time() {
  const WallTime wall = parts_.clock.wall_now();
  const MonoTime mono = parts_.clock.mono_now();
  const Millis stall = planned_wake_ == kNever ? Millis{0} : mono - planned_wake_;
  if (stall > kStall) {
    const std::string problem =
        fmt::format("the scheduler stood still for {} until {}", to_words(stall), to_iso(wall));
    parts_.log.error("scheduler.stalled", {{"message", problem}});
    tell(problem);
    stall_shown_until_ = mono + kStallShown;
  }
  const Millis ahead = (wall - last_wall_) - (mono - last_mono_);
  if (ahead > kClockStep) {
    // Asleep, or the clock was set ahead: nobody was there in between.
    parts_.log.info("scheduler.time_jumped", {{"by", to_words(ahead)}});
    alive_since_ = wall;
  } else if (Millis{0} - ahead > kClockStep) {
    clock_set_back_ = true;
    late_slot_ = wall;
    parts_.log.warn("scheduler.clock_set_back", {{"by", to_words(Millis{0} - ahead)}});
    alive_since_ = std::min(alive_since_, wall);
  }
  last_wall_ = wall;
  last_mono_ = mono;
  if (hold_until_ && mono >= *hold_until_) {
    hold_until_.reset();
    tell("");
    parts_.log.info("automations.released", {});
  }
  if (stall_shown_until_ && mono >= *stall_shown_until_) {
    stall_shown_until_.reset();
    if (!hold_until_) tell("");
  }
}

Task<Result<void>> Scheduler::tick() {
  if (!settled_) CO_TRY_VOID(co_await settle_last_life());
  if (!options_.enabled || hold_until_) co_return Result<void>{};
  const auto claimed = co_await claim_due();
  drop_expired();
  const auto begun = co_await begin_ready();  // what can't be claimed doesn't hold up what was
  co_return claimed ? begun : claimed;
}

Task<Result<void>> Scheduler::claim_due() {
  if (clock_set_back_) {
    CO_TRY_VOID(co_await parts_.database.write(
        Write{{OccurrenceLedger::clock_was_set_back(parts_.clock.wall_now())}}));
    clock_set_back_ = false;
  }
  bool more = true;
  while (more && !stopping_.stop_requested()) {
    CO_TRY(more, co_await claim_page());
  }
  co_return Result<void>{};
}

Result<MonoTime> Scheduler::next_wake() {
  const MonoTime now = parts_.clock.mono_now();
  if (hold_until_) return *hold_until_;
  if (!options_.enabled) return kNever;
  TRY(const Rows due, parts_.database.read({kNextDue, {}}));
  std::optional<WallTime> first;
  if (!due.empty()) first = WallTime{due.front().integer(0)};
  if (running_.size() + beginning_ < options_.at_once) {
    TRY(auto ready, parts_.ledger.next_ready(looked_at_));
    if (begin_after_ > now) ready = parts_.clock.wall_now() + (begin_after_ - now);
    if (ready && (!first || *ready < *first)) first = ready;
  }
  const bool watching = stall_shown_until_ || !waiting_.empty();
  if (!first && !watching) return kNever;
  Millis pause = kLongestSleep;
  if (first) pause = std::clamp(*first - parts_.clock.wall_now(), Millis{0}, kLongestSleep);
  return now + pause;
}

// --- claiming ------------------------------------------------------------------------------------

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
    if (one.state == kMissed) out.push_back(missed_event(job, one, now));
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
      out.push_back({kFinish, {job.number, std::string(last.state), now.unix_ms}, {}});
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
    claims.push_back(std::move(claim));
    if (instants > kInstantsAtOnce) break;  // others want the loop, too
  }
  co_return co_await commit_claims(std::move(claims));
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
    for (Claim& claim : claims) tell_missed(std::move(claim.job), claim.missed);
    co_return true;
  }
  if (!written.error().is(StoreErrc::kConflict)) co_return std::unexpected(written.error());
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
    }
  }
  if (!any) co_return fail(StoreErrc::kConflict, "what is due can't be claimed");
  co_return true;
}

void Scheduler::tell_missed(Job job, bool missed) {
  if (!missed || job.kind != JobKind::kBound || job.schedule.kind != ScheduleKind::kAt) return;
  const WallTime due = job.schedule.at;
  spawn("missed automation", parts_.desk.tell_missed(std::move(job), due));
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

// --- beginning -----------------------------------------------------------------------------------

Task<Result<void>> Scheduler::begin_ready() {
  while (!stopping_.stop_requested() && parts_.clock.mono_now() >= begin_after_) {
    if (running_.size() + beginning_ >= options_.at_once) break;
    looked_at_ = parts_.clock.wall_now();
    CO_TRY(const auto ready, parts_.ledger.ready(looked_at_, kLookedAtOnce + under_way_.size()));
    std::size_t begun = 0;
    for (const Occurrence& one : ready) {
      if (under_way_.contains({one.job, one.due.unix_ms})) continue;
      CO_TRY_VOID(co_await begin_one(one));
      ++begun;
      if (running_.size() + beginning_ >= options_.at_once) break;
    }
    if (begun == 0) break;
  }
  co_return Result<void>{};
}

Task<Result<void>> Scheduler::begin_one(Occurrence occurrence) {
  auto job = parts_.book.get(occurrence.job);
  const WallTime now = parts_.clock.wall_now();
  if (!job) {
    const bool gone = job.error().is(JobErrc::kNotFound);
    if (!gone && !job.error().is(StoreErrc::kCorrupt)) co_return std::unexpected(job.error());
    CO_TRY_VOID(co_await parts_.database.write(Write{{OccurrenceLedger::end(
        occurrence.job, occurrence.due, kSkipped, gone ? "removed" : "quarantined", now)}}));
    co_return Result<void>{};
  }
  if (job->state != JobState::kActive && job->state != JobState::kDone) {
    CO_TRY_VOID(
        co_await parts_.desk.end_unrun(*job, occurrence, kSkipped, job_state_name(job->state)));
    co_return Result<void>{};
  }
  if (now - occurrence.due > std::max(job->window, kGrace)) {
    CO_TRY_VOID(co_await parts_.desk.end_unrun(*job, occurrence, kMissed, "expired"));
    co_return Result<void>{};
  }
  ++stats_.begun;
  ++beginning_;
  under_way_.insert({occurrence.job, occurrence.due.unix_ms});
  spawn("automation", go(std::move(*job), std::move(occurrence)));
  co_return Result<void>{};
}

// Side by side with others, so that their writes share a sync to the disk.
Task<void> Scheduler::go(Job job, Occurrence occurrence) {
  if (job.kind == JobKind::kSystem) {
    co_await run_system(job, occurrence);
  } else if (job.extra.gate && gate_) {
    co_await begin_gated(job, occurrence);
  } else {
    co_await begin_now(job, occurrence);
  }
  --beginning_;
  under_way_.erase({occurrence.job, occurrence.due.unix_ms});
  nudge();
}

Task<void> Scheduler::begin_now(Job job, Occurrence occurrence) {
  const WallTime until = parts_.clock.wall_now() + std::max(job.window, kGrace);
  FAULT_POINT("schedule.before_begin");
  const auto start = co_await parts_.desk.begin(job, occurrence);
  FAULT_POINT("schedule.after_begin");
  if (start.begun == AutomationDesk::Begun::kRunning) running_.insert(*start.turn);
  if (start.begun == AutomationDesk::Begun::kWaiting) waiting_.emplace(*start.turn, until);
  if (start.begun != AutomationDesk::Begun::kLater || stopping_.stop_requested()) co_return;
  const WallTime ready = parts_.clock.wall_now() + kLaterPause;
  const auto postponed = co_await parts_.database.write(
      Write{{OccurrenceLedger::postpone(occurrence, ready, "later")}});
  if (!postponed) begin_after_ = parts_.clock.mono_now() + kLaterPause;
}

// A gate that says no is a skip, and no failure.
Task<void> Scheduler::begin_gated(Job job, Occurrence occurrence) {
  const auto open = co_await gate_(job, stopping_.get_token());
  if (stopping_.stop_requested()) co_return;
  if (open && *open) co_return co_await begin_now(std::move(job), std::move(occurrence));
  if (!open) {
    parts_.log.warn("automation.gate_failed",
                    {{"automation", job.id}, {"message", open.error().message}});
  }
  const auto ended =
      co_await parts_.desk.end_unrun(job, occurrence, kSkipped, open ? "gate" : "gate_failed");
  if (!ended) begin_after_ = parts_.clock.mono_now() + kLaterPause;
}

Task<void> Scheduler::run_system(Job job, Occurrence occurrence) {
  RunEnd end{.state = kSkipped, .reason = "off"};
  if (system_) end = co_await system_(job, stopping_.get_token());
  if (stopping_.stop_requested()) co_return;
  const auto ended = co_await parts_.desk.end_unrun(job, occurrence, end.state, end.reason);
  if (!ended) begin_after_ = parts_.clock.mono_now() + kLaterPause;
}

// Waiting for a busy conversation has an end, too (CR-16).
void Scheduler::drop_expired() {
  const WallTime now = parts_.clock.wall_now();
  for (auto one = waiting_.begin(); one != waiting_.end();) {
    if (one->second >= now) {
      ++one;
      continue;
    }
    spawn("drop automation", parts_.desk.drop_waiting(one->first, "expired"));
    one = waiting_.erase(one);
  }
}

}  // namespace rouse
