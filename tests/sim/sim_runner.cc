#include "tests/sim/sim_runner.h"

namespace rouse::sim {

struct SimRunner::State {
  Loop& loop;
  Clock& clock;
  Random& random;
  Millis longest_delay;
  std::deque<Job> jobs;
  bool serving = false;
  bool gone = false;

  static Task<void> serve(std::shared_ptr<State> state) {
    while (!state->gone && !state->jobs.empty()) {
      const auto delay =
          state->random.below(static_cast<std::uint64_t>(state->longest_delay.count) + 1);
      co_await state->clock.wait_for(millis(static_cast<std::int64_t>(delay)));
      if (state->gone) break;
      Job job = std::move(state->jobs.front());
      state->jobs.pop_front();
      job();
    }
    state->serving = false;
  }
};

SimRunner::SimRunner(Loop& loop, Clock& clock, Random& random, Millis longest_delay,
                     const std::function<void()>& while_lingering)
    : while_lingering_(while_lingering),
      state_(new State{loop, clock, random, longest_delay, {}}) {}

SimRunner::~SimRunner() {
  state_->gone = true;
  state_->jobs.clear();
}

bool SimRunner::linger(std::int64_t /*no_longer_us*/, const std::function<bool()>& come) {
  if (const auto happens = while_lingering_) happens();
  return come();
}

void SimRunner::run(Job job) {
  state_->jobs.push_back(std::move(job));
  if (!std::exchange(state_->serving, true)) state_->loop.spawn("sim runner", State::serve(state_));
}

}  // namespace rouse::sim
