// `dream`: one of rouse's own jobs, off unless somebody asks for it. At night it makes one note of
// notes that say the same, so that memory stays small and prompts hold more of it.
//
// - Without a model: notes with the same words (case, blanks and marks around words don't count)
//   become one: the one that somebody stands behind more, else the more important, else the newer.
// - With a model: it may propose to merge notes that agents made. Its words must be those of the
//   notes, none made up and none lost; what doesn't fit is left alone.
// - Untrusted notes are never shown to the model and never become part of trusted ones. What a
//   person wrote is never reworded.
// - Bounded per night. Before a note goes, an event `memory_merged` holds all that it said, so a
//   merge can be taken back by hand.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "agent/memory/memory_book.h"
#include "base/log.h"
#include "schedule/job_book.h"
#include "schedule/outcome.h"
#include "session/agents.h"
#include "session/one_shot.h"

namespace rouse {

inline constexpr std::string_view kDreamId = "dream";
inline constexpr std::size_t kDreamNotes = 2'000;  // of a book that are looked at in a night
inline constexpr std::size_t kDreamMerges = 100;   // in a night
inline constexpr std::size_t kDreamShown = 80;     // notes of a book, to the model
inline constexpr std::size_t kDreamProposals = 10;

class Dream {
 public:
  struct Parts {
    Clock& clock;
    Database& database;
    JobBook& book;
    MemoryBook& memory;
    Agents& agents;
    EventLog& events;
    const Log& log;
  };
  explicit Dream(Parts parts) : parts_(parts) {}
  void use_model(OneShot* model) { model_ = model; }  // null: there is none

  // The job is there and due at this cron expression, or it isn't there.
  Task<Result<void>> ensure(bool wanted, std::string at);

  // One night, for the job's workspace. Fits Scheduler::SystemRun.
  Task<RunEnd> run(Job job, std::stop_token stop);

 private:
  struct Merge {
    Note kept;                  // as it shall be; a new text has no id yet
    std::vector<Note> dropped;  // all but the kept
    bool reworded = false;      // a new note takes their place
  };
  Task<Result<std::size_t>> consolidate(MemoryOwner owner, std::size_t most, std::stop_token stop);
  Task<Result<std::vector<Merge>>> proposals(MemoryOwner owner, std::vector<Note> notes,
                                             std::string zone);
  Task<Result<void>> carry_out(Merge merge);

  Parts parts_;
  OneShot* model_ = nullptr;
  std::string zone_ = "UTC";
};

// --- pure; for tests
// The words of a note as they are compared: no case, no marks around them.
std::vector<std::string> plain_words(std::string_view text);

}  // namespace rouse
