// Does a message ask to start afresh? The seed's eight phrases (S1-36), read as U11 says: a phrase
// alone resets, whatever its case, punctuation and politeness ("Ok, please reset!"); a phrase of
// two words at the start of a longer message resets and the message is then worked on ("new task:
// find X"); "reset" inside other text is just a word ("reset my password").
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace rouse {

// What a person reads who starts over, by a phrase or by /clear (S1-37).
inline constexpr std::string_view kStartingFresh = "Starting fresh. How can I help you?";

struct ResetPhrase {
  std::string_view phrase;  // "start over"
  bool alone = false;       // the message says nothing else
  friend bool operator==(const ResetPhrase&, const ResetPhrase&) = default;
};

std::optional<ResetPhrase> find_reset_phrase(std::string_view message);

}  // namespace rouse
