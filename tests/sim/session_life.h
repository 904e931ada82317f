// A server's conversations over many lives: the kernel on a disk that outlives it, bridges that
// deliver messages twice or too late and repeat themselves until they are answered, a clock that
// steps, and power that fails. What the outside was told is kept here and compared with what is in
// the store.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "session/kernel_for_tests.h"
#include "tests/sim/world.h"

namespace rouse::sim {

class SessionLife {
 public:
  explicit SessionLife(std::uint64_t seed);
  ~SessionLife();

  [[nodiscard]] SeededRandom& random() { return random_; }
  [[nodiscard]] Database& database() { return *database_; }
  [[nodiscard]] SessionKernel& kernel() { return house_->kernel; }
  [[nodiscard]] World& world() { return *world_; }
  [[nodiscard]] std::size_t sent() const { return sent_.size(); }
  [[nodiscard]] std::size_t lives() const { return lives_; }
  [[nodiscard]] std::size_t redelivered() const { return redelivered_; }
  [[nodiscard]] WallTime now() const { return world_->clock().wall_now(); }

  // --- what happens in the world. Each begins something and doesn't wait for its end. ------------
  void say(int sender, std::string text);  // a new message, delivered once for now
  void redeliver();                        // some earlier message comes again
  void answer();                           // a bridge tells what was answered to a message it sent
  void close(int sender);                  // somebody closes the sender's newest session
  void repeat_what_got_no_answer();        // what a bridge does until it is heard

  void wait(Millis length) { world_->run_for(length); }
  void step_clock(Millis by) { world_->clock().step_wall(by); }
  void restart();                        // in good order
  void kill(sqlite::Unsynced unsynced);  // in the middle of whatever is going on

  // Compares the store with what was promised.
  void check(const std::string& when);
  void check_sender(int sender);         // the cheap part, for one of them
  void check_everything_was_answered();  // after the faults stopped

 private:
  struct Sent {
    int sender;
    std::string id, text;
    std::optional<Resolved> acknowledged;
    bool answered = false;
  };
  void begin(std::optional<WallTime> at);
  void end_house();
  void deliver(std::size_t which);
  Task<void> delivery(std::size_t which);
  Task<void> telling(std::size_t which);
  Task<void> closing(SessionId id);
  static std::string peer(int sender) { return "+1555" + std::to_string(1000 + sender); }

  SeededRandom random_;
  sqlite::FaultDisk disk_;
  std::unique_ptr<World> world_;
  Database* database_ = nullptr;
  std::unique_ptr<KernelHouse> house_;
  std::vector<Sent> sent_;
  std::set<std::string> closed_;  // sessions somebody was told are closed
  std::size_t lives_ = 0;
  std::size_t redelivered_ = 0;
};

}  // namespace rouse::sim
