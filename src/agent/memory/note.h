// A note: one thing an agent keeps about its person, beyond any conversation. It belongs to one
// agent of one workspace and to nobody else; the default agent is called "".
//
// Provenance says who stands behind it (design.md, rule 8): `owner` wrote it by hand, `sender` and
// `agent` came out of a conversation, `untrusted` was saved while untrusted text was in the prompt.
// An untrusted note is kept and found, but never enters a prompt by itself.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "base/time.h"

namespace rouse {

struct NoteTag {
  static constexpr std::string_view prefix = "note_";
  static constexpr std::string_view noun = "note";
};
using NoteId = Id<NoteTag>;

inline constexpr std::size_t kNoteCharacters = 2'000;
inline constexpr std::int64_t kLeastImportance = 1, kUsualImportance = 3, kMostImportance = 5;
inline constexpr std::int64_t kNotesPerAgent = 200'000;
inline constexpr std::size_t kKeptInstructionCharacters = 4'000;

enum class MemoryErrc : std::uint8_t {
  kNotFound,  // "note_not_found"
  kSameText,  // "note_exists": a change would make two notes say the same
  kFull,      // "memory_full"
};
ErrorInfo error_info(MemoryErrc code);

struct MemoryOwner {
  WorkspaceId workspace;
  std::string agent = {};
  friend auto operator<=>(const MemoryOwner&, const MemoryOwner&) = default;
};

struct Note {
  NoteId id;
  MemoryOwner owner;
  std::string text;
  std::int64_t importance = kUsualImportance;
  std::string provenance;
  // Where it comes from. Nothing if it was written by hand or the conversation was deleted since.
  std::optional<ConversationId> conversation = {};
  std::optional<TurnId> turn = {};
  WallTime created, updated;
  std::int64_t place = 0;  // higher is shown earlier: by importance, then the last one changed

  [[nodiscard]] bool untrusted() const;
};

// What somebody wants kept.
struct NoteDraft {
  std::string text;
  std::optional<std::int64_t> importance = {};
  std::string provenance;
  std::optional<ConversationId> conversation = {};
  std::optional<TurnId> turn = {};
};

// One line end, no other control characters, no blanks around it; fails with kInvalid if nothing is
// left or more than `most` characters are.
Result<std::string> clean_memory_text(std::string_view text, std::string_view field,
                                      std::size_t most);
Result<void> check_importance(std::int64_t importance);

// Two notes say the same if their fingerprints are equal: case and blanks don't count.
std::string note_fingerprint(std::string_view text);

bool is_provenance(std::string_view name);
// Whose word weighs more: owner, sender, agent, untrusted.
std::string_view stronger_provenance(std::string_view a, std::string_view b);

}  // namespace rouse
