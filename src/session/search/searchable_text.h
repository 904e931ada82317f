// The text by which a message is found: what people and agents said, file names and the like in a
// few words (readable_text), and of what tools returned only the beginning, because the rest is
// mostly noise and would be most of the index. One definition, for the index and all who test it.
#pragma once

#include <string>

#include "session/content.h"

namespace rouse {

inline constexpr std::size_t kSearchableToolBytes = 8 * 1024;       // of each tool_result block
inline constexpr std::size_t kSearchableMessageBytes = 256 * 1024;  // of a message in all

std::string searchable_text(const Content& content);

}  // namespace rouse
