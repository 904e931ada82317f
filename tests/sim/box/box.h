// The world in a box: the real core over the real store, with everything around it made of dice.
// One plan is played from its first event to its last; then nothing goes wrong any more, and all
// that was accepted must be answered, closed or explained. What must hold is checked on the way.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "tests/sim/box/bugs.h"
#include "tests/sim/box/founding.h"
#include "tests/sim/box/fresh.h"
#include "tests/sim/box/invariants.h"
#include "tests/sim/box/named_faults.h"
#include "tests/sim/box/outside.h"
#include "tests/sim/box/plan.h"

namespace rouse::sim {

struct Outcome {
  std::optional<Failure> failure;
  std::uint64_t digest = 0;  // the same for the same plan, bit by bit
  std::int64_t lived_ms = 0;
  std::int64_t lives = 0;
  Counts counts;
};

class Box {
 public:
  explicit Box(const Plan& plan);
  ~Box();
  Outcome live();

 private:
  // --- time and lives
  [[nodiscard]] std::int64_t now_ms() const { return base_ms_ + world_->clock().mono_now().ms; }
  [[nodiscard]] std::int64_t awake_ms() const { return awake_ms_ + world_->clock().mono_now().ms; }
  [[nodiscard]] WallTime wall() const { return world_->clock().wall_now(); }
  [[nodiscard]] bool alive() const { return !disk_.killed(); }
  void run_until(std::int64_t at_ms);
  template <class T>
  std::optional<T> finish(Task<T> task, Millis within);
  bool finish(Task<void> task, Millis within);
  void begin(WallTime at);
  void end_house();
  void restart(Millis down);
  void die(Millis down, std::uint64_t dice);  // now, if it hasn't died yet
  void revive_if_dead();
  void hand_over();

  // --- what happens
  void act(const Event& event);
  void act_on_jobs(const Event& event);
  void act_on_world(const Event& event);
  void write_letter(int who, std::string text, bool plain, bool lost);
  void deliver(std::size_t which);
  Task<void> delivery(std::size_t which);
  Task<void> web_delivery(std::size_t which);
  void repeat_letters();
  void echo(std::uint64_t dice);
  Task<void> echoed(Brought brought);
  void remove_conversation(int who);
  Task<void> removing(WorkspaceId workspace, std::string key);
  void clear(int who);
  Task<void> clearing(WorkspaceId workspace, std::string key);
  Task<void> cancelling(TurnId turn);
  void cancel_turns();
  void decide(std::uint64_t dice);
  Task<void> deciding(WorkspaceId workspace, ApprovalId id, bool yes);
  Task<void> beating(std::string name);
  void open_app(int who);
  Task<void> opening(int who);
  void edit_rules(std::uint64_t dice);
  void edit_beats(std::uint64_t dice);
  void edit_config(std::uint64_t dice);
  void read_papers();  // as a start does
  [[nodiscard]] std::map<std::int64_t, std::int64_t> recorded_beats();
  void settle_beats(const std::map<std::int64_t, std::int64_t>& recorded);
  [[nodiscard]] std::int64_t clock_changes() const;
  Task<void> making_job(JobWish wish);
  Task<void> editing_job(Job job, JobEdit edit);
  Task<void> changing_job(Job job, Do what);
  std::optional<Job> job_by(std::uint64_t dice);
  void settle_jobs_cut_off();
  [[nodiscard]] WorkspaceId workspace_of(int who);
  [[nodiscard]] static std::string key_of(int who);

  // --- what must hold
  void check_fresh(const std::string& when);
  void check_all(const std::string& when);
  void check_life(const std::string& when);
  void check_secrets();
  void come_to_rest();

  const Plan& plan_;
  const Bug* bug_;
  Outside outside_;
  Mind mind_;
  sqlite::FaultDisk disk_;
  std::unique_ptr<World> world_;
  std::unique_ptr<Phone> phone_;
  std::unique_ptr<BrokenDatabase> broken_;
  Database* database_ = nullptr;
  std::unique_ptr<House> house_;
  DueBook dues_;
  // After the founding, which nobody breaks.
  NamedFaults named_faults_{plan_.seed, disk_, outside_};
  Seen seen_;
  struct Heard {  // somebody who was greeted
    std::int64_t at_ms = 0, clock_changes = 0;
  };
  std::map<int, Heard> heard_;
  int opening_ = 0;                              // how many wait for a greeting
  std::map<std::int64_t, Schedule> beat_times_;  // by job
  struct Change {
    std::int64_t job;
    Schedule schedule;
    WallTime from;
  };
  std::map<std::string, Schedule> making_;  // by key: asked for, no answer yet
  std::optional<Change> changing_;
  std::int64_t checked_at_ = -1;  // how many changes the disk had seen then
  std::int64_t base_ms_ = 0;
  std::int64_t full_until_ms_ = 0, slow_until_ms_ = 0;
  std::int64_t lives_ = 0;
  std::int64_t awake_ms_ = 0;  // what earlier lives were awake for
  // When the disk was last made to do something wrong, by the time the process was awake; -1: its
  // refusals are long over.
  std::int64_t disk_trouble_ms_ = -1;
};

Outcome play(const Plan& plan);

}  // namespace rouse::sim
