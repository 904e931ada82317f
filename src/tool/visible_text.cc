#include "tool/visible_text.h"

#include <cstdint>

#include <fmt/format.h>

#include "base/text.h"

namespace rouse {
namespace {

struct Character {
  std::uint32_t code = 0;
  std::size_t length = 1;
};

// The text is UTF-8: it was JSON.
Character character_at(std::string_view text, std::size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  const std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (length == 1 || at + length > text.size()) return {lead, 1};
  std::uint32_t code = lead & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    code = (code << 6) | (static_cast<unsigned char>(text[at + i]) & 0x3FU);
  }
  return {code, length};
}

bool is_hidden(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0xAD || code == 0x61C ||
         code == 0x180E || (code >= 0x200B && code <= 0x200F) ||
         (code >= 0x2028 && code <= 0x202E) || (code >= 0x2060 && code <= 0x206F) ||
         (code >= 0xFE00 && code <= 0xFE0F) || code == 0xFEFF ||
         (code >= 0xE0000 && code <= 0xE01EF);
}

std::string_view utf8_suffix(std::string_view text, std::size_t max_bytes) {
  std::size_t from = text.size() - max_bytes;
  while (from < text.size() && !begins_character(text[from])) ++from;
  return text.substr(from);
}

}  // namespace

std::string visible_text(std::string_view text, std::size_t max_bytes) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const Character one = character_at(text, at);
    if (one.code == '\n') {
      out += " ⏎ ";
    } else if (is_hidden(one.code)) {
      out += fmt::format("\\u{{{:04X}}}", one.code);
    } else {
      out += text.substr(at, one.length);
    }
    at += one.length;
  }
  if (out.size() <= max_bytes) return out;
  const std::size_t head = max_bytes * 2 / 3;
  const std::string_view tail = utf8_suffix(out, max_bytes - head);
  const std::string_view front = utf8_prefix(out, head);
  return fmt::format("{} […{} bytes more…] {}", front, out.size() - front.size() - tail.size(),
                     tail);
}

}  // namespace rouse
