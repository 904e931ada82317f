// What a person is shown before they say yes must be what will run (AP-4). Text that comes from a
// model may hold characters that hide or turn around what stands beside them; here they become
// visible, so that a summary can be trusted.
#pragma once

#include <string>
#include <string_view>

namespace rouse {

// One line: line breaks become " ⏎ "; control characters, direction marks and characters without a
// width become "\u{202E}". Text beyond max_bytes is left out of the middle, and the gap says so.
std::string visible_text(std::string_view text, std::size_t max_bytes);

}  // namespace rouse
