// A deadline of its own inside a call: stops what it watches when a length of time has passed on
// the Clock, or when the caller asks. For waits that know only a stop token.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>

#include "base/clock.h"

namespace rouse {

class Watchdog {
 public:
  Watchdog(Clock& clock, Executor executor, std::stop_token caller);
  ~Watchdog() { disarm(); }
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  void arm(Millis length);  // once
  void disarm() { armed_.request_stop(); }
  [[nodiscard]] bool fired() const { return state_->fired; }
  [[nodiscard]] std::stop_token token() const { return state_->stop.get_token(); }

 private:
  struct State {
    std::stop_source stop;
    bool fired = false;
  };
  static Task<void> watch(Clock& clock, MonoTime until, std::shared_ptr<State> state,
                          std::stop_token disarmed);

  Clock& clock_;
  Executor executor_;
  std::shared_ptr<State> state_ = std::make_shared<State>();  // the watch ends after its owner
  std::stop_source armed_;
  std::stop_callback<std::function<void()>> on_caller_;
};

}  // namespace rouse
