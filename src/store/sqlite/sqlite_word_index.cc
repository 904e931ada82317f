#include "store/sqlite/sqlite_word_index.h"

#include <algorithm>

#include "base/text.h"

namespace rouse {
namespace {

constexpr std::string_view kAdd = "INSERT INTO memory_words (rowid, words) VALUES ($1, $2)";
constexpr std::string_view kRemove = "DELETE FROM memory_words WHERE rowid = $1";
constexpr std::string_view kMerge =
    "INSERT INTO memory_words (memory_words, rank) VALUES ('merge', $1)";
constexpr std::string_view kHolding =
    "SELECT rowid FROM memory_words WHERE memory_words MATCH $1 ORDER BY rowid DESC LIMIT $2";

// As for the index of messages: four pages are rewritten for each one that is new.
constexpr std::int64_t kMergePages = 8;
constexpr std::size_t kWordsPerMergePage = 32;
constexpr std::int64_t kMostMergePages = 128;

// An 'h' in front: all digits or an "e" among them must not be read as a number.
std::string token_of(const std::string& owner, const std::string& word) {
  std::string key = owner;
  key += '\0';
  key += word;
  return "h" + to_hex(sha256(key)).substr(0, 15);
}

std::string joined(const std::string& owner, const std::vector<std::string>& words,
                   std::string_view between) {
  std::string out;
  for (const std::string& word : words) {
    if (!out.empty()) out += between;
    out += token_of(owner, word);
  }
  return out;
}

}  // namespace

Statement SqliteWordIndex::add(std::int64_t position, const std::string& owner,
                               const std::vector<std::string>& words) const {
  return {kAdd, {position, joined(owner, words, " ")}, 1};
}

Statement SqliteWordIndex::remove(std::int64_t position) const { return {kRemove, {position}, {}}; }

Statement SqliteWordIndex::tidy(std::size_t words) const {
  const auto pages = kMergePages + static_cast<std::int64_t>(words / kWordsPerMergePage);
  return {kMerge, {std::min(pages, kMostMergePages)}, {}};
}

Query SqliteWordIndex::holding(const std::string& owner, const std::vector<std::string>& words,
                               std::size_t limit) const {
  return {kHolding, {joined(owner, words, " AND "), static_cast<std::int64_t>(limit)}, limit};
}

}  // namespace rouse
