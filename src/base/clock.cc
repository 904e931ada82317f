#include "base/clock.h"

#include <ctime>
#include <utility>
#include <vector>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>

namespace rouse {
namespace {

std::int64_t read_ms(clockid_t id) {
  timespec ts{};
  ::clock_gettime(id, &ts);
  return std::int64_t{ts.tv_sec} * 1000 + ts.tv_nsec / 1'000'000;
}

using SteadyTimer = boost::asio::basic_waitable_timer<
    std::chrono::steady_clock, boost::asio::wait_traits<std::chrono::steady_clock>, Executor>;

}  // namespace

WallTime RealClock::wall_now() const { return {read_ms(CLOCK_REALTIME)}; }
MonoTime RealClock::mono_now() const { return {read_ms(CLOCK_MONOTONIC)}; }

Task<bool> RealClock::wait_until(MonoTime until, std::stop_token stop) {
  if (stop.stop_requested()) co_return false;
  auto timer = std::make_shared<SteadyTimer>(loop_.executor());
  if (until == kNever) {
    timer->expires_at(std::chrono::steady_clock::time_point::max());
  } else {
    timer->expires_after(std::chrono::milliseconds((until - mono_now()).count));
  }
  // The stop may be asked for on another thread: it only posts, the timer is touched on the loop.
  std::stop_callback on_stop(stop, [loop = &loop_, weak = std::weak_ptr(timer)] {
    loop->post([weak] {
      if (auto t = weak.lock()) t->cancel();
    });
  });
  boost::system::error_code ec;
  co_await timer->async_wait(boost::asio::redirect_error(use_task, ec));
  co_return !stop.stop_requested();
}

struct VirtualClock::Waiters {
  using Key = std::pair<std::int64_t, std::uint64_t>;
  std::map<Key, Completer<bool>> by_deadline;
  std::uint64_t arrivals = 0;

  void wake(Key key, bool reached) {
    if (auto node = by_deadline.extract(key)) node.mapped()(reached);
  }
};

VirtualClock::VirtualClock(WallTime start) : waiters_(std::make_shared<Waiters>()), wall_(start) {}
VirtualClock::~VirtualClock() = default;

Task<bool> VirtualClock::wait_until(MonoTime until, std::stop_token stop) {
  if (stop.stop_requested()) co_return false;
  if (until <= mono_) {
    co_return co_await complete_later<bool>([](Completer<bool> done) { done(true); });
  }
  const Waiters::Key key{until.ms, waiters_->arrivals++};
  std::optional<std::stop_callback<std::function<void()>>> on_stop;
  co_return co_await complete_later<bool>([&](Completer<bool> done) {
    waiters_->by_deadline.emplace(key, std::move(done));
    on_stop.emplace(stop, [weak = std::weak_ptr(waiters_), key] {
      if (auto waiters = weak.lock()) waiters->wake(key, false);
    });
  });
}

std::optional<MonoTime> VirtualClock::next_deadline() const {
  if (waiters_->by_deadline.empty()) return std::nullopt;
  return MonoTime{waiters_->by_deadline.begin()->first.first};
}

std::size_t VirtualClock::waiting() const { return waiters_->by_deadline.size(); }

void VirtualClock::advance_to(MonoTime time) {
  if (time > mono_) {
    wall_ = wall_ + (time - mono_);
    mono_ = time;
  }
  while (!waiters_->by_deadline.empty() && waiters_->by_deadline.begin()->first.first <= mono_.ms) {
    waiters_->wake(waiters_->by_deadline.begin()->first, true);
  }
}

}  // namespace rouse
