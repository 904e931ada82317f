// Cutting text that is too long for a prompt, never inside a character, and never without saying
// so: a model that doesn't know something is missing makes it up.
#pragma once

#include <string>
#include <string_view>

namespace rouse {

// The first characters of a text (code points, not bytes).
std::string_view first_characters(std::string_view text, std::size_t most);

// The beginning and the end of a text, with a line between them that says how much is missing. At
// most max_bytes, or that line alone if even it doesn't fit.
std::string cut_middle(std::string_view text, std::size_t max_bytes);

}  // namespace rouse
