// MEMORY.md in and out of the store (memory_file.h has the format). Reading in adds and renews,
// takes nothing away, and changes nothing that is so already: what was written out can be read in
// any number of times.
#pragma once

#include <functional>
#include <string>

#include "agent/memory/memory_book.h"

namespace rouse {

struct MemoryImport {
  KeptNotes notes;
  bool instructions_changed = false;
};

// Piece by piece, however large it is; ends at the first piece that isn't taken.
Task<Result<void>> export_memory(MemoryBook& book, MemoryOwner owner,
                                 std::function<Task<Result<void>>(std::string)> out);

// Nothing is changed if a line is wrong. By the owner's hand: a note without a word on who it comes
// from is the owner's.
Task<Result<MemoryImport>> import_memory(MemoryBook& book, MemoryOwner owner, std::string markdown);

}  // namespace rouse
