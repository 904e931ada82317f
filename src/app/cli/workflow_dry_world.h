// What a dry run knows of the world: the project and the task that --data tells of, and nothing
// else. Whatever else an action asks for is not at hand, and it says so.
#pragma once

#include <memory>

#include "agent/task/task_book.h"
#include "app/cli/workflow_event.h"
#include "lifecycle/engine/hands.h"

namespace rouse::cli {

class DryWorld {
 public:
  explicit DryWorld(const GivenEvent& given);
  ~DryWorld();
  DryWorld(const DryWorld&) = delete;
  DryWorld& operator=(const DryWorld&) = delete;

  [[nodiscard]] LifecycleHands hands();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace rouse::cli
