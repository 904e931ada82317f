#include "base/loop.h"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <sched.h>

#include <boost/asio/co_spawn.hpp>

#include "base/stopwatch.h"

namespace rouse {

Loop::Loop() : context_(std::make_unique<boost::asio::io_context>(1)) {
  on_bug_ = [](const std::string& task, const std::string& what) {
    std::fprintf(stderr, "rouse: bug in task '%s': %s\n", task.c_str(), what.c_str());
    std::abort();
  };
}

Loop::~Loop() = default;

void Loop::spawn(std::string name, Task<void> task) {
  boost::asio::co_spawn(context_->get_executor(), std::move(task),
                        [this, name = std::move(name)](std::exception_ptr error) {
                          if (!error) return;
                          try {
                            std::rethrow_exception(error);
                          } catch (const std::exception& e) {
                            on_bug_(name, e.what());
                          } catch (...) {
                            on_bug_(name, "unknown exception");
                          }
                        });
}

void Loop::post(std::move_only_function<void()> work) {
  boost::asio::post(*context_, std::move(work));
}

void Loop::stay_awake(std::int64_t most_us) { awake_until_us_ = real_microseconds() + most_us; }

void Loop::run() {
  while (context_->run_one() > 0) {
    context_->poll();
    while (awake_until_us_ != 0 && real_microseconds() < awake_until_us_) {
      if (context_->poll() == 0) sched_yield();  // whoever else has something to do goes first
      if (context_->stopped()) return;
    }
  }
}

std::size_t Loop::poll() {
  context_->restart();
  return context_->poll();
}

void Loop::stop() { context_->stop(); }
bool Loop::stopped() const { return context_->stopped(); }
Executor Loop::executor() { return context_->get_executor(); }
boost::asio::io_context& Loop::context() { return *context_; }

}  // namespace rouse
