// A server that looks around on its own, over many lives: people who write at any time, models that
// hang, refuse and leak their tokens in every form, power that fails at any write. What must have
// been due is counted anew from the calendar, so that nothing of the product vouches for itself.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "proactive/proactive_house_for_tests.h"
#include "tests/sim/automation_life.h"
#include "tests/sim/world.h"

namespace rouse::sim {

// One heartbeat as the test wants it; heartbeat.json is made of these.
struct WantedBeat {
  std::string name;
  std::string start, end;  // "07:00"
  int every_minutes = 30;
  std::string conversation = {};
  std::int64_t cap_micros = 0, cap_calls = 0;  // 0: none
};

// Every instant from `after` (exclusive) to `until` at which it must be due, by walking through the
// minutes of the calendar.
std::vector<std::int64_t> calendar_dues(const WantedBeat& beat, const std::string& zone,
                                        WallTime after, WallTime until);
bool calendar_allows(const WantedBeat& beat, const std::string& zone, WallTime time);

class HeartbeatLife {
 public:
  HeartbeatLife(std::uint64_t seed, WallTime begins, std::string zone,
                std::vector<WantedBeat> beats, std::string orders);
  ~HeartbeatLife();

  [[nodiscard]] SeededRandom& random() { return random_; }
  [[nodiscard]] WallTime now() const { return world_->clock().wall_now(); }
  [[nodiscard]] bool alive() const { return !disk_.killed(); }
  [[nodiscard]] std::size_t lives() const { return lives_; }
  [[nodiscard]] std::size_t questions() const { return questions_; }
  void be_kind() { kind_ = true; }  // from now on every model answers

  void wait(Millis length);
  void chat(int peer);
  void call_off_turns();  // what hangs is cancelled by a person
  void beat_by_hand();
  void mend_the_key() { house_->heartbeat.configuration_changed(); }
  void restart(Millis down);
  void die_soon();
  void die_and_come_back(Millis down);  // now, if it hasn't died yet

  // All that must hold at any time.
  void check(const std::string& when);
  std::int64_t count(std::string_view sql);
  std::string open_ones();  // beats that are under way, for a person

 private:
  void begin(std::optional<WallTime> at);
  void end_house();
  ScriptedAnswer turn_answer();
  ScriptedAnswer cheap_answer(const ModelRequest& request);
  void check_the_moment();
  Job job_of(const WantedBeat& beat);
  void check_coverage(const WantedBeat& beat);
  void check_rows(const WantedBeat& beat, const Job& job);
  void check_spend(const WantedBeat& beat, const Job& job);
  void check_leaks();
  void check_wakes();
  void check_nagging();

  SeededRandom random_;
  std::string zone_;
  std::vector<WantedBeat> beats_;
  ProactiveHouseForTests::Files files_;
  sqlite::FaultDisk disk_;
  std::unique_ptr<World> world_;
  Database* database_ = nullptr;
  OutsideForTests outside_;
  std::shared_ptr<ScriptedModel> model_, cheap_;
  std::unique_ptr<ProactiveHouseForTests> house_;
  std::map<std::string, std::vector<std::int64_t>> dues_;  // by name; counted once
  std::map<std::string, WallTime> counted_;
  bool kind_ = false;
  std::size_t lives_ = 0, said_ = 0, questions_ = 0;
};

}  // namespace rouse::sim
