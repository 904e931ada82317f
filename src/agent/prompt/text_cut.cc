#include "agent/prompt/text_cut.h"

#include <fmt/format.h>

#include "base/text.h"

namespace rouse {
namespace {

std::string_view utf8_suffix(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  std::size_t from = text.size() - max_bytes;
  while (from < text.size() && !begins_character(text[from])) ++from;
  return text.substr(from);
}

}  // namespace

std::string_view first_characters(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  std::size_t characters = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (begins_character(text[i]) && ++characters > most) return text.substr(0, i);
  }
  return text;
}

std::string cut_middle(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return std::string(text);
  const auto line = [](std::size_t bytes) {
    return fmt::format("\n[… {} bytes in the middle were left out …]\n", bytes);
  };
  const std::size_t line_bytes = line(text.size()).size();
  const std::size_t room = max_bytes > line_bytes ? max_bytes - line_bytes : 0;
  const std::string_view head = utf8_prefix(text, room - room / 2);
  const std::string_view tail = utf8_suffix(text, room / 2);
  return fmt::format("{}{}{}", head, line(text.size() - head.size() - tail.size()), tail);
}

}  // namespace rouse
