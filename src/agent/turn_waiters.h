// Who waits for the end of a turn. Memory only: whoever asks again after a restart finds the turn
// in the ledger.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <vector>

#include "agent/turn_runner.h"

namespace rouse {

class TurnWaiters {
 public:
  // Until the turn is answered for. The stop only ends the waiting: kCancelled.
  Task<Result<TurnOutcome>> wait(TurnId turn, std::stop_token stop);
  // Everybody who waits for it is told.
  void answer(const TurnId& turn, const Result<TurnOutcome>& outcome);
  // What is waited for.
  [[nodiscard]] std::vector<TurnId> turns() const;

 private:
  struct Waiter;
  std::unordered_map<std::string, std::vector<std::shared_ptr<Waiter>>> waiting_;  // by turn id
};

}  // namespace rouse
