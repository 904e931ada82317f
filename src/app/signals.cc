#include "app/signals.h"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/signal_set.hpp>

namespace rouse {

struct Signals::State {
  boost::asio::basic_signal_set<Executor> set;
  explicit State(Loop& loop) : set(loop.executor()) {}
};

Signals::Signals(Loop& loop, std::initializer_list<int> numbers)
    : state_(std::make_unique<State>(loop)) {
  for (const int number : numbers) state_->set.add(number);
}

Signals::~Signals() = default;

Task<int> Signals::next() {
  boost::system::error_code ec;
  const int number = co_await state_->set.async_wait(boost::asio::redirect_error(use_task, ec));
  co_return ec ? 0 : number;
}

void Signals::cancel() { state_->set.cancel(); }

}  // namespace rouse
