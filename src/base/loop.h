// The event loop that owns all domain state. One thread runs it; other threads reach it only with
// post(). The server calls run(); the simulator calls poll() and moves its clock in between.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/task.h"

namespace rouse {

class Loop {
 public:
  Loop();
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  // Starts a task and forgets it. An exception that escapes it is a bug: it is handed to
  // on_bug (default: log it and abort), naming the task.
  void spawn(std::string name, Task<void> task);

  // Runs a function in the loop's next round. Safe from any thread.
  void post(std::move_only_function<void()> work);

  // Something is due within microseconds, and somebody waits for it: until rest(), or for
  // `most_us`, run() looks again and again instead of going to sleep. To wake a processor that
  // sleeps takes 20 to 40 us (ADR 20).
  void stay_awake(std::int64_t most_us);
  void rest() { awake_until_us_ = 0; }

  void run();          // until stop() or nothing is left to do
  std::size_t poll();  // what is ready now; returns how many handlers ran
  void stop();
  [[nodiscard]] bool stopped() const;

  [[nodiscard]] Executor executor();
  [[nodiscard]] boost::asio::io_context& context();

  using BugHandler = std::function<void(const std::string& task, const std::string& what)>;
  void on_bug(BugHandler handler) { on_bug_ = std::move(handler); }

 private:
  std::unique_ptr<boost::asio::io_context> context_;
  std::int64_t awake_until_us_ = 0;  // of real_microseconds()
  BugHandler on_bug_;
};

}  // namespace rouse
