#include "store/sqlite/runner.h"

#include <chrono>
#include <csignal>
#include <pthread.h>
#include <sched.h>
#include <utility>

#include "base/stopwatch.h"

namespace rouse::sqlite {
namespace {

// From the accept of a turn to its close, if the model answers at once, and on to the next accept.
constexpr std::int64_t kMomentUs = 250;

}  // namespace

ThreadRunner::~ThreadRunner() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  nudge();
  if (thread_.joinable()) thread_.join();
}

void ThreadRunner::run(Job job) {
  bool wake = false;
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
    wake = std::exchange(asleep_, false);
    if (!thread_.joinable()) {
      // Signals belong to the loop's thread: the new one inherits a mask with all of them blocked.
      sigset_t all;
      sigset_t before;
      sigfillset(&all);
      pthread_sigmask(SIG_SETMASK, &all, &before);
      thread_ = std::thread([this] { serve(); });
      pthread_sigmask(SIG_SETMASK, &before, nullptr);
    }
  }
  if (wake) wake_.notify_one();
}

bool ThreadRunner::linger(std::int64_t no_longer_us, const std::function<bool()>& come) {
  while (!come()) {
    if (real_microseconds() >= no_longer_us) return false;
    sched_yield();
  }
  return true;
}

void ThreadRunner::give_way() { sched_yield(); }

void ThreadRunner::doze(std::int64_t most_us) {
  std::unique_lock lock(mutex_);
  dozing_ = !stopping_;
  nudge_.wait_for(lock, std::chrono::microseconds(most_us), [this] { return !dozing_; });
  dozing_ = false;
}

void ThreadRunner::nudge() {
  {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(dozing_, false)) return;
  }
  nudge_.notify_one();
}

void ThreadRunner::wait_for_job(std::unique_lock<std::mutex>& lock) {
  const std::int64_t began = real_microseconds();
  while (comes_soon_ && !has_something() && real_microseconds() - began < kMomentUs) {
    lock.unlock();
    sched_yield();  // whoever else has something to do goes first
    lock.lock();
  }
  asleep_ = true;
  wake_.wait(lock, [this] { return has_something(); });
  asleep_ = false;
  comes_soon_ = real_microseconds() - began < kMomentUs;
}

void ThreadRunner::serve() {
  pthread_setname_np(pthread_self(), name_.substr(0, 15).c_str());
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (jobs_.empty()) {
      wait_for_job(lock);
      continue;
    }
    Job job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job();
    job = nullptr;
    lock.lock();
  }
}

}  // namespace rouse::sqlite
