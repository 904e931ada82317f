// What is to be done in a workspace: tasks with small numbers that people and agents name (#7),
// claim, complete and close. A number is given at commit and never again.
//
// - A task is open, then claimed (one can go without), then done, or closed with a reason. What is
//   done or closed stays so. The first claim wins: every change expects the state it found.
// - Every change is an event of the workspace (`task_changed`), written with it.
// - What a tainted turn made or changed is untrusted, and whoever lists it is told.
// - Bounded: kTasksActive tasks that are not ended, the newest kTasksKept of all; of what is older,
//   ended tasks are let go when a new one is added.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "base/random.h"
#include "session/content.h"
#include "session/event_log.h"
#include "store/database.h"

namespace rouse {

enum class TaskErrc : std::uint8_t {
  kNotFound,    // "task_not_found"
  kWrongState,  // "task_wrong_state": claimed by another, done or closed already
};
ErrorInfo error_info(TaskErrc code);

inline constexpr std::int64_t kTasksActive = 500;
inline constexpr std::int64_t kTasksKept = 10'000;
inline constexpr std::size_t kTaskTitleBytes = 300;
inline constexpr std::size_t kTaskDetailBytes = 8'192;
inline constexpr std::size_t kTaskReasonBytes = 2'000;
inline constexpr std::size_t kTaskCommits = 50;

struct TaskTag {
  static constexpr std::string_view prefix = "task_";
  static constexpr std::string_view noun = "task";
};
using TaskId = Id<TaskTag>;

struct TaskItem {
  std::int64_t number = 0;
  std::string title, detail;
  std::string state = "open";  // open, claimed, done, closed
  std::optional<std::string> claimed_by = {}, reason = {};
  std::vector<std::string> commits = {};
  std::optional<std::string> project = {};
  std::string provenance;
  std::optional<std::string> conversation = {}, turn = {};  // where it came from
  WallTime created, updated;
  std::optional<WallTime> ended = {};
};

struct TaskDraft {
  std::string title, detail = {};
  std::optional<std::string> project = {};
  std::string provenance = std::string(kFromOwner);
  std::optional<std::string> conversation = {}, turn = {};
};

enum class TaskStep : std::uint8_t { kClaim, kComplete, kClose };
std::optional<TaskStep> parse_task_step(std::string_view word);  // claim, complete, close

struct TaskChange {
  std::int64_t number = 0;
  TaskStep step = TaskStep::kClaim;
  std::string by = {};                     // of a claim: an agent's or a person's name
  std::optional<std::string> reason = {};  // a close needs one
  std::vector<std::string> commits = {};   // that did it
  bool tainted = false;
};

struct TaskFilter {
  std::string state = {};  // one of the states, "active" (open or claimed), "": all
  std::optional<std::string> project = {};
  std::optional<std::int64_t> before = {};  // a number
};

class TaskBook {
 public:
  TaskBook(Database& database, Clock& clock, Random& random, EventLog& events)
      : database_(database), clock_(clock), random_(random), events_(events) {}

  Task<Result<TaskItem>> add(WorkspaceId workspace, TaskDraft draft);
  Task<Result<TaskItem>> change(WorkspaceId workspace, TaskChange wanted);
  Result<TaskItem> get(const WorkspaceId& workspace, std::int64_t number);
  // The highest numbers first.
  Task<Result<std::vector<TaskItem>>> page(WorkspaceId workspace, TaskFilter filter,
                                           std::size_t limit);
  // The number of the one active task that is called so, or whose title alone contains the words.
  Result<std::int64_t> number_of(const WorkspaceId& workspace, const std::string& words);

  // All of a workspace that is being removed.
  Task<Result<void>> clear(WorkspaceId workspace);

  static bool is_filter(std::string_view state);

 private:
  Database& database_;
  Clock& clock_;
  Random& random_;
  EventLog& events_;
};

}  // namespace rouse
