// Signals as something to wait for on the loop.
#pragma once

#include <initializer_list>
#include <memory>

#include "base/loop.h"
#include "base/task.h"

namespace rouse {

class Signals {
 public:
  Signals(Loop& loop, std::initializer_list<int> numbers);
  ~Signals();
  // The next signal's number; 0 after cancel().
  Task<int> next();
  void cancel();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rouse
