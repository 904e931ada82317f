#include "tests/sim/world.h"

#include <atomic>

#include <fmt/format.h>
#include <sqlite3.h>

#include "tests/sim/sim_runner.h"

namespace rouse::sim {
namespace {

Task<bool> as_value(Task<void> task) {
  co_await std::move(task);
  co_return true;
}

// Each world has a name of its own for it: two may have the same disk.
std::string steady_name(const sqlite::FaultDisk& disk) {
  static std::atomic<int> made = 0;
  return fmt::format("{}-steady-{}", disk.vfs(), ++made);
}

}  // namespace

World::World(std::uint64_t seed, sqlite::FaultDisk* disk, Writes writes)
    : own_disk_(disk == nullptr ? std::make_unique<sqlite::FaultDisk>() : nullptr),
      disk_(disk == nullptr ? *own_disk_ : *disk),
      vfs_(steady_name(disk_), disk_.vfs()),
      writes_(writes),
      random_(seed) {
  // SQLite draws salts and names from a generator of its own, one for the whole process.
  sqlite3_test_control(SQLITE_TESTCTRL_PRNG_SEED, static_cast<int>(seed | 1), nullptr);
  disk_.observe([this](const std::string& change) { record(change); });
}

World::~World() {
  store_.reset();
  disk_.observe({});
}

Result<Database*> World::open_store(std::span<const Migration> steps, sqlite::StoreLimits limits) {
  store_.reset();
  TRY(store_, open_sqlite({.data_dir = "/data",
                           .loop = loop_,
                           .clock = clock_,
                           .version = "1.0.0",
                           .platform = *this,
                           .limits = limits},
                          steps));
  return store_.get();
}

void World::close_store() {
  if (!store_) return;
  run(store_->close());
  store_.reset();
}

void World::settle() {
  while (loop_.poll() > 0) {
  }
}

void World::run_until(MonoTime time) {
  settle();
  for (auto next = clock_.next_deadline(); next && *next <= time; next = clock_.next_deadline()) {
    clock_.advance_to(*next);
    settle();
  }
  clock_.advance_to(time);
  settle();
}

void World::run(Task<void> task) { run(as_value(std::move(task))); }

void World::run_while(const std::function<bool()>& going) {
  while (true) {
    // One round at a time, so that the clock never moves while something is ready.
    settle();
    if (!going()) return;
    const auto next = clock_.next_deadline();
    if (!next || *next == kNever) {
      throw std::logic_error("the task waits for something that can't happen");
    }
    clock_.advance_to(*next);
  }
}

void World::record(std::string_view event) {
  const auto mix = [this](unsigned char byte) { hash_ = (hash_ ^ byte) * 1099511628211ULL; };
  for (std::int64_t ms = clock_.mono_now().ms, i = 0; i < 8; ++i) {
    mix(static_cast<unsigned char>(ms >> (8 * i)));
  }
  for (const char c : event) mix(static_cast<unsigned char>(c));
  ++events_;
}

std::unique_ptr<sqlite::Runner> World::make_runner(std::string /*name*/) {
  return std::make_unique<SimRunner>(loop_, clock_, random_, longest_delay_, while_lingering_);
}

}  // namespace rouse::sim
