// What a person types into the search field, and where it is found in a text. Pure functions, no
// store.
//
// Blanks separate words, and all words must occur, in any order. "Quoted words" stay together,
// blanks and all; a quote that is never closed ends with the query. A word is found wherever its
// characters stand, inside longer words, too: there are no operators, and punctuation is as good as
// a letter. Case is ignored; accents are not: cafe doesn't find café.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace rouse {

inline constexpr std::size_t kSearchTextBytes = 512;  // of one query
inline constexpr std::size_t kSearchWords = 16;
inline constexpr std::size_t kSnippetBytes = 160;  // of the text, without the "…" at cut ends

// Fails with kInvalid, for a person, if there is nothing to look for or too much of it.
Result<std::vector<std::string>> search_words(std::string_view query);

// Capital letters made small, for Latin, Greek, Cyrillic, Armenian and full-width letters; all else
// stays. Each letter keeps its length in bytes, so what is found in the folded text is at the same
// place in the text itself. (That leaves out a few, like ẞ and the Turkish İ.)
std::string fold_case(std::string_view text);

struct Snippet {
  std::string text;
  // (first, length) of each match in it, in characters (code points, not bytes), in order and
  // apart from one another.
  std::vector<std::pair<std::int64_t, std::int64_t>> matches;
  friend bool operator==(const Snippet&, const Snippet&) = default;
};

// The surroundings of the first match, or nullopt if not all of the (folded) words are in the text.
std::optional<Snippet> find_words(std::string_view text, const std::vector<std::string>& folded);

}  // namespace rouse
