// Plays many plans at once, each worker a process of its own: as many at a time as there are cores,
// and a world that crashes or hangs takes nobody with it; it counts as a failure of its plan.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/sim/box/box.h"

namespace rouse::sim {

class Crew {
 public:
  using NextPlan = std::function<Plan(std::size_t index)>;
  Crew(std::size_t count, NextPlan plan, int workers)
      : count_(count), plan_(std::move(plan)), workers_(workers) {}
  Crew(std::vector<Plan> plans, int workers)
      : Crew(plans.size(), [plans](std::size_t index) { return plans[index]; }, workers) {}

  // Told of each plan that was played, in any order; false: enough.
  using Told = std::function<bool(const Plan&, Outcome)>;
  void work(const Told& told);

 private:
  struct Worker {
    int pid = 0, pipe = -1;
    std::size_t next = 0;  // the plan it plays
    std::string heard = {};
  };
  Worker hire(std::size_t first) const;
  bool take(Worker& worker, const Told& told) const;

  std::size_t count_;
  NextPlan plan_;
  int workers_;
};

std::string to_line(const Outcome& outcome);
Outcome from_line(const std::string& line);

}  // namespace rouse::sim
