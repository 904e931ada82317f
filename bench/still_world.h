// A world in which nothing is left to chance: one thread, a clock that moves only when nothing else
// is left to do, numbers from a seed, and the real SQLite on real files. The same build does the
// same in it every time, instruction by instruction.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>

#include "base/clock.h"
#include "base/loop.h"
#include "base/random.h"
#include "store/sqlite/open.h"

namespace rouse::bench {

[[noreturn]] inline void die(const std::string& what) {
  std::fprintf(stderr, "instructions: %s\n", what.c_str());
  std::exit(1);
}

template <class T>
T must(Result<T> result) {
  if (!result) die(result.error().message);
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

// The store's work is done by the loop itself, one job a round.
class LoopRunner final : public sqlite::Runner {
 public:
  explicit LoopRunner(Loop& loop) : loop_(loop) {}
  ~LoopRunner() override { jobs_->clear(); }
  void run(Job job) override {
    jobs_->push_back(std::move(job));
    loop_.post([jobs = jobs_] {
      if (jobs->empty()) return;
      Job next = std::move(jobs->front());
      jobs->pop_front();
      next();
    });
  }

 private:
  Loop& loop_;
  std::shared_ptr<std::deque<Job>> jobs_ = std::make_shared<std::deque<Job>>();
};

class OneThread final : public sqlite::Platform {
 public:
  explicit OneThread(Loop& loop) : loop_(loop) {}
  std::unique_ptr<sqlite::Runner> make_runner(std::string) override {
    return std::make_unique<LoopRunner>(loop_);
  }
  sqlite::Files& files() override { return sqlite::this_machine().files(); }
  [[nodiscard]] const char* vfs() const override { return sqlite::this_machine().vfs(); }

 private:
  Loop& loop_;
};

struct StillWorld {
  Loop loop;
  VirtualClock clock;
  SeededRandom random{7};
  OneThread machine{loop};
  std::unique_ptr<Database> store;

  explicit StillWorld(const std::string& dir) {
    std::filesystem::remove_all(dir);
    // The log is never copied back, which would fall into one path or another by chance.
    constexpr std::int64_t kNever = 1 << 30;
    store = must(open_sqlite({.data_dir = dir,
                              .loop = loop,
                              .clock = clock,
                              .platform = machine,
                              .limits = {.wal_copy_bytes = kNever,
                                         .wal_restart_bytes = kNever,
                                         .wal_truncate_bytes = kNever,
                                         .wal_refuse_bytes = kNever}}));
  }
  ~StillWorld() { run(store->close()); }

  // To its end; time moves only when nothing else is left to do.
  void run(Task<void> task) {
    bool done = false;
    loop.spawn("counted", keep(std::move(task), &done));
    while (true) {
      if (loop.poll() > 0) continue;
      if (done) return;
      const auto next = clock.next_deadline();
      if (!next) die("a path waits for what never comes");
      clock.advance_to(*next);
    }
  }
  template <class T>
  T get(Task<Result<T>> task) {
    std::optional<Result<T>> result;
    run(store_result(std::move(task), &result));
    return must(std::move(*result));
  }

 private:
  static Task<void> keep(Task<void> task, bool* done) {
    co_await std::move(task);
    *done = true;
  }
  template <class T>
  static Task<void> store_result(Task<Result<T>> task, std::optional<Result<T>>* result) {
    result->emplace(co_await std::move(task));
  }
};

}  // namespace rouse::bench
