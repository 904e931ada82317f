// Recall: the notes that fit a question, best first. A note fits if it has one of the question's
// words (note_words.h); the more of them, and the rarer these are, the better. Among equals the
// more important and the newer comes first. A question without words of its own ("what do you know
// about me?") gets what matters most.
//
// However many notes there are, a question costs a bounded number of bounded reads: of each word's
// notes only the first few hundred are looked at, in the order of their places. A word with more is
// a common one; notes that have such words together are asked for by themselves, at most twice,
// and in a large memory not if the newest notes show that the words keep apart.
#pragma once

#include <string>
#include <vector>

#include "agent/memory/memory_book.h"

namespace rouse {

inline constexpr std::size_t kQuestionBytes = 1'000;
inline constexpr std::size_t kRecalledNotes = 200;

struct Question {
  MemoryOwner owner;
  std::string text;
  std::size_t limit = 10;  // at most kRecalledNotes
};

// Two words that stand in so many of the newest notes that chance alone would bring them together,
// and never do, like "home" and "work". To look for both in a large memory would be a walk through
// all of it for nothing. Each by its places, highest first.
bool keep_apart(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b);
// A word that nine of ten notes have: to look for it beside others is a walk for nothing.
bool stands_everywhere(const std::vector<std::int64_t>& places);

class MemoryRecall {
 public:
  MemoryRecall(Database& database, const WordIndex& index, MemoryBook& book, Clock& clock)
      : database_(database), index_(index), book_(book), clock_(clock) {}

  // Fails with kInvalid if the question is empty or too long.
  Task<Result<std::vector<Note>>> find(Question question);

 private:
  Task<Result<std::vector<std::int64_t>>> holding(std::string owner, std::vector<std::string> words,
                                                  std::size_t limit);

  Database& database_;
  const WordIndex& index_;
  MemoryBook& book_;
  Clock& clock_;
};

}  // namespace rouse
