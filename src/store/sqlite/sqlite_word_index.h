// The WordIndex of word_index.h as an FTS5 table (dialect.h says how it is made). A word is stored
// as 15 hex digits of the hash of owner and word: the tokenizer has nothing to decide, nobody's
// text can look like another owner's word, and a list is as long as this owner's documents with the
// word, not as everybody's.
#pragma once

#include "store/word_index.h"

namespace rouse {

class SqliteWordIndex final : public WordIndex {
 public:
  [[nodiscard]] Statement add(std::int64_t position, const std::string& owner,
                              const std::vector<std::string>& words) const override;
  [[nodiscard]] Statement remove(std::int64_t position) const override;
  [[nodiscard]] Statement tidy(std::size_t words) const override;
  [[nodiscard]] Query holding(const std::string& owner, const std::vector<std::string>& words,
                              std::size_t limit) const override;
};

}  // namespace rouse
