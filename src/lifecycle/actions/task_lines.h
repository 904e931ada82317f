// Tasks as lines of tasks.jsonl. Numbers are of one workspace, so a task is known by its id; one
// that got another id here (two workspaces that share a file) by its title and when it was made.
//
// What has ended stays ended, whoever touched it later; else the later word counts. Words that come
// from a file are untrusted: a task that is new here, and one whose words the file changes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/task/task_book.h"
#include "lifecycle/actions/sync_lines.h"

namespace rouse {

struct TaskLine {
  std::string id;
  std::string title, detail;
  std::string state = "open";
  std::optional<std::string> claimed_by = {}, reason = {};
  std::vector<std::string> commits = {};
  std::optional<std::string> project = {};  // its key where it was written
  std::string provenance;
  WallTime created, updated;
  std::optional<WallTime> ended = {};

  static Result<TaskLine> read(std::string_view line);
  static TaskLine of(std::string id, const TaskItem& task);
  [[nodiscard]] std::string write() const;
  [[nodiscard]] const std::string& key() const { return id; }
  [[nodiscard]] bool beats(const TaskLine& other) const;
  friend bool operator==(const TaskLine&, const TaskLine&) = default;
};

// What a task is called in a workspace whose own store knows its id from another one. Always the
// same, so that it is taken in once.
std::string second_task_id(const WorkspaceId& workspace, const std::string& id);

struct StoredTask {
  std::int64_t number = 0;
  TaskLine task;
};

struct TaskExport {
  std::string text;  // of the file
  std::size_t added = 0, renewed = 0, without_room = 0;
  std::string troubles = {};
};
// The file with these tasks in it; the first of `tasks` are the first to find room.
TaskExport export_tasks(std::string_view file, const std::vector<StoredTask>& tasks, WallTime now);

struct TaskImport {
  std::vector<TaskLine> added;  // with ids, projects and provenance as they are to be stored
  struct Renewed {
    StoredTask before;
    TaskLine after;
  };
  std::vector<Renewed> renewed = {};
  std::size_t without_room = 0;  // more than kTasksActive would be open
  std::string troubles = {};
};
struct TaskPlace {
  WorkspaceId workspace;
  std::optional<std::string> project = {};  // the conversation's
};
TaskImport import_tasks(std::string_view file, const std::vector<StoredTask>& known,
                        const TaskPlace& place, WallTime now);

}  // namespace rouse
