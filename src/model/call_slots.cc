#include "model/call_slots.h"

#include <algorithm>
#include <functional>

#include "model/watchdog.h"

namespace rouse {

CallSlots::CallSlots(std::int64_t limit) : state_(std::make_shared<State>()) {
  state_->limit = std::max<std::int64_t>(1, limit);
}

void CallSlots::State::release() {
  if (line.empty()) {
    --running;
    return;
  }
  // The slot goes from hand to hand, so nobody who comes now can slip in between.
  Completer<bool> next = std::move(line.front().go);
  line.pop_front();
  next(true);
}

void CallSlots::State::give_up(std::uint64_t number) {
  const auto found = std::ranges::find(line, number, &Waiter::number);
  if (found == line.end()) return;
  Completer<bool> go = std::move(found->go);
  line.erase(found);
  go(false);
}

Task<bool> CallSlots::wait_in_line(std::shared_ptr<State> state, std::stop_token stop) {
  const std::uint64_t number = state->arrivals++;
  const auto executor = co_await boost::asio::this_coro::executor;
  std::optional<std::stop_callback<std::function<void()>>> on_stop;
  co_return co_await complete_later<bool>([&](Completer<bool> go) {
    state->line.push_back({number, std::move(go)});
    on_stop.emplace(std::move(stop), [executor, weak = std::weak_ptr(state), number] {
      boost::asio::post(executor, [weak, number] {
        if (const auto left = weak.lock()) left->give_up(number);
      });
    });
  });
}

Task<std::optional<CallSlots::Slot>> CallSlots::take(Clock& clock, MonoTime until,
                                                     std::stop_token stop) {
  const auto state = state_;
  if (stop.stop_requested()) co_return std::nullopt;
  if (state->running < state->limit) {
    ++state->running;
    co_return Slot(state);
  }
  const auto executor = co_await boost::asio::this_coro::executor;
  Watchdog watchdog(clock, executor, std::move(stop));
  watchdog.arm(until - clock.mono_now());
  if (!co_await wait_in_line(state, watchdog.token())) co_return std::nullopt;
  co_return Slot(state);
}

}  // namespace rouse
