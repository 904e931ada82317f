// The words by which a note is found, for the note and for a question alike. Pure functions.
//
// A word is folded: case and accents don't count (Café, cafe), and an English ending is cut
// roughly, so that dogs finds dog and "what is its name" finds "named". Words that every question
// has in it (what, is, my …) are left out; what remains of "what is my dog called" is "dog".
// Scripts that don't separate words (Chinese, Japanese, Thai …) are taken in pairs of characters.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rouse {

inline constexpr std::size_t kQuestionWords = 8;

// Each once, in the order they come.
std::vector<std::string> words_of_note(std::string_view text);
std::vector<std::string> words_of_question(std::string_view text);  // at most kQuestionWords

}  // namespace rouse
