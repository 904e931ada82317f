// What agents keep: notes and instructions, per workspace and agent, durable. Every change of a
// note and its entry in the word index are one write.
//
// - Saying the same again (case and blanks don't count) renews the note that is there; there are no
//   doubles. The stronger provenance stays: untrusted text never takes over a note that somebody
//   stands behind.
// - A book is the memory of one agent. It counts its notes, so that the bound (kNotesPerAgent), the
//   prompt and "is this a new user?" cost a point read and no scan.
// - Instructions have one version in force. One that was set in a tainted turn is kept but not in
//   force: until the owner saves it, the last trusted one stays.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/memory/note.h"
#include "base/clock.h"
#include "base/random.h"
#include "store/database.h"
#include "store/word_index.h"

namespace rouse {

inline constexpr std::size_t kNotesAtOnce = 32;  // read by their places

struct Instructions {
  std::string text;
  std::string provenance;
  std::string previous;  // the last trusted text before this one, or ""
  WallTime updated;
  [[nodiscard]] const std::string& in_force() const;
};

struct BookCounts {
  std::int64_t notes = 0;
  std::int64_t untrusted = 0;  // of these
};

enum class Kept : std::uint8_t { kAdded, kRenewed, kUnchanged };

struct KeptNote {
  Note note;
  Kept how = Kept::kAdded;
};

struct KeptNotes {
  std::int64_t added = 0, renewed = 0, unchanged = 0;
};

class MemoryBook {
 public:
  MemoryBook(Database& database, const WordIndex& index, Clock& clock, Random& random)
      : database_(database), index_(index), clock_(clock), random_(random) {}

  // Told after each write that may have changed an owner's memory, also one that failed.
  void on_change(std::function<void(const MemoryOwner&)> told) { changed_ = std::move(told); }

  // --- notes. Fail with kInvalid, MemoryErrc or as the store does.
  Result<Note> get(const WorkspaceId& workspace, const NoteId& id);
  Task<Result<KeptNote>> save(MemoryOwner owner, NoteDraft draft);
  // Notes as they should be; those that are so already stay untouched. The first becomes the
  // newest, and of several that say the same the first counts. In writes of a bounded size: a
  // failure on the way leaves what was saved before.
  Task<Result<KeptNotes>> save_all(MemoryOwner owner, std::vector<NoteDraft> drafts);
  // By the owner's hand: a text that is given makes the note the owner's.
  Task<Result<Note>> change(WorkspaceId workspace, NoteId id, std::optional<std::string> text,
                            std::optional<std::int64_t> importance);
  Task<Result<void>> forget(Note note);
  // Highest place first, below `before`.
  Task<Result<std::vector<Note>>> page(MemoryOwner owner, std::optional<std::int64_t> before,
                                       std::size_t limit);
  // Those that are there, in no particular order; at most kNotesAtOnce places.
  Task<Result<std::vector<Note>>> at(MemoryOwner owner, std::vector<std::int64_t> places);
  // The first trusted ones, until their texts pass so many bytes.
  Result<std::vector<Note>> first_trusted(const MemoryOwner& owner, std::size_t bytes);
  Result<BookCounts> counts(const MemoryOwner& owner);

  // --- instructions. There are none: an empty text.
  Result<Instructions> instructions(const MemoryOwner& owner);
  Task<Result<Instructions>> set_instructions(MemoryOwner owner, std::string text,
                                              std::string provenance);

  // All that a workspace's agents keep, in writes of a bounded size: the workspace is deleted.
  Task<Result<std::int64_t>> forget_workspace(WorkspaceId workspace);

 private:
  struct Change {  // one note on its way into a write
    KeptNote kept;
    std::optional<Note> old;
  };
  struct Numbered {
    NoteDraft draft;
    std::string fingerprint;
    std::int64_t number = 0;
  };
  struct Batch {
    Write write;
    std::size_t words = 0;  // that it adds to the index
  };
  Result<std::int64_t> next_numbers(std::size_t count);  // the last of so many
  Result<std::optional<Note>> saying(const MemoryOwner& owner, const std::string& fingerprint);
  Change plan(const MemoryOwner& owner, const NoteDraft& draft, std::optional<Note> old,
              std::int64_t number);
  [[nodiscard]] Note renewed(const Note& old, std::string text, std::int64_t importance,
                             std::string_view provenance, std::int64_t number) const;
  void add_to(Batch& batch, const Change& change) const;
  void add_new(Batch& batch, const Note& note) const;
  void add_renewed(Batch& batch, const Note& old, const Note& note) const;
  Task<Result<KeptNotes>> save_some(MemoryOwner owner, std::vector<Numbered> drafts);
  Task<Result<void>> commit(MemoryOwner owner, Batch batch);
  Result<void> explain_conflict(const MemoryOwner& owner, std::size_t added, int tries);
  void tell(const MemoryOwner& owner) {
    counted_.erase(owner);
    if (changed_) changed_(owner);
  }

  Database& database_;
  const WordIndex& index_;
  Clock& clock_;
  Random& random_;
  std::function<void(const MemoryOwner&)> changed_;
  std::map<MemoryOwner, BookCounts> counted_;  // every turn asks; until a write touches it
  std::optional<std::int64_t> number_;         // the last one given out; nothing before the first
};

// How the word index names an owner.
std::string index_owner(const MemoryOwner& owner);

}  // namespace rouse
