#include "agent/memory/note_words.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <unordered_set>

#include "session/search/search_words.h"

namespace rouse {
namespace {

constexpr std::size_t kWordBytes = 64;

// Sorted. What questions and sentences are built with, in English; in other languages how rare a
// word is has to do.
constexpr auto kStopWords = std::to_array<std::string_view>(
    {"a",     "about", "again", "all",   "also",  "am",     "an",    "and",    "any",    "are",
     "as",    "at",    "be",    "been",  "being", "but",    "by",    "call",   "called", "can",
     "could", "d",     "did",   "do",    "does",  "doing",  "don",   "for",    "from",   "had",
     "has",   "have",  "he",    "her",   "hers",  "him",    "his",   "how",    "i",      "if",
     "in",    "into",  "is",    "it",    "its",   "just",   "know",  "ll",     "m",      "me",
     "mine",  "my",    "of",    "on",    "or",    "our",    "ours",  "please", "re",     "remember",
     "s",     "said",  "say",   "shall", "she",   "should", "so",    "some",   "t",      "tell",
     "than",  "that",  "the",   "their", "them",  "then",   "there", "these",  "they",   "this",
     "those", "to",    "too",   "us",    "ve",    "very",   "was",   "we",     "were",   "what",
     "when",  "where", "which", "who",   "whom",  "whose",  "why",   "will",   "with",   "would",
     "you",   "your",  "yours"});
static_assert(std::ranges::is_sorted(kStopWords));

// The letter below the accent, for the small letters à to ÿ and for U+0100 to U+017F.
constexpr std::string_view kLatin1Bases = "aaaaaaaceeeeiiiidnooooo ouuuuyty";
constexpr std::string_view kLatinABases =
    "aaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiiiiijjkkklllllll"
    "lllnnnnnnnnnoooooooorrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs";

struct Block {
  std::uint32_t first, last;
};
template <std::size_t N>
constexpr bool in_blocks(std::uint32_t c, const std::array<Block, N>& blocks) {
  return std::ranges::any_of(blocks, [c](Block b) { return c >= b.first && c <= b.last; });
}
// Beyond ASCII, what is not part of a word: signs, punctuation, pictures.
constexpr auto kSigns = std::to_array<Block>({{0x80, 0xA9},
                                              {0xAB, 0xB4},
                                              {0xB6, 0xB9},
                                              {0xBB, 0xBF},
                                              {0xD7, 0xD7},
                                              {0xF7, 0xF7},
                                              {0x2000, 0x2BFF},
                                              {0x3000, 0x3004},
                                              {0x3006, 0x303F},
                                              {0xFE10, 0xFE6F},
                                              {0xFF00, 0xFF0F},
                                              {0xFF1A, 0xFF20},
                                              {0xFF3B, 0xFF40},
                                              {0xFF5B, 0xFF65},
                                              {0xFFE0, 0xFFFF},
                                              {0x1F000, 0x1FBFF}});
// Scripts without blanks between words, and Korean, whose words change at their ends.
constexpr auto kUnspaced = std::to_array<Block>({{0xE00, 0xEFF},
                                                 {0x1000, 0x109F},
                                                 {0x1780, 0x17FF},
                                                 {0x3005, 0x3005},
                                                 {0x3040, 0x30FF},
                                                 {0x3400, 0x4DBF},
                                                 {0x4E00, 0x9FFF},
                                                 {0xAC00, 0xD7A3},
                                                 {0xF900, 0xFAFF},
                                                 {0x20000, 0x3FFFF}});
// Vietnamese, by the letter below.
struct Base {
  std::uint32_t first, last;
  char letter;
};
constexpr auto kVietnamese = std::to_array<Base>({{0x1EA0, 0x1EB7, 'a'},
                                                  {0x1EB8, 0x1EC7, 'e'},
                                                  {0x1EC8, 0x1ECB, 'i'},
                                                  {0x1ECC, 0x1EE3, 'o'},
                                                  {0x1EE4, 0x1EF1, 'u'},
                                                  {0x1EF2, 0x1EF9, 'y'}});
struct Pair {
  std::uint32_t from, to;
};
constexpr auto kGreekAndCyrillic = std::to_array<Pair>({{0x3AC, 0x3B1},
                                                        {0x3AD, 0x3B5},
                                                        {0x3AE, 0x3B7},
                                                        {0x3AF, 0x3B9},
                                                        {0x3C2, 0x3C3},
                                                        {0x3CC, 0x3BF},
                                                        {0x3CD, 0x3C5},
                                                        {0x3CE, 0x3C9},
                                                        {0x451, 0x435}});

// The character at text[i], which is valid UTF-8; i moves behind it.
std::uint32_t next_character(std::string_view text, std::size_t& i) {
  const auto lead = static_cast<unsigned char>(text[i++]);
  if (lead < 0x80) return lead;
  const int more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
  std::uint32_t c = lead & (0x3FU >> more);
  for (int k = 0; k < more && i < text.size(); ++k) {
    c = c << 6 | (static_cast<unsigned char>(text[i++]) & 63U);
  }
  return c;
}

void append_character(std::string& out, std::uint32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += {static_cast<char>(0xC0 | c >> 6), static_cast<char>(0x80 | (c & 63))};
  } else if (c < 0x10000) {
    out += {static_cast<char>(0xE0 | c >> 12), static_cast<char>(0x80 | (c >> 6 & 63)),
            static_cast<char>(0x80 | (c & 63))};
  } else {
    out += {static_cast<char>(0xF0 | c >> 18), static_cast<char>(0x80 | (c >> 12 & 63)),
            static_cast<char>(0x80 | (c >> 6 & 63)), static_cast<char>(0x80 | (c & 63))};
  }
}

void append_without_accent(std::string& out, std::uint32_t c) {
  if (c >= 0x300 && c <= 0x36F) return;  // an accent by itself
  if (c == 0xDF) {
    out += "ss";
  } else if (c == 0xE6) {
    out += "ae";
  } else if (c == 0x153) {
    out += "oe";
  } else if (c >= 0xE0 && c <= 0xFF) {
    out += kLatin1Bases[c - 0xE0];
  } else if (c >= 0x100 && c <= 0x17F) {
    out += kLatinABases[c - 0x100];
  } else {
    for (const Base& base : kVietnamese) {
      if (c >= base.first && c <= base.last) c = static_cast<unsigned char>(base.letter);
    }
    for (const Pair& pair : kGreekAndCyrillic) {
      if (c == pair.from) c = pair.to;
    }
    append_character(out, c);
  }
}

bool is_word_letter(std::uint32_t c) {
  if (c < 0x80) return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  return !in_blocks(c, kSigns);
}

bool drop_ending(std::string& word, std::string_view ending, std::size_t left) {
  if (!word.ends_with(ending) || word.size() < ending.size() + left) return false;
  word.resize(word.size() - ending.size());
  return true;
}

// Roughly the stem of an English word: like, likes, liked and liking become one.
void cut_ending(std::string& word) {
  if (!std::ranges::all_of(word, [](char c) { return c >= 'a' && c <= 'z'; })) return;
  if (word.ends_with("ies") && word.size() > 4) {
    word.replace(word.size() - 3, 3, "y");
  } else if (word.size() > 3 && word.ends_with('s') && !word.ends_with("ss") &&
             !word.ends_with("us") && !word.ends_with("is")) {
    word.pop_back();
  }
  const bool cut = drop_ending(word, "ing", 3) || drop_ending(word, "ed", 3);
  const std::size_t n = word.size();
  if (cut && n > 3 && word[n - 1] == word[n - 2] && word[n - 1] != 'l' && word[n - 1] != 's') {
    word.pop_back();
  } else if (!cut && n > 3 && word.ends_with('e')) {
    word.pop_back();
  }
}

enum class For : std::uint8_t { kNote, kQuestion };

class Collector {
 public:
  explicit Collector(For what) : what_(what) {}

  void take(std::uint32_t c) {
    if (!is_word_letter(c)) {
      end_word();
    } else if (in_blocks(c, kUnspaced)) {
      end_spaced_word();
      run_.push_back(c);
    } else {
      end_run();
      append_without_accent(word_, c);
    }
  }
  std::vector<std::string> finish() && {
    end_word();
    return std::move(words_);
  }

 private:
  void end_word() {
    end_spaced_word();
    end_run();
  }
  void end_spaced_word() {
    if (word_.empty()) return;
    if (!std::ranges::binary_search(kStopWords, word_)) {
      cut_ending(word_);
      word_.resize(std::min(word_.size(), kWordBytes));
      add(std::move(word_));
    }
    word_.clear();
  }
  // A question of one character must be answered, too, so a note is kept by those as well.
  void end_run() {
    for (std::size_t i = 0; i < run_.size(); ++i) {
      if (what_ == For::kNote || run_.size() == 1) add(text_of(i, 1));
      if (i + 1 < run_.size()) add(text_of(i, 2));
    }
    run_.clear();
  }
  [[nodiscard]] std::string text_of(std::size_t from, std::size_t count) const {
    std::string out;
    for (std::size_t i = from; i < from + count; ++i) append_character(out, run_[i]);
    return out;
  }
  void add(std::string word) {
    if (seen_.insert(word).second) words_.push_back(std::move(word));
  }

  For what_;
  std::string word_;
  std::vector<std::uint32_t> run_;
  std::unordered_set<std::string> seen_;
  std::vector<std::string> words_;
};

std::vector<std::string> words_of(std::string_view text, For what) {
  const std::string folded = fold_case(text);
  Collector collector(what);
  for (std::size_t i = 0; i < folded.size();) collector.take(next_character(folded, i));
  return std::move(collector).finish();
}

}  // namespace

std::vector<std::string> words_of_note(std::string_view text) { return words_of(text, For::kNote); }

std::vector<std::string> words_of_question(std::string_view text) {
  std::vector<std::string> words = words_of(text, For::kQuestion);
  if (words.size() > kQuestionWords) words.resize(kQuestionWords);
  return words;
}

}  // namespace rouse
