#include "net/chunked.h"

#include <algorithm>

#include <fmt/format.h>

namespace rouse {
namespace {

constexpr std::uint32_t kMaxOverhead = 16 * 1024;
constexpr std::uint64_t kMaxSize = std::uint64_t{1} << 56;

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Extensions and trailers are text: a control character in one is an attempt at something.
bool is_line_char(char c) {
  const auto u = static_cast<unsigned char>(c);
  return u == '\t' || (u >= 0x20 && u != 0x7f);
}

}  // namespace

ChunkedDecoder::State ChunkedDecoder::step(char c) {
  switch (state_) {
    case State::kSizeFirst:
    case State::kSize: {
      const int digit = hex_digit(c);
      if (digit >= 0) {
        left_ = left_ * 16 + static_cast<std::uint64_t>(digit);
        if (left_ > kMaxSize) return State::kBad;
        if (left_ == 0 && ++overhead_ > kMaxOverhead) return State::kBad;  // leading zeros pile up
        return State::kSize;
      }
      if (state_ == State::kSizeFirst) return State::kBad;
      if (c == '\r') return State::kSizeLf;
      return c == ';' ? State::kExtension : State::kBad;
    }
    case State::kExtension:
      if (c == '\r') return State::kSizeLf;
      return is_line_char(c) && ++overhead_ <= kMaxOverhead ? State::kExtension : State::kBad;
    case State::kSizeLf:
      if (c != '\n') return State::kBad;
      return left_ == 0 ? State::kTrailerStart : State::kData;
    case State::kDataCr:
      return c == '\r' ? State::kDataLf : State::kBad;
    case State::kDataLf:
      return c == '\n' ? State::kSizeFirst : State::kBad;
    case State::kTrailerStart:
      if (c == '\r') return State::kEndLf;
      [[fallthrough]];
    case State::kTrailer:
      if (c == '\r') return State::kTrailerLf;
      return is_line_char(c) && ++overhead_ <= kMaxOverhead ? State::kTrailer : State::kBad;
    case State::kTrailerLf:
      return c == '\n' ? State::kTrailerStart : State::kBad;
    case State::kEndLf:
      return c == '\n' ? State::kDone : State::kBad;
    case State::kData:
    case State::kDone:
    case State::kBad:
      break;
  }
  return State::kBad;
}

ChunkedDecoder::Step ChunkedDecoder::next(std::string_view input) {
  std::size_t at = 0;
  while (true) {
    if (state_ == State::kDone) return {Status::kDone, at, {}};
    if (state_ == State::kBad) return {Status::kBad, at, {}};
    if (at == input.size()) return {Status::kNeedMore, at, {}};
    if (state_ == State::kData) {
      const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(left_, input.size() - at));
      left_ -= size;
      if (left_ == 0) state_ = State::kDataCr;
      return {Status::kData, at + size, input.substr(at, size)};
    }
    state_ = step(input[at++]);
  }
}

std::string chunk_prefix(std::size_t size) { return fmt::format("{:x}\r\n", size); }

}  // namespace rouse
