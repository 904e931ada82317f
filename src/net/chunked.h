// The chunked coding of HTTP/1.1, read and written. The decoder takes bytes as they come, hands out
// the data in them without copying, and refuses whatever two readers could read differently: signs,
// spaces in sizes, bare line feeds, sizes that overflow. Extensions and trailers are skipped within
// a bound.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace rouse {

class ChunkedDecoder {
 public:
  enum class Status : std::uint8_t { kNeedMore, kData, kDone, kBad };
  struct Step {
    Status status = Status::kNeedMore;
    std::size_t consumed = 0;  // bytes of the input that are used up, data included
    std::string_view data;     // with kData; points into the input
  };
  // Reads up to the next piece of data. Call again with the rest of the input after kData.
  Step next(std::string_view input);

  // How much of the current chunk is still to come: lets a reader refuse a chunk before it arrives.
  [[nodiscard]] std::uint64_t remaining() const { return left_; }

 private:
  enum class State : std::uint8_t {
    kSizeFirst,
    kSize,
    kExtension,
    kSizeLf,
    kData,
    kDataCr,
    kDataLf,
    kTrailerStart,
    kTrailer,
    kTrailerLf,
    kEndLf,
    kDone,
    kBad,
  };
  State step(char c);

  State state_ = State::kSizeFirst;
  std::uint64_t left_ = 0;
  std::uint32_t overhead_ = 0;  // extension and trailer bytes, bounded over the whole body
};

// "1f\r\n": what stands before a chunk of that size. The chunk itself is followed by "\r\n".
std::string chunk_prefix(std::size_t size);
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";

}  // namespace rouse
