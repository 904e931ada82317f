#include "base/blocking_pool.h"

#include <algorithm>
#include <chrono>

namespace rouse {

BlockingPool::BlockingPool(std::size_t max_threads, std::size_t max_queued)
    : max_threads_(max_threads), max_queued_(max_queued) {}

BlockingPool::~BlockingPool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    jobs_.clear();
  }
  wake_.notify_all();
  for (auto& thread : threads_) thread.join();
}

bool BlockingPool::enqueue(std::function<void()> job) {
  const std::lock_guard lock(mutex_);
  if (stopping_ || jobs_.size() >= max_queued_) return false;
  jobs_.push_back(std::move(job));
  if (jobs_.size() <= idle_) {
    wake_.notify_one();
  } else if (alive_ < max_threads_) {
    reap();
    ++alive_;
    threads_.emplace_back([this] { serve(); });
  }
  return true;
}

void BlockingPool::serve() {
  constexpr auto kLinger = std::chrono::seconds(3);  // not longer: it is woken to end
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    const bool woken =
        wake_.wait_for(lock, kLinger, [this] { return stopping_ || !jobs_.empty(); });
    --idle_;
    if (stopping_ || !woken) break;
    auto job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job();
    job = nullptr;
    lock.lock();
  }
  --alive_;
  finished_.push_back(std::this_thread::get_id());
}

void BlockingPool::reap() {
  std::erase_if(threads_, [this](std::thread& thread) {
    if (std::ranges::find(finished_, thread.get_id()) == finished_.end()) return false;
    thread.join();  // it has left serve() but for its last instruction
    return true;
  });
  finished_.clear();
}

}  // namespace rouse
