// What was said, read once. A turn asks many questions of the same sentence (phrases.h), and this
// is what they share: the sentence as it stands, the sentence folded, and where its opening ends.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace rouse::summary {

struct Said {
  explicit Said(std::string words);
  // Folded, without "Hi," or "ok so" before what it says.
  [[nodiscard]] std::string_view opened() const {
    return std::string_view(folded).substr(opening_bytes);
  }

  std::string text;
  std::string folded;
  std::size_t opening_bytes;  // of `folded`
};

struct Message {
  explicit Message(std::string text);

  Said whole;
  std::vector<Said> sentences;  // each one clean line (plain_text.h)
};

// The sentence without its opening.
std::string_view without_opening(std::string_view sentence);

}  // namespace rouse::summary
