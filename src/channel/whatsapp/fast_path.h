// What a bridge's message can be answered with before any model or store is asked (S1-C9): sums.
// And the words by which a person answers an approval or asks how things stand.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rouse {

enum class ReplyWord : unsigned char { kYes, kNo, kMore, kEdit, kGoAhead, kCancel, kStatus };

// The message is nothing but one of these words; case, blanks and punctuation ignored.
std::optional<ReplyWord> reply_word(std::string_view message);

}  // namespace rouse
