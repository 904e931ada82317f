// A server with automations over many lives: jobs in odd zones, people who chat, models that hang
// and fail, a machine that sleeps, a clock that is set, power that fails, owners that take over
// from each other. What was promised is kept here and compared with what is in the store; the due
// instants are counted anew from the schedules, so that the ledger doesn't vouch for itself.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "schedule/schedule_house_for_tests.h"
#include "tests/sim/kill_at_every_write.h"
#include "tests/sim/world.h"

namespace rouse::sim {

// Which instants each job must account for, by the schedules it had and when.
class DueBook {
 public:
  void began(std::int64_t job, const Schedule& schedule, WallTime from);
  void changed(std::int64_t job, const Schedule& schedule, WallTime from);

  // Robustness.md section 9: each due instant up to where the job stands is covered by exactly one
  // row or folded count, and nothing else is.
  void check_coverage(Database& database, const std::string& when);
  [[nodiscard]] std::size_t jobs() const { return jobs_.size(); }
  [[nodiscard]] std::int64_t instants() const;

 private:
  struct Epoch {
    Schedule schedule;
    WallTime from;                  // exclusive
    std::optional<WallTime> until;  // inclusive
    std::vector<std::int64_t> dues;
  };
  static void extend(Epoch& epoch, WallTime until);
  void check_job(Database& database, std::int64_t job, std::vector<Epoch>& epochs);

  std::map<std::int64_t, std::vector<Epoch>> jobs_;
};

// Chronos' rule: one run for each executed occurrence and try, one message in a transcript for each
// run that began; no extras.
void expect_runs_match_targets(Database& database, const std::string& when);
// Nothing is on the way any more.
void expect_nothing_open(Database& database, const std::string& when);

class AutomationLife {
 public:
  explicit AutomationLife(std::uint64_t seed, WallTime begins);
  ~AutomationLife();

  [[nodiscard]] SeededRandom& random() { return random_; }
  [[nodiscard]] Database& database() { return *database_; }
  [[nodiscard]] World& world() { return *world_; }
  [[nodiscard]] ScheduleHouseForTests& house() { return *house_; }
  [[nodiscard]] DueBook& dues() { return dues_; }
  [[nodiscard]] WallTime now() const { return world_->clock().wall_now(); }
  [[nodiscard]] std::size_t lives() const { return lives_; }
  [[nodiscard]] std::size_t fenced() const { return fenced_; }
  [[nodiscard]] bool alive() const { return !disk_.killed(); }
  void be_kind() { kind_model_ = true; }  // from now on every model answers

  // --- what people do. Each waits for its end, which a dying disk may be.
  void make_job(JobWish wish);
  void edit_some_job(const Schedule& schedule);
  void pause_some_job();
  void resume_all_jobs();
  void resume_some_job();
  void remove_some_job();
  void chat(int peer);

  // --- what the world does
  void wait(Millis length);
  void sleep(Millis length) { world_->clock().suspend(length); }
  void step_clock(Millis by) { world_->clock().step_wall(by); }
  void restart(Millis down);
  void kill(sqlite::Unsynced unsynced, Millis down);
  // The disk dies at one of the next writes; whoever waits notices.
  void die_soon();
  void die_and_come_back(Millis down);  // now, if it hasn't died yet
  // Another process takes the store while this one still works.
  void hand_over();

  void check(const std::string& when);

 private:
  struct Wanted {
    std::int64_t job;
    Schedule schedule;
    WallTime from;
  };
  void begin(std::optional<WallTime> at);
  void end_house();
  ScriptedAnswer answer();
  std::optional<Job> some_job();
  WallTime recorded(std::int64_t job);
  void settle_what_was_cut_off();

  SeededRandom random_;
  sqlite::FaultDisk disk_;
  std::unique_ptr<World> world_;
  Database* database_ = nullptr;
  OutsideForTests outside_;
  std::shared_ptr<ScriptedModel> model_;
  std::unique_ptr<ScheduleHouseForTests> house_;
  DueBook dues_;
  std::map<std::string, Schedule> making_;  // by key: asked for, no answer yet
  std::optional<Wanted> changing_;
  bool kind_model_ = false;
  std::size_t lives_ = 0, made_ = 0, said_ = 0, fenced_ = 0;
};

}  // namespace rouse::sim
