// Time as an interface. The server runs on RealClock; tests and the simulator on VirtualClock,
// which jumps from deadline to deadline, can step the wall and can suspend. Nothing else in the
// house asks the operating system for the time or sleeps.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <stop_token>

#include "base/loop.h"
#include "base/task.h"
#include "base/time.h"

namespace rouse {

class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual WallTime wall_now() const = 0;
  [[nodiscard]] virtual MonoTime mono_now() const = 0;

  // Waits until the mono time has come. Returns false if the stop was asked for first.
  virtual Task<bool> wait_until(MonoTime until, std::stop_token stop) = 0;
  Task<bool> wait_for(Millis length, std::stop_token stop = {}) {
    return wait_until(mono_now() + length, std::move(stop));
  }
};

class RealClock final : public Clock {
 public:
  explicit RealClock(Loop& loop) : loop_(loop) {}
  [[nodiscard]] WallTime wall_now() const override;
  [[nodiscard]] MonoTime mono_now() const override;
  Task<bool> wait_until(MonoTime until, std::stop_token stop) override;

 private:
  Loop& loop_;
};

// Time that moves only when told to. Waits are kept in order of (deadline, arrival), so a run is
// the same every time.
class VirtualClock final : public Clock {
 public:
  explicit VirtualClock(WallTime start = {1'767'225'600'000});  // 2026-01-01T00:00:00Z
  ~VirtualClock() override;
  [[nodiscard]] WallTime wall_now() const override { return wall_; }
  [[nodiscard]] MonoTime mono_now() const override { return mono_; }
  Task<bool> wait_until(MonoTime until, std::stop_token stop) override;

  // The earliest deadline anybody waits for.
  [[nodiscard]] std::optional<MonoTime> next_deadline() const;
  [[nodiscard]] std::size_t waiting() const;

  void advance_to(MonoTime time);  // wall and mono move together; wakes what is due
  void advance(Millis length) { advance_to(mono_ + length); }
  void step_wall(Millis by) { wall_ = wall_ + by; }  // somebody set the clock
  void suspend(Millis length) {
    wall_ = wall_ + length;
  }  // the lid was closed: only the wall moved on

 private:
  struct Waiters;
  std::shared_ptr<Waiters> waiters_;  // shared with stop callbacks that may outlive a wait
  WallTime wall_;
  MonoTime mono_{0};
};

}  // namespace rouse
