// The simulator: the real core on a clock that jumps, chance from a seed and a disk that can fail.
// One World is one life of the process; the disk may be handed on to the next.
//
// Nothing happens but by run…(): it lets the loop do what is ready, then moves the clock to the
// next deadline. So a year takes as long as its events do, and the same seed gives the same trace.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/loop.h"
#include "base/random.h"
#include "store/sqlite/fault_vfs_for_tests.h"
#include "store/sqlite/open.h"
#include "store/sqlite/steady_vfs.h"

namespace rouse::sim {

class World final : public sqlite::Platform {
 public:
  // How a commit reaches the disk: its pages in one write, as the server does it, or each by
  // itself, which has many more places to die in.
  enum class Writes : std::uint8_t { kGathered, kBare };
  explicit World(std::uint64_t seed, sqlite::FaultDisk* disk = nullptr,
                 Writes writes = Writes::kGathered);
  ~World() override;
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  [[nodiscard]] Loop& loop() { return loop_; }
  [[nodiscard]] VirtualClock& clock() { return clock_; }
  [[nodiscard]] Random& random() { return random_; }
  [[nodiscard]] sqlite::FaultDisk& disk() { return disk_; }

  // The store of this world in /data, kept until the world ends or close_store().
  Result<Database*> open_store(std::span<const Migration> steps = schema(),
                               sqlite::StoreLimits limits = {});
  void close_store();                    // in good order
  void drop_store() { store_.reset(); }  // as if forgotten: queued writes are lost
  void set_longest_disk_delay(Millis delay) { longest_delay_ = delay; }
  // What happens while the store waits for a moment for more to do. Otherwise nothing does.
  void while_lingering(std::function<void()> happens) { while_lingering_ = std::move(happens); }

  // --- time
  // ---------------------------------------------------------------------------------------
  void settle();  // what is ready now, without moving the clock
  void run_until(MonoTime time);
  void run_for(Millis length) { run_until(clock_.mono_now() + length); }

  // Runs a task to its end, moving the clock as needed. A task that waits for nothing that could
  // ever happen is a bug in the test: std::logic_error.
  template <class T>
  T run(Task<T> task) {
    std::optional<T> result;
    loop_.spawn("sim task", keep(std::move(task), &result));
    run_while([&] { return !result.has_value(); });
    return std::move(*result);
  }
  void run(Task<void> task);
  void run_while(const std::function<bool()>& going);

  // --- trace
  // --------------------------------------------------------------------------------------
  void record(
      std::string_view event);  // with the virtual time; the disk's changes are recorded too
  [[nodiscard]] std::uint64_t trace_hash() const { return hash_; }
  [[nodiscard]] std::uint64_t events() const { return events_; }

  // --- Platform
  // -----------------------------------------------------------------------------------
  std::unique_ptr<sqlite::Runner> make_runner(std::string name) override;
  sqlite::Files& files() override { return disk_; }
  [[nodiscard]] const char* vfs() const override {
    return writes_ == Writes::kGathered ? vfs_.name() : disk_.vfs();
  }

 private:
  template <class T>
  static Task<void> keep(Task<T> task, std::optional<T>* result) {
    *result = co_await std::move(task);
  }

  std::unique_ptr<sqlite::FaultDisk> own_disk_;
  sqlite::FaultDisk& disk_;
  sqlite::SteadyVfs vfs_;
  Writes writes_;
  SeededRandom random_;
  Loop loop_;
  VirtualClock clock_;  // after loop_: what waits for it holds on to the loop
  Millis longest_delay_{5};
  std::function<void()> while_lingering_;
  std::uint64_t hash_ = 14695981039346656037ULL;
  std::uint64_t events_ = 0;
  std::unique_ptr<Database> store_;
};

}  // namespace rouse::sim
