// The store's runner in the simulator: jobs run on the one thread there is, each after a delay
// drawn from the seed, so that a slow disk meets a fast loop in every order and every run repeats.
#pragma once

#include <deque>
#include <memory>

#include "base/clock.h"
#include "base/loop.h"
#include "base/random.h"
#include "store/sqlite/runner.h"

namespace rouse::sim {

class SimRunner final : public sqlite::Runner {
 public:
  SimRunner(Loop& loop, Clock& clock, Random& random, Millis longest_delay);
  ~SimRunner() override;
  void run(Job job) override;

 private:
  struct State;
  std::shared_ptr<State> state_;  // outlives this while a delay is being waited for
};

}  // namespace rouse::sim
