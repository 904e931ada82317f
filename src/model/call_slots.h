// How many calls a provider gets at a time. More wait in the order they came; a wait ends with the
// caller's deadline or stop. All of it on the loop, but the stop, which may be asked for anywhere.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <stop_token>

#include "base/clock.h"

namespace rouse {

class CallSlots {
 public:
  class Slot;

  explicit CallSlots(std::int64_t limit);

  // None if the stop was asked for or the time came first.
  Task<std::optional<Slot>> take(Clock& clock, MonoTime until, std::stop_token stop);
  [[nodiscard]] std::int64_t running() const { return state_->running; }
  [[nodiscard]] std::size_t waiting() const { return state_->line.size(); }

 private:
  struct Waiter {
    std::uint64_t number = 0;
    Completer<bool> go;
  };
  struct State {
    std::int64_t limit = 1;
    std::int64_t running = 0;
    std::uint64_t arrivals = 0;
    std::list<Waiter> line;

    void release();
    void give_up(std::uint64_t number);
  };
  static Task<bool> wait_in_line(std::shared_ptr<State> state, std::stop_token stop);

  std::shared_ptr<State> state_;  // a slot may outlive the book that made it
};

class CallSlots::Slot {
 public:
  explicit Slot(std::shared_ptr<State> state) : state_(std::move(state)) {}
  Slot(Slot&&) noexcept = default;
  Slot& operator=(Slot&&) = delete;
  ~Slot() {
    if (state_) state_->release();
  }

 private:
  std::shared_ptr<State> state_;
};

}  // namespace rouse
