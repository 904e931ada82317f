// Where the store's blocking work runs. The server gives the writer and the reader a thread each;
// the simulator runs the same jobs on its one thread after seeded delays, so that every run
// repeats.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace rouse::sqlite {

// Runs jobs one at a time, in order. A job must not throw. Destroying a runner ends the running job
// first and drops those that wait.
class Runner {
 public:
  using Job = std::move_only_function<void()>;
  virtual ~Runner() = default;
  virtual void run(Job job) = 0;
  // For the running job: stays awake until `come` says that it came, or until that moment of
  // real_microseconds(). Where time stands still while a job runs nobody waits: nothing can come.
  virtual bool linger(std::int64_t no_longer_us, const std::function<bool()>& come) {
    return come();
  }
  // For the running job, now and then if it is a long one: whoever else wants the processor goes
  // first.
  virtual void give_way() {}
  // For the running job: sleeps until nudge(), `most_us` at most. Where time stands still while a
  // job runs nobody sleeps.
  virtual void doze(std::int64_t most_us) {}
  virtual void nudge() {}  // from any thread; nothing happens if the job doesn't sleep
};

// One thread, started with the first job, asleep while there is none. Where jobs come in quick
// succession it stays awake between them for a moment: to be woken costs a job 20 to 40 us.
class ThreadRunner final : public Runner {
 public:
  explicit ThreadRunner(std::string name) : name_(std::move(name)) {}
  ~ThreadRunner() override;
  void run(Job job) override;
  bool linger(std::int64_t no_longer_us, const std::function<bool()>& come) override;
  void give_way() override;
  void doze(std::int64_t most_us) override;
  void nudge() override;

 private:
  void serve();
  void wait_for_job(std::unique_lock<std::mutex>& lock);
  [[nodiscard]] bool has_something() const { return stopping_ || !jobs_.empty(); }

  const std::string name_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable nudge_;
  std::deque<Job> jobs_;
  bool asleep_ = false;
  bool comes_soon_ = false;  // the last job came a moment after the one before
  bool stopping_ = false;
  bool dozing_ = false;
  std::thread thread_;
};

}  // namespace rouse::sqlite
