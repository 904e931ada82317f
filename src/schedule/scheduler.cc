#include "schedule/scheduler.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "base/fault.h"
#include "schedule/job_rows.h"
#include "store/values.h"

namespace rouse {
namespace {

constexpr std::size_t kLookedAtOnce = 64;
constexpr Millis kStall = seconds(120);  // twice the longest sleep (CR-12)
constexpr Millis kStallShown = minutes(10);
constexpr Millis kClockStep = seconds(60);
constexpr Millis kLaterPause = seconds(30);  // what can't begin is tried twice a minute (CR-13)
constexpr Millis kPruneAfter = hours(1), kPruneEach = hours(24);

constexpr std::string_view kNextDue =
    "SELECT next_ms FROM jobs WHERE next_ms IS NOT NULL ORDER BY next_ms LIMIT 1";
constexpr std::string_view kNoteStart =
    "INSERT INTO server_starts (started_ms) VALUES ($1) ON CONFLICT (started_ms) DO NOTHING";
constexpr std::string_view kNoteEnd =
    "UPDATE server_starts SET ended_ms = $2 WHERE started_ms = $1";
constexpr std::string_view kForgetStarts = "DELETE FROM server_starts WHERE started_ms < $1";
constexpr std::string_view kCrashes =
    "SELECT COUNT(*) FROM server_starts WHERE started_ms >= $1 AND ended_ms IS NULL";

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
  prune_at_ = last_mono_ + kPruneAfter;
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
  if (parts_.clock.mono_now() >= prune_at_) {
    prune_at_ = parts_.clock.mono_now() + kPruneEach;
    spawn("prune automations", prune());
  }
  drop_expired();
  const auto begun = co_await begin_ready();  // what can't be claimed doesn't hold up what was
  co_return claimed ? begun : claimed;
}

// What has been over for long is of no use to anybody (rule 5).
Task<void> Scheduler::prune() {
  const auto pruned = co_await parts_.book.prune(parts_.clock.wall_now() - options_.keep_over,
                                                 stopping_.get_token());
  if (!pruned && !stopping_.stop_requested()) {
    parts_.log.warn("automations.not_pruned", {{"message", pruned.error().message}});
  }
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
  TRY(auto ready, parts_.ledger.next_ready(looked_at_, may_begin()));
  if (begin_after_ > now) ready = parts_.clock.wall_now() + (begin_after_ - now);
  if (ready && (!first || *ready < *first)) first = ready;
  const bool watching = stall_shown_until_ || !waiting_.empty();
  if (!first && !watching) return kNever;
  Millis pause = kLongestSleep;
  if (first) pause = std::clamp(*first - parts_.clock.wall_now(), Millis{0}, kLongestSleep);
  return now + pause;
}

// --- beginning -----------------------------------------------------------------------------------

// rouse's own runs take none of people's places, and wait for none.
ReadyOf Scheduler::may_begin() const {
  return running_.size() + beginning_ < options_.at_once ? ReadyOf::kAll : ReadyOf::kSystem;
}

Task<Result<void>> Scheduler::begin_ready() {
  while (!stopping_.stop_requested() && parts_.clock.mono_now() >= begin_after_) {
    const ReadyOf whose = may_begin();
    looked_at_ = parts_.clock.wall_now();
    CO_TRY(const auto ready,
           parts_.ledger.ready(looked_at_, kLookedAtOnce + under_way_.size(), whose));
    std::size_t begun = 0;
    for (const Occurrence& one : ready) {
      if (under_way_.contains({one.job, one.due.unix_ms})) continue;
      CO_TRY_VOID(co_await begin_one(one));
      ++begun;
      if (may_begin() != whose) break;
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
  // rouse's own runs take none of people's places, however long they are.
  if (job->kind != JobKind::kSystem) ++beginning_;
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
  if (job.kind != JobKind::kSystem) --beginning_;
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
  if (system_) end = co_await system_(job, occurrence, stopping_.get_token());
  if (stopping_.stop_requested() || end.written) co_return;
  // It has happened and may have cost something: a full disk must not make it happen again.
  while (true) {
    const auto ended = co_await parts_.desk.end(job, occurrence, end);
    if (ended) co_return;
    parts_.log.warn("automation.not_ended",
                    {{"automation", job.id}, {"message", ended.error().message}});
    if (ended.error().is(StoreErrc::kConflict) && !end.also.empty()) {
      end.also.clear();
      continue;
    }
    if (!co_await parts_.clock.wait_for(kLaterPause, stopping_.get_token())) co_return;
  }
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
