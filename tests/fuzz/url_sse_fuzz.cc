// Arbitrary bytes as a URL, a proxy setting, a chunked body, a response head and an event stream.
// Beside not crashing: what was read in one piece must be what is read in pieces.
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "net/chunked.h"
#include "net/head_parser.h"
#include "net/sse.h"
#include "net/url.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void urls(std::string_view text) {
  const auto url = rouse::parse_url(text);
  if (url) {
    require(!url->host.empty() && url->port != 0 && url->target.starts_with('/'));
    for (const char c : url->target) require(c > 0x20 && c < 0x7f);
    // Written down and read again it is the same URL.
    const auto again =
        rouse::parse_url((url->https ? "https://" : "http://") + url->authority() + url->target);
    require(again && *again == *url);
    (void)rouse::bypasses_proxy(*url, text);
  }
  (void)rouse::parse_proxy(text);
}

std::vector<rouse::SseEvent> events(std::string_view bytes, std::size_t step) {
  std::vector<rouse::SseEvent> out;
  rouse::SseParser parser(4096);
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    const auto fed = parser.feed(bytes.substr(at, step), [&](const rouse::SseEvent& event) {
      out.push_back(event);
      return rouse::Result<void>();
    });
    if (!fed) break;
  }
  return out;
}

struct Decoded {
  std::string data;
  std::size_t consumed = 0;
  bool done = false;
  bool bad = false;
};

Decoded decode(std::string_view bytes, std::size_t step) {
  using Status = rouse::ChunkedDecoder::Status;
  rouse::ChunkedDecoder decoder;
  Decoded out;
  while (out.consumed < bytes.size() && !out.done && !out.bad) {
    const auto got = decoder.next(bytes.substr(out.consumed, step));
    out.data += got.data;
    out.consumed += got.consumed;
    out.done = got.status == Status::kDone;
    out.bad = got.status == Status::kBad;
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  urls(text);
  // A bound hit in the middle of an event may cut differently, so only small streams are compared.
  if (size < 4096) require(events(text, 1) == events(text, size == 0 ? 1 : size));
  const Decoded whole = decode(text, size == 0 ? 1 : size);
  const Decoded pieces = decode(text, 1);
  require(whole.data == pieces.data && whole.done == pieces.done && whole.bad == pieces.bad);
  (void)rouse::parse_response_head(text);
  return 0;
}
