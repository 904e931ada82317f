#include "lifecycle/actions/all_actions.h"
#include "lifecycle/actions/memory_lines.h"
#include "lifecycle/actions/project_files.h"

namespace rouse::actions {
namespace {

Task<Result<void>> run(ActionCall& call) {
  const auto place = shared_file(call, kMemoriesFile);
  if (!place) co_return Result<void>{};
  CO_TRY(Clock * clock, need(call.hands.clock, "the clock"));
  CO_TRY(const auto file, co_await read_beside(call, *place));
  if (!file) co_return Result<void>{};
  CO_TRY(std::vector<Note> known, co_await notes_to_share(call));
  const std::function<Result<NoteImport>()> work =
      [file = *file, known = std::move(known), now = clock->wall_now()]() -> Result<NoteImport> {
    return import_notes(file, known, now);
  };
  CO_TRY(NoteImport found, co_await run_beside(call.hands.pool, work));
  KeptNotes kept;
  if (!found.drafts.empty()) {
    CO_TRY(kept, co_await call.hands.memory->save_all(memory_owner(call), std::move(found.drafts)));
  }
  say_imported(call, place->path, {kept.added, kept.renewed, 0, found.troubles});
  co_return Result<void>{};
}

}  // namespace

ActionKind memory_sync_import() {
  return {.name = "memory_sync_import",
          .help =
              "Takes in notes from a file of the project: adds what is missing and renews what "
              "is newer there; deletes nothing. What is new comes in as untrusted. Without a "
              "project, or without the file, it does nothing.",
          .arguments = {{"path", ArgumentKind::kText, false,
                         "The file, in the project's folder; .rouse/memories.jsonl if it is not "
                         "said."}},
          .pure = false,
          .run = run};
}

}  // namespace rouse::actions
