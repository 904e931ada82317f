// Names in a text, by plain rules: capitalised names of one or more words, files and paths, URLs,
// e-mail addresses, @handles and #numbers, codes ("BA117"), dates, times, prices and other numbers
// with a unit, and quoted phrases. In order of appearance, each once, none longer than
// kEntityBytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "session/summary/said.h"

namespace rouse::summary {

inline constexpr std::size_t kEntityBytes = 60;

std::vector<std::string> entities_in(std::string_view text);
std::vector<std::string> entities_in(const Message& message);

}  // namespace rouse::summary
