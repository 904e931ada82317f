// Arbitrary bytes sent to a real server over loopback: heads, bodies, upgrades and WebSocket
// frames. The server must end each connection once the client is done, and stay able to answer the
// next.
#include <string>
#include <string_view>

#include "tests/fuzz/loopback.h"

namespace {

using rouse::Admission;
using rouse::RequestHead;
using rouse::Response;
using rouse::Task;

Task<void> stream_two(rouse::ResponseStream& out) {
  if (co_await out.write("one")) (void)co_await out.write("two");
}

class Handler final : public rouse::HttpHandler {
 public:
  Admission admit(const RequestHead& head) override {
    Admission admission;
    admission.max_body_bytes = 64;
    if (head.path == "/no") admission.refusal.emplace().status = 403;
    return admission;
  }
  Task<Response> handle(const RequestHead& head, std::string body) override {
    if (body.size() > 64) std::abort();
    Response response;
    if (head.path == "/s") {
      response.stream = stream_two;
    } else {
      response.headers.emplace_back("X-Echo", std::string(head.query));
      response.body = std::move(body);
    }
    co_return response;
  }
  Task<void> websocket(const RequestHead&, std::shared_ptr<rouse::WebSocket> socket) override {
    while (true) {
      auto message = co_await socket->receive();
      if (!message) co_return;
      socket->send(std::make_shared<const std::string>(std::move(*message)));
    }
  }
  Response refuse(int status, std::string_view error, std::string_view message) override {
    Response response;
    response.status = status;
    response.body = std::string(error) + std::string(message);
    return response;
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Handler handler;
  static rouse::fuzz::Loopback server(handler);
  if (size == 0 || size > 16'384) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  // The first byte says where the bytes are cut in two, so that every state meets a pause.
  const std::size_t cut = 1 + data[0] * (size - 1) / 256;
  server.send(bytes.substr(1, cut - 1), bytes.substr(cut));
  return 0;
}
