// Which documents hold these words: an index of whole words, as the house sees it. Made by
// `CREATE WORD INDEX memory_words` in the schema; what that becomes is the backend's business.
// Statements for a Write and queries for read_page(), so a document and its entry change in one
// write.
//
// - A document is a position, an owner and a set of words. What a word is, how it is folded, which
//   are worth keeping: the asker's choice. Two words are the same if their bytes are.
// - The owner is part of every word: a search walks only the documents of the owner it names,
//   however many others there are.
// - Exact: a document is found by its words and by no others (but for a collision of 60-bit
// hashes).
// - Highest position first and never further than asked, so positions that say what matters most
//   make a long list as cheap as a short one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "store/database.h"

namespace rouse {

class WordIndex {
 public:
  virtual ~WordIndex() = default;

  // At a position where nothing is.
  [[nodiscard]] virtual Statement add(std::int64_t position, const std::string& owner,
                                      const std::vector<std::string>& words) const = 0;
  [[nodiscard]] virtual Statement remove(std::int64_t position) const = 0;

  // A share of the index's upkeep that goes with so many words added or removed. Belongs at the end
  // of such a write.
  [[nodiscard]] virtual Statement tidy(std::size_t words) const = 0;

  // Rows of (position BIGINT): the documents that hold all of these words. At least one word.
  [[nodiscard]] virtual Query holding(const std::string& owner,
                                      const std::vector<std::string>& words,
                                      std::size_t limit) const = 0;
};

}  // namespace rouse
