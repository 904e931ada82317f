// The tasks of a session in a few words, for the model. Words that came from outside are not among
// them: whoever wants them asks the task tool, which taints the turn.
#pragma once

#include <optional>
#include <string>

#include "lifecycle/engine/call.h"

namespace rouse::actions {

// The one that was claimed in this session, if it is still there.
Result<std::optional<TaskItem>> claimed_task(const ActionCall& call);

// "#7 Write the report", or "#7 (its words come from outside …)".
std::string task_line(const TaskItem& task);

// The claimed task with its details, and up to five open ones of the project; "" if there are none.
Task<Result<std::string>> task_context(ActionCall& call);

}  // namespace rouse::actions
