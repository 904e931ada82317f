#include "model/utf8_text.h"

#include <cstdint>

#include "base/text.h"

namespace rouse {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

enum class Found : std::uint8_t { kWhole, kBad, kCut };

struct Sequence {
  std::size_t size = 1;
  Found found = Found::kWhole;
};

unsigned char byte_at(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

// The second byte has a narrower range after some first ones: no overlong forms, no surrogates,
// nothing above U+10FFFF.
bool may_follow(unsigned char first, std::size_t at, unsigned char byte) {
  unsigned char low = 0x80, high = 0xBF;
  if (at == 1) {
    if (first == 0xE0) low = 0xA0;
    if (first == 0xED) high = 0x9F;
    if (first == 0xF0) low = 0x90;
    if (first == 0xF4) high = 0x8F;
  }
  return byte >= low && byte <= high;
}

Sequence next_sequence(std::string_view text) {
  const unsigned char first = byte_at(text, 0);
  if (first < 0x80) return {};
  const std::size_t size = first >= 0xC2 && first <= 0xDF   ? 2
                           : (first & 0xF0) == 0xE0         ? 3
                           : first >= 0xF0 && first <= 0xF4 ? 4
                                                            : 0;
  if (size == 0) return {1, Found::kBad};
  for (std::size_t at = 1; at < size; ++at) {
    if (at == text.size()) return {at, Found::kCut};
    if (!may_follow(first, at, byte_at(text, at))) return {at, Found::kBad};
  }
  return {size, Found::kWhole};
}

// Appends what is whole and returns what may still become so.
std::string_view append_whole(std::string& out, std::string_view text) {
  while (!text.empty()) {
    const Sequence sequence = next_sequence(text);
    if (sequence.found == Found::kCut) break;
    out.append(sequence.found == Found::kWhole ? text.substr(0, sequence.size) : kReplacement);
    text.remove_prefix(sequence.size);
  }
  return text;
}

}  // namespace

std::string to_utf8(std::string_view text) {
  if (is_utf8(text)) return std::string(text);
  Utf8Joiner joiner;
  std::string out = joiner.feed(text);
  return out += joiner.finish();
}

std::string Utf8Joiner::feed(std::string_view piece) {
  if (held_.empty() && is_utf8(piece)) return std::string(piece);
  held_.append(piece);
  std::string out;
  held_ = std::string(append_whole(out, held_));
  return out;
}

std::string Utf8Joiner::finish() {
  if (held_.empty()) return {};
  held_.clear();
  return std::string(kReplacement);
}

}  // namespace rouse
