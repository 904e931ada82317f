// A person's words, made easy to compare: one blank between words, plain quotes, no punctuation at
// the end. Case is ignored when comparing and kept when something is taken out of it, so "my name
// is Ada" gives "Ada". Matching is by whole words and by hand: it takes microseconds and no tables.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace rouse::offline {

using Patterns = std::initializer_list<std::string_view>;

class Phrase {
 public:
  explicit Phrase(std::string_view text);

  [[nodiscard]] bool empty() const { return from_ >= to_; }
  [[nodiscard]] std::string_view low() const;  // what is left, in small letters
  [[nodiscard]] std::string text() const;      // what is left, as it was written

  [[nodiscard]] bool is(Patterns whole) const;
  [[nodiscard]] bool starts(Patterns beginnings) const;
  [[nodiscard]] bool has(Patterns words) const;

  // Take it away if it is there, with blanks, commas and colons around it.
  bool eat(Patterns beginnings);
  bool eat_end(Patterns ends);
  // Splits at the first of the words: what stands before stays here, what follows is returned.
  bool split(Patterns words, std::string& rest);
  void keep(std::size_t from, std::size_t to);  // a piece of what is left, by offsets in low()

 private:
  void tidy();
  std::string text_, low_;
  std::size_t from_ = 0, to_ = 0;
};

bool is_word_char(char c);  // letters, digits, anything beyond ASCII
// Does `word` stand in `text` as whole words? npos if not.
std::size_t find_words(std::string_view text, std::string_view word);
std::vector<std::string_view> words_of(std::string_view text);  // without commas at their ends

std::string to_second_person(std::string_view text);  // "I like my dog": "you like your dog"
std::string to_third_person(std::string_view text);   // "my dog and I": "their dog and they"
std::string capitalised(std::string_view text);

}  // namespace rouse::offline
