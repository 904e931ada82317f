#include "agent/turn_waiters.h"

namespace rouse {

struct TurnWaiters::Waiter {
  Completer<Result<TurnOutcome>> done;
  void answer(Result<TurnOutcome> outcome) {
    if (done) std::exchange(done, nullptr)(std::move(outcome));
  }
};

Task<Result<TurnOutcome>> TurnWaiters::wait(TurnId turn, std::stop_token stop) {
  auto waiter = std::make_shared<Waiter>();
  waiting_[turn.str()].push_back(waiter);
  const std::stop_callback given_up(
      stop, [waiter] { waiter->answer(fail(Errc::kCancelled, "nobody waits any more")); });
  co_return co_await complete_later<Result<TurnOutcome>>(
      [waiter, stop](Completer<Result<TurnOutcome>> done) {
        waiter->done = std::move(done);
        if (stop.stop_requested()) {
          waiter->answer(fail(Errc::kCancelled, "nobody waits any more"));
        }
      });
}

void TurnWaiters::answer(const TurnId& turn, const Result<TurnOutcome>& outcome) {
  const auto found = waiting_.find(turn.str());
  if (found == waiting_.end()) return;
  const auto waiting = std::move(found->second);
  waiting_.erase(found);
  for (const auto& waiter : waiting) waiter->answer(outcome);
}

std::vector<TurnId> TurnWaiters::turns() const {
  std::vector<TurnId> out;
  for (const auto& [id, waiting] : waiting_) {
    if (const auto turn = TurnId::parse(id)) out.push_back(*turn);
  }
  return out;
}

}  // namespace rouse
