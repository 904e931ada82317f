#include "lifecycle/actions/all_actions.h"
#include "lifecycle/actions/memory_lines.h"
#include "lifecycle/actions/project_files.h"

namespace rouse::actions {
namespace {

Task<Result<void>> run(ActionCall& call) {
  const auto place = shared_file(call, kMemoriesFile);
  if (!place) co_return Result<void>{};
  CO_TRY(Clock * clock, need(call.hands.clock, "the clock"));
  CO_TRY(std::vector<Note> notes, co_await notes_to_share(call));
  NoteExport done;
  const std::function<Result<NoteExport>()> work = [place = *place, notes = std::move(notes),
                                                    now = clock->wall_now()] {
    return in_shared_file<NoteExport>(place, notes.empty(), [&](const std::string& before) {
      return export_notes(before, notes, now);
    });
  };
  CO_TRY(done, co_await run_beside(call.hands.pool, work));
  say_exported(call, place->path, done);
  co_return Result<void>{};
}

}  // namespace

ActionKind memory_sync_export() {
  return {.name = "memory_sync_export",
          .help =
              "Writes the agent's notes to a file of the project, one a line. What others wrote "
              "there stays. Without a project it does nothing.",
          .arguments = {{"path", ArgumentKind::kText, false,
                         "The file, in the project's folder; .rouse/memories.jsonl if it is not "
                         "said."}},
          .pure = false,
          .run = run};
}

}  // namespace rouse::actions
