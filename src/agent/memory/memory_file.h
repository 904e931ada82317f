// MEMORY.md: an agent's memory as a file that people read, edit and carry elsewhere.
//
//   # Memory
//
//   ## Notes
//
//   - [5] The dog is named Rex.
//   - [3, agent] Likes short answers.
//     A further line of the same note.
//   - A note written by hand.
//
//   ## Instructions
//
//   Everything from here to the end, as it is.
//
// In brackets stand the importance and, if it is not the owner, who the note comes from. The most
// important and newest comes first. Reading a file that was written gives back the same notes and
// instructions, whatever is in them; by hand other headings may stand between notes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/memory/note.h"

namespace rouse {

inline constexpr std::size_t kMemoryFileBytes = 16 << 20;

struct MemoryFile {
  std::vector<NoteDraft> notes;  // as they stand in the file
  std::string instructions;      // "" if there are none
};

// The pieces of a file, in this order: begin, each note, end.
std::string_view memory_file_begin();
std::string memory_file_line(const Note& note);
std::string memory_file_end(std::string_view instructions);

// Fails with kInvalid, "line 7: …".
Result<MemoryFile> parse_memory_file(std::string_view text);

}  // namespace rouse
