// The store's runner in the simulator: jobs run on the one thread there is, each after a delay
// drawn from the seed, so that a slow disk meets a fast loop in every order and every run repeats.
#pragma once

#include <deque>
#include <functional>
#include <memory>

#include "base/clock.h"
#include "base/loop.h"
#include "base/random.h"
#include "store/sqlite/runner.h"

namespace rouse::sim {

class SimRunner final : public sqlite::Runner {
 public:
  // `while_lingering` happens while a job waits for a moment for more to do.
  SimRunner(Loop& loop, Clock& clock, Random& random, Millis longest_delay,
            const std::function<void()>& while_lingering);
  ~SimRunner() override;
  void run(Job job) override;
  bool linger(std::int64_t no_longer_us, const std::function<bool()>& come) override;

 private:
  struct State;
  const std::function<void()>& while_lingering_;
  std::shared_ptr<State> state_;  // outlives this while a delay is being waited for
};

}  // namespace rouse::sim
