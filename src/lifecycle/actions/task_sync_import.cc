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
  CO_TRY(const auto file, co_await read_beside(call, *place));
  if (!file) co_return Result<void>{};
  TaskPlace here{call.event.turn.workspace};
  CO_TRY(here.project, project_of(call));
  CO_TRY(std::vector<StoredTask> known,
         co_await tasks_to_share(*database, here.workspace, here.project));
  const WallTime now = clock->wall_now();
  const std::function<Result<TaskImport>()> work = [file = *file, known = std::move(known), here,
                                                    now]() -> Result<TaskImport> {
    return import_tasks(file, known, here, now);
  };
  CO_TRY(TaskImport found, co_await run_beside(call.hands.pool, work));
  const Imported said{static_cast<std::int64_t>(found.added.size()),
                      static_cast<std::int64_t>(found.renewed.size()), found.without_room,
                      found.troubles};
  CO_TRY_VOID(
      co_await take_in_tasks(*database, call.hands.events, here.workspace, std::move(found), now));
  say_imported(call, place->path, said);
  co_return Result<void>{};
}

}  // namespace

ActionKind task_sync_import() {
  return {.name = "task_sync_import",
          .help =
              "Takes in tasks from a file of the project: adds what is missing and renews what "
              "is newer there; deletes nothing, and what is done stays done. Words that are "
              "new come in as untrusted. Without a project, or without the file, it does "
              "nothing.",
          .arguments = {{"path", ArgumentKind::kText, false,
                         "The file, in the project's folder; .rouse/tasks.jsonl if it is not "
                         "said."}},
          .pure = false,
          .run = run};
}

}  // namespace rouse::actions
