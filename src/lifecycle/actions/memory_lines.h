// Notes as lines of memories.jsonl. A note is known by what it says (note_fingerprint), so two
// machines that keep the same thing have one line for it.
//
// What a file says about provenance is believed in one direction only: untrusted stays untrusted;
// everything else that was not kept here before is untrusted, too.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/memory/note.h"
#include "lifecycle/actions/sync_lines.h"

namespace rouse {

struct NoteLine {
  std::string text;
  std::int64_t importance = kUsualImportance;
  std::string provenance;
  WallTime created, updated;

  static Result<NoteLine> read(std::string_view line);
  static NoteLine of(const Note& note);
  [[nodiscard]] std::string write() const;
  [[nodiscard]] std::string key() const { return note_fingerprint(text); }
  [[nodiscard]] bool beats(const NoteLine& other) const;
  friend bool operator==(const NoteLine&, const NoteLine&) = default;
};

struct NoteExport {
  std::string text;  // of the file
  std::size_t added = 0, renewed = 0, without_room = 0;
  std::string troubles = {};
};
// The file with these notes in it. `notes` come in the order of their worth.
NoteExport export_notes(std::string_view file, const std::vector<Note>& notes, WallTime now);

struct NoteImport {
  std::vector<NoteDraft> drafts;  // what is to be saved, the newest first
  std::string troubles = {};
};
NoteImport import_notes(std::string_view file, const std::vector<Note>& known, WallTime now);

}  // namespace rouse
