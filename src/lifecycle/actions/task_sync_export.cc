#include "lifecycle/actions/all_actions.h"
#include "lifecycle/actions/project_files.h"
#include "lifecycle/actions/task_exchange.h"

namespace rouse::actions {
namespace {

Task<Result<void>> run(ActionCall& call) {
  const auto place = shared_file(call, kTasksFile);
  if (!place) co_return Result<void>{};
  CO_TRY(Clock * clock, need(call.hands.clock, "the clock"));
  CO_TRY(Database * database, need(call.hands.database, "the store"));
  CO_TRY(auto project, project_of(call));
  CO_TRY(std::vector<StoredTask> tasks,
         co_await tasks_to_share(*database, call.event.turn.workspace, std::move(project)));
  const std::function<Result<TaskExport>()> work = [place = *place, tasks = std::move(tasks),
                                                    now = clock->wall_now()] {
    return in_shared_file<TaskExport>(place, tasks.empty(), [&](const std::string& before) {
      return export_tasks(before, tasks, now);
    });
  };
  CO_TRY(const TaskExport done, co_await run_beside(call.hands.pool, work));
  say_exported(call, place->path, done);
  co_return Result<void>{};
}

}  // namespace

ActionKind task_sync_export() {
  return {.name = "task_sync_export",
          .help =
              "Writes the tasks of the project, and those without one, to a file of the "
              "project, one a line. What others wrote there stays. Without a project it does "
              "nothing.",
          .arguments = {{"path", ArgumentKind::kText, false,
                         "The file, in the project's folder; .rouse/tasks.jsonl if it is not "
                         "said."}},
          .pure = false,
          .run = run};
}

}  // namespace rouse::actions
