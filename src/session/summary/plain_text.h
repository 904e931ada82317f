// Text as the summaries need it: one clean line out of whatever a person, a page or a model wrote;
// a cut that splits neither characters nor, if it can help it, words; sentences; words without
// case. Knows letters of all scripts well enough to tell them from signs and emoji, and case in
// Latin, Greek and Cyrillic. Every function takes any bytes; what is not UTF-8 becomes U+FFFD.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace rouse::summary {

struct CodePoint {
  char32_t value = 0;
  std::size_t bytes = 1;
};
CodePoint first_wide_code_point(std::string_view text);
inline CodePoint first_code_point(std::string_view text) {  // of a text that is not empty
  const auto first = static_cast<unsigned char>(text.front());
  return first < 0x80 ? CodePoint{first, 1} : first_wide_code_point(text);
}
void append_code_point(std::string& out, char32_t value);

bool is_letter(char32_t c);  // of any script; no digits, signs or emoji
bool is_upper(char32_t c);
bool is_lower(char32_t c);
inline bool is_digit(char32_t c) { return c >= '0' && c <= '9'; }

// Without case, and with the typewriter's apostrophe: for comparing and looking up, not for show.
std::string folded(std::string_view text);
bool equal_folded(std::string_view a, std::string_view b);

// One line: line breaks, tabs and control characters become one space, bidi overrides vanish, and
// a label of the five lines ("DECISIONS:") loses its colon, so no value can be taken for a line.
std::string clean_line(std::string_view text);
// The same with line breaks kept and labels left alone, for summaries of several lines.
std::string clean_lines(std::string_view text);

// At most max_bytes; what is cut ends with "…".
std::string cut(std::string_view text, std::size_t max_bytes);
std::string_view without_full_stop(std::string_view text);  // nor exclamation mark
// What stands between ``` fences if the answer is wrapped in them, else the answer; trimmed.
std::string_view without_fences(std::string_view answer);
// Prose without its ``` blocks; all of it if nothing else is there.
std::string without_code(std::string_view text);

std::vector<std::string> sentences(std::string_view text);  // each one clean line, with its mark
std::vector<std::string> words(std::string_view text);      // folded
// Takes the next word off a text that is already folded; "" if there is none.
std::string_view take_word(std::string_view& folded_text);
// Words, or for scripts that write without spaces what amounts to them.
std::size_t word_count(std::string_view text);
std::size_t folded_word_count(std::string_view folded_text);

}  // namespace rouse::summary
