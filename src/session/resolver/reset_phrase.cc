#include "session/resolver/reset_phrase.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "base/text.h"

namespace rouse {
namespace {

struct Phrase {
  std::string_view text;
  std::string_view first, second;  // second is empty for a phrase of one word
};
constexpr std::array<Phrase, 8> kPhrases{{{"new task", "new", "task"},
                                          {"start over", "start", "over"},
                                          {"reset", "reset", ""},
                                          {"forget that", "forget", "that"},
                                          {"new project", "new", "project"},
                                          {"clear history", "clear", "history"},
                                          {"start fresh", "start", "fresh"},
                                          {"new conversation", "new", "conversation"}}};

constexpr std::array<std::string_view, 20> kPoliteness{
    "please", "pls",  "plz",   "ok",    "okay", "hey", "hi",     "hello", "so",      "well",
    "now",    "just", "let's", "let’s", "lets", "yes", "thanks", "thank", "alright", "you"};

// More words than this around a phrase, and it is not alone; nothing further is looked at.
constexpr std::size_t kWordsLookedAt = 12;

// Letters and digits of any script make words; ASCII punctuation, general punctuation (U+2000 to
// U+2BFF but the apostrophe), emoji and variation selectors part them.
std::size_t separator_length(std::string_view rest) {
  const auto byte = [&](std::size_t i) {
    return i < rest.size() ? static_cast<unsigned char>(rest[i]) : 0U;
  };
  const auto c = byte(0);
  if (c < 0x80) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    return letter || c == '\'' ? 0 : 1;
  }
  if (c == 0xE2 && byte(1) <= 0xAF && !(byte(1) == 0x80 && byte(2) == 0x99)) return 3;
  if (c == 0xEF && byte(1) == 0xB8) return 3;
  if (c == 0xF0 && byte(1) == 0x9F) return 4;
  return 0;
}

// Takes the next word off the message, in small letters; empty at its end.
std::string take_word(std::string_view& message) {
  std::string word;
  while (!message.empty()) {
    const std::size_t gap = separator_length(message);
    if (gap > 0 && !word.empty()) break;
    if (gap == 0) word += message.front();
    message.remove_prefix(std::min(std::max<std::size_t>(gap, 1), message.size()));
  }
  return lower_ascii(word);
}

std::vector<std::string> first_words(std::string_view message) {
  std::vector<std::string> words;
  while (words.size() < kWordsLookedAt) {
    auto word = take_word(message);
    if (word.empty()) break;
    words.push_back(std::move(word));
  }
  return words;
}

bool is_polite(const std::string& word) {
  return std::ranges::find(kPoliteness, word) != kPoliteness.end();
}

std::size_t length_at_front(const Phrase& phrase, std::span<const std::string> words) {
  if (words.empty() || words[0] != phrase.first) return 0;
  if (phrase.second.empty()) return 1;
  return words.size() > 1 && words[1] == phrase.second ? 2 : 0;
}

// Most messages need no further look.
bool may_begin_with_phrase(std::string_view message) {
  std::string word = take_word(message);
  for (std::size_t i = 1; i < kWordsLookedAt && is_polite(word); ++i) word = take_word(message);
  return std::ranges::any_of(kPhrases, [&](const Phrase& phrase) { return phrase.first == word; });
}

}  // namespace

std::optional<ResetPhrase> find_reset_phrase(std::string_view message) {
  if (!may_begin_with_phrase(message)) return std::nullopt;
  const auto words = first_words(message);
  std::span<const std::string> rest(words);
  while (!rest.empty() && is_polite(rest.front())) rest = rest.subspan(1);
  for (const Phrase& phrase : kPhrases) {
    const std::size_t length = length_at_front(phrase, rest);
    if (length == 0) continue;
    const bool alone =
        words.size() < kWordsLookedAt && std::ranges::all_of(rest.subspan(length), is_polite);
    if (alone || length == 2) return ResetPhrase{phrase.text, alone};
  }
  return std::nullopt;
}

}  // namespace rouse
