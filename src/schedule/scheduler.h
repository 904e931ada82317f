// The clockwork: sleeps until the next due instant, claims what is due, begins what was claimed.
//
// - It keeps nothing in memory but when to wake up: a million jobs cost it nothing, and a tick
// costs
//   what is due.
// - A claim is one write: the job's next instant moves on and the occurrence is there, or neither.
//   Only then is anything begun; so each instant is claimed once, whoever dies when (CR-17).
// - It sleeps at most a minute while anything is planned, and always asks the clock on the wall: a
//   suspended machine and a clock that was set are seen soon (CR-9, CR-10).
// - A bounded number runs at a time; what was missed begins one after the other, so that people who
//   write after a long night are not behind a herd (CR-7).
// - A server that crashed again and again is left in peace for a while: its automations are held
//   (CR-6).
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <stop_token>
#include <string>

#include "base/clock.h"
#include "base/log.h"
#include "base/loop.h"
#include "schedule/automation_desk.h"
#include "schedule/claim.h"
#include "schedule/job_book.h"
#include "schedule/occurrence_ledger.h"

namespace rouse {

struct SchedulerOptions {
  bool enabled = true;
  std::size_t at_once = 8;           // turns of automations that run at a time
  Millis stagger = seconds(1);       // between those that were missed
  std::int64_t crashes_to_hold = 3;  // starts within kCrashSpan, all but the last after a crash
  Millis hold = minutes(5);
  Millis keep_over = days(30);  // done one-shots and tombstones
};
inline constexpr Millis kCrashSpan = minutes(15);
inline constexpr Millis kLongestSleep = seconds(60);

struct SchedulerStats {
  std::uint64_t wakes = 0, claims = 0, begun = 0;
};

class Scheduler {
 public:
  struct Parts {
    Loop& loop;
    Clock& clock;
    Database& database;
    JobBook& book;
    OccurrenceLedger& ledger;
    AutomationDesk& desk;
    EventLog& events;
    const Log& log;
  };
  explicit Scheduler(Parts parts);
  ~Scheduler() { stop(); }
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  void configure(const SchedulerOptions& options);
  // What a person should know of it, or "": held after crashes, a stall.
  void on_problem(std::function<void(const std::string&)> told) { on_problem_ = std::move(told); }
  // May a job wake the agent (ScriptGate)? Asked before each run of a job that has a gate; an error
  // is the reason of a skip.
  using GateKeeper = std::function<Task<Result<bool>>(Job job, std::stop_token stop)>;
  void use_gate(GateKeeper gate) { gate_ = std::move(gate); }
  // The jobs that are rouse's own have a path of their own; answers the disposition.
  using SystemRun =
      std::function<Task<RunEnd>(Job job, Occurrence occurrence, std::stop_token stop)>;
  void use_system(SystemRun run) { system_ = std::move(run); }

  // After turns were recovered: settles what the last life left, then runs until stop().
  void start();
  // In good order: the next start knows that this life didn't crash. When it returns, nothing of
  // the scheduler runs any more.
  Task<void> stop_in_order();
  void stop();
  void nudge();

  [[nodiscard]] const SchedulerStats& stats() const { return stats_; }
  [[nodiscard]] bool held() const { return hold_until_.has_value(); }
  [[nodiscard]] bool settled() const { return settled_; }  // what the last life left

 private:
  Task<Result<void>> note_start();
  Task<Result<void>> settle_last_life();
  void spawn(std::string name, Task<void> task);
  Task<void> counted(Task<void> task);
  Task<void> run();
  void notice_time();
  Task<Result<void>> tick();
  Task<void> prune();
  Task<Result<void>> claim_due();
  Task<Result<bool>> claim_page();
  struct Claim {
    Job job;
    std::vector<Statement> statements;
    std::int64_t instants = 0;
    bool missed = false;
  };
  Result<Claim> claim_of(Job job, bool has_open, WallTime now);
  Task<Result<bool>> commit_claims(std::vector<Claim> claims);
  Task<Result<bool>> step_over(const Job& job);
  static bool is_told(const Claim& claim);
  [[nodiscard]] ReadyOf may_begin() const;
  Task<Result<void>> begin_ready();
  Task<Result<void>> begin_one(Occurrence occurrence);
  Task<void> go(Job job, Occurrence occurrence);
  Task<void> begin_gated(Job job, Occurrence occurrence);
  Task<void> run_system(Job job, Occurrence occurrence);
  Task<void> begin_now(Job job, Occurrence occurrence);
  void drop_expired();
  Result<MonoTime> next_wake();
  Task<void> rest_until(MonoTime time);
  void tell(const std::string& problem);

  Parts parts_;
  SchedulerOptions options_;
  std::function<void(const std::string&)> on_problem_;
  GateKeeper gate_;
  SystemRun system_;
  SchedulerStats stats_;
  bool noted_ = false;    // the row of this start is there
  bool settled_ = false;  // what the last life left is
  WallTime alive_since_;
  WallTime last_wall_;
  MonoTime last_mono_;
  MonoTime planned_wake_{0};
  std::optional<MonoTime> hold_until_;
  std::optional<MonoTime> stall_shown_until_;
  WallTime late_slot_;  // when the last of those that were missed may begin
  WallTime looked_at_;  // what was ready by then is begun
  bool clock_set_back_ = false;
  MonoTime prune_at_{0};
  MonoTime begin_after_{0};  // the store refused a word of something that couldn't begin
  std::set<TurnId> running_;
  std::size_t beginning_ = 0;           // on their way to a turn
  std::map<TurnId, WallTime> waiting_;  // for a busy conversation, and until when
  std::set<std::pair<std::int64_t, std::int64_t>> under_way_;  // those: (job, due)
  int failures_ = 0;  // ticks in a row that the store refused
  bool nudged_ = false;
  WallTime life_;              // the row of this start
  std::size_t tasks_ = 0;      // of ours, on the loop
  Completer<bool> all_ended_;  // whoever waits for them
  std::stop_source wake_;
  std::stop_source stopping_;
};

}  // namespace rouse
