// A few threads for calls that block and can't be made otherwise: name resolution, reading files.
// Threads start with the first call and end after seconds without work, so an idle server has
// none. Besides the store's writer and reader these are the only threads of the house.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "base/loop.h"
#include "base/task.h"

namespace rouse {

class BlockingPool {
 public:
  explicit BlockingPool(std::size_t max_threads = 2, std::size_t max_queued = 1024);
  ~BlockingPool();  // waits for the running calls
  BlockingPool(const BlockingPool&) = delete;
  BlockingPool& operator=(const BlockingPool&) = delete;

  // Runs work() on a pool thread and answers on the loop. work must own all it touches.
  template <class T>
  Task<Result<T>> run(std::function<Result<T>()> work) {
    return complete_later<Result<T>>([this, work = std::move(work)](Completer<Result<T>> done) {
      auto shared = std::make_shared<Completer<Result<T>>>(std::move(done));
      if (!enqueue([work, shared] { (*shared)(work()); })) {
        (*shared)(fail(Errc::kUnavailable, "too many blocking calls are waiting; try again later"));
      }
    });
  }

 private:
  bool enqueue(std::function<void()> job);
  void serve();
  void reap();  // joins the threads that ended for lack of work; the lock is held

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> jobs_;
  std::vector<std::thread> threads_;
  std::vector<std::thread::id> finished_;
  std::size_t idle_ = 0;
  std::size_t alive_ = 0;
  bool stopping_ = false;
  const std::size_t max_threads_;
  const std::size_t max_queued_;
};

}  // namespace rouse
