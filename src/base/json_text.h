// Which bytes of a text stand in a JSON string as they are: looked at eight at a time, because
// nearly all of them do.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace rouse {

inline constexpr std::uint64_t kTopBits = 0x8080808080808080;

inline std::uint64_t eight_bytes(const char* at) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  return word;
}

// Not zero if one of the eight is a quote, a backslash or a control character.
inline std::uint64_t must_be_escaped(std::uint64_t word) {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  const auto has_byte = [](std::uint64_t in, std::uint64_t byte) {
    const std::uint64_t zero_there = in ^ (kOnes * byte);
    return (zero_there - kOnes) & ~zero_there & kTopBits;
  };
  const std::uint64_t controls = (word - kOnes * 0x20) & ~word & kTopBits;
  return controls | has_byte(word, '"') | has_byte(word, '\\');
}

inline bool must_be_escaped(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\';
}

// How much of it needs no escape, from its beginning.
inline std::size_t unescaped_prefix(std::string_view text) {
  std::size_t size = 0;
  while (size + 8 <= text.size() && must_be_escaped(eight_bytes(text.data() + size)) == 0)
    size += 8;
  while (size < text.size() && !must_be_escaped(text[size])) ++size;
  return size;
}

}  // namespace rouse
