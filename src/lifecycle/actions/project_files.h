// What the four sync actions share: where their file is, whose notes and tasks go into it, and what
// the trace is told.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lifecycle/actions/sync_file.h"
#include "lifecycle/engine/call.h"

namespace rouse::actions {

inline constexpr std::string_view kMemoriesFile = ".rouse/memories.jsonl";
inline constexpr std::string_view kTasksFile = ".rouse/tasks.jsonl";

// The step's `path`, in the project's folder. None: there is no project, or the turn is a
// stranger's, who has no business with files; the trace says so.
std::optional<SyncPlace> shared_file(ActionCall& call, std::string_view usual);

Task<Result<std::optional<std::string>>> read_beside(ActionCall& call, SyncPlace place);

MemoryOwner memory_owner(const ActionCall& call);
// The notes that go into a file, those worth most first, at most kSyncFileLines.
Task<Result<std::vector<Note>>> notes_to_share(ActionCall& call);
// The key of the conversation's project.
Result<std::optional<std::string>> project_of(ActionCall& call);

struct Imported {
  std::int64_t added = 0, renewed = 0;
  std::size_t without_room = 0;
  std::string troubles = {};
};
void say_imported(ActionCall& call, const std::string& path, const Imported& done);

void say_in_trace(ActionCall& call, std::string_view words);

// `Export` has text, added, renewed, without_room and troubles. No file is made for nothing.
template <class Export, class Change>
Result<Export> in_shared_file(const SyncPlace& place, bool nothing_to_share, const Change& change) {
  Export out;
  if (nothing_to_share) return out;
  TRY_VOID(change_sync_file(place, [&](const std::string& before) -> Result<std::string> {
    out = change(before);
    return out.text;
  }));
  return out;
}

template <class Export>
void say_exported(ActionCall& call, const std::string& path, const Export& done) {
  say_imported(call, path,
               {static_cast<std::int64_t>(done.added), static_cast<std::int64_t>(done.renewed),
                done.without_room, done.troubles});
}

}  // namespace rouse::actions
