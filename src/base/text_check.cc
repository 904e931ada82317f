#include "base/text_check.h"

#include <fmt/format.h>

#include "base/text.h"

namespace rouse {

Result<void> check_text(std::string_view field, std::string_view text, std::size_t most) {
  if (text.size() > most) {
    return fail(Errc::kTooLarge,
                fmt::format("'{}' has {} bytes; at most {} are kept", field, text.size(), most));
  }
  if (text.find('\0') != std::string_view::npos || !is_utf8(text)) {
    return fail(Errc::kInvalid, fmt::format("'{}' must be UTF-8 text without NUL", field));
  }
  return {};
}

}  // namespace rouse
