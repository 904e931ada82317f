// Arbitrary frames on an open WebSocket of a real server: whole, cut, joined, masked or not,
// control frames in between. What reaches the handler is text within the limit, and a page's frame
// or an error that says where.
//
// The first byte says where the bytes are cut in two. If the second is odd, the rest goes over the
// wire as it is; else it is a list of frames (first byte of the frame, length, payload), which are
// masked as a browser would: so the fuzzer needn't find out how to write one.
#include <string>
#include <string_view>

#include "base/text.h"
#include "gateway/live/page_frames.h"
#include "tests/fuzz/loopback.h"

namespace {

using namespace rouse;

void demand(bool holds) {
  if (!holds) std::abort();
}

class Handler final : public HttpHandler {
 public:
  Admission admit(const RequestHead&) override { return {}; }
  Task<Response> handle(const RequestHead&, std::string) override { co_return Response(); }
  Task<void> websocket(const RequestHead&, std::shared_ptr<WebSocket> socket) override {
    while (true) {
      auto message = co_await socket->receive();
      if (!message) co_return demand(!message.error().message.empty());
      demand(message->size() <= 256 && is_utf8(*message));
      const auto ask = decode_json<PageAsk>(*message);
      socket->send(ask ? std::make_shared<const std::string>(encode_json(*ask))
                       : error_frame(ask.error()));
      if (ask && ask->type == "close") socket->close(1000, ask->turn_id.value_or(""));
    }
  }
  Response refuse(int status, std::string_view, std::string_view) override {
    Response response;
    response.status = status;
    return response;
  }
};

constexpr std::string_view kUpgrade =
    "GET /ws HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";

std::string frames_of(std::string_view bytes) {
  constexpr std::string_view kMask = "\x01\x02\x03\x04";
  std::string out;
  while (bytes.size() >= 2) {
    const std::string_view payload =
        bytes.substr(2, static_cast<unsigned char>(bytes[1]));  // as much of it as there is
    out += bytes[0];
    if (payload.size() < 126) {
      out += static_cast<char>(0x80 | payload.size());
    } else {
      out += '\xfe';
      out += '\0';
      out += static_cast<char>(payload.size());
    }
    out += kMask;
    for (std::size_t i = 0; i < payload.size(); ++i) {
      out += static_cast<char>(payload[i] ^ kMask[i % 4]);
    }
    bytes.remove_prefix(2 + payload.size());
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Handler handler;
  static fuzz::Loopback server(handler);
  if (size < 2 || size > 4'096) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 2, size - 2);
  const std::string frames = data[1] % 2 == 1 ? std::string(rest) : frames_of(rest);
  const std::size_t cut = data[0] * frames.size() / 256;
  server.send(std::string(kUpgrade) + frames.substr(0, cut), frames.substr(cut));
  return 0;
}
