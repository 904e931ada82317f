// The tasks of a workspace on their way into a shared file and back (task_lines.h has the rules).
// Beside TaskBook, because here a task comes with its id, its state and its times.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lifecycle/actions/task_lines.h"
#include "session/event_log.h"
#include "store/database.h"

namespace rouse {

// Those of the project and those without one, the newest first, at most kSyncFileLines.
Task<Result<std::vector<StoredTask>>> tasks_to_share(Database& database, WorkspaceId workspace,
                                                     std::optional<std::string> project);

// In writes of a bounded size. A task that somebody changed meanwhile is left to the next time;
// answers how many were taken.
Task<Result<std::size_t>> take_in_tasks(Database& database, EventLog* events, WorkspaceId workspace,
                                        TaskImport tasks, WallTime now);

}  // namespace rouse
