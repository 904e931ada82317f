// Text that somebody sends and we keep: UTF-8, no NUL, not longer than its bound.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/result.h"

namespace rouse {

// The error names the field.
Result<void> check_text(std::string_view field, std::string_view text, std::size_t most);

}  // namespace rouse
