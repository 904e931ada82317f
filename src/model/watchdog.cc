#include "model/watchdog.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

namespace rouse {

Watchdog::Watchdog(Clock& clock, Executor executor, std::stop_token caller)
    : clock_(clock),
      executor_(std::move(executor)),
      on_caller_(std::move(caller), [state = state_] { state->stop.request_stop(); }) {}

void Watchdog::arm(Millis length) {
  boost::asio::co_spawn(executor_,
                        watch(clock_, clock_.mono_now() + length, state_, armed_.get_token()),
                        boost::asio::detached);
}

Task<void> Watchdog::watch(Clock& clock, MonoTime until, std::shared_ptr<State> state,
                           std::stop_token disarmed) {
  if (!co_await clock.wait_until(until, std::move(disarmed))) co_return;
  state->fired = true;
  state->stop.request_stop();
}

}  // namespace rouse
