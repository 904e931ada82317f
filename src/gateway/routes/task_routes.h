// Tasks over the API: list, read, add, and the steps of their life. The workspace is the caller's;
// an admin may name another.
#pragma once

#include "agent/task/task_book.h"
#include "gateway/route.h"
#include "session/workspaces.h"

namespace rouse {

struct TaskView {
  std::int64_t number = 0;
  std::string title, detail, state;
  std::optional<std::string> claimed_by, reason, project;
  std::vector<std::string> commits;
  std::string from;
  std::optional<std::string> conversation_id, turn_id;
  std::string created_at, updated_at;
  std::optional<std::string> ended_at;
};
inline auto shape(const TaskView*) {
  return fields(field("number", &TaskView::number, "What it is called: #7"),
                field("title", &TaskView::title, "What is to be done, in a line"),
                field("detail", &TaskView::detail, "The rest of it"),
                field("state", &TaskView::state, "Where it stands")
                    .one_of({"open", "claimed", "done", "closed"}),
                field("claimed_by", &TaskView::claimed_by, "Who works or worked on it"),
                field("reason", &TaskView::reason, "Why it was closed, or how it was done"),
                field("project", &TaskView::project, "Key of the project it belongs to"),
                field("commits", &TaskView::commits, "That did it"),
                field("from", &TaskView::from, "Who made it: owner, agent, or untrusted text"),
                field("conversation_id", &TaskView::conversation_id, "Where an agent made it"),
                field("turn_id", &TaskView::turn_id, "The turn that made it"),
                field("created_at", &TaskView::created_at, "When it was made"),
                field("updated_at", &TaskView::updated_at, "When it last changed"),
                field("ended_at", &TaskView::ended_at, "When it was done or closed"));
}
struct TaskPage {
  std::vector<TaskView> items;
  std::optional<std::string> next_cursor;
};
inline auto shape(const TaskPage*) {
  return fields(field("items", &TaskPage::items, "One page, the newest first"),
                field("next_cursor", &TaskPage::next_cursor, "Null on the last page").or_null());
}
struct TaskAsk {
  std::string title;
  std::optional<std::string> detail, project;
};
inline auto shape(const TaskAsk*) {
  return fields(field("title", &TaskAsk::title, "What is to be done, in a line"),
                field("detail", &TaskAsk::detail, "The rest of it"),
                field("project", &TaskAsk::project, "Key of a project"));
}
struct TaskPatch {
  std::string action;
  std::optional<std::string> by, reason;
  std::optional<std::vector<std::string>> commits;
};
inline auto shape(const TaskPatch*) {
  return fields(
      field("action", &TaskPatch::action, "The step").one_of({"claim", "complete", "close"}),
      field("by", &TaskPatch::by, "Who claims it; default the name of the token"),
      field("reason", &TaskPatch::reason, "Why; a close needs one"),
      field("commits", &TaskPatch::commits, "That did it"));
}

class TaskRoutes {
 public:
  TaskRoutes(TaskBook& book, Workspaces& workspaces) : book_(book), workspaces_(workspaces) {}
  void add_to(RouteTable& table);

 private:
  Task<Result<TaskPage>> list(Call& call);
  Result<TaskView> get(Call& call);
  Task<Result<TaskView>> add(Call& call, TaskAsk wanted);
  Task<Result<TaskView>> change(Call& call, TaskPatch wanted);

  TaskBook& book_;
  Workspaces& workspaces_;
};

}  // namespace rouse
