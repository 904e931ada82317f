// Arbitrary bytes sent to a real server over loopback: heads, bodies, upgrades and WebSocket
// frames. Everything runs on one thread, the client's side included, so a run is cheap and
// repeatable. The server must end each connection once the client is done, and stay able to answer
// the next.
#include <arpa/inet.h>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <netinet/in.h>
#include <poll.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <unistd.h>

#include "base/loop.h"
#include "net/http_server.h"

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

struct World {
  Handler handler;
  rouse::Loop loop;
  std::unique_ptr<rouse::HttpServer> server;
  sockaddr_in address{};
  std::uint32_t connections = 0;

  World() : server(rouse::make_http_server(loop, handler, limits())) {
    const auto port = server->listen("127.0.0.1", 0, std::nullopt);
    if (!port) std::abort();
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(*port);
  }
  static rouse::ServerLimits limits() {
    rouse::ServerLimits limits;
    limits.header_bytes = 2048;
    limits.header_fields = 20;
    limits.websocket_message_bytes = 256;
    return limits;
  }
  int connect() {
    const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
    // Each source address has ports of its own: a million connections must not wait for TIME_WAIT.
    sockaddr_in from = address;
    from.sin_port = 0;
    from.sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1 + connections++ / 10'000);
    if (::bind(fd, reinterpret_cast<const sockaddr*>(&from), sizeof from) != 0) give_up("bind");
    if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
      if (errno != EINTR) give_up("connect");
      // The fuzzer's own alarm clock rang while we waited; the connection is on its way all the
      // same.
      pollfd ready{fd, POLLOUT, 0};
      while (::poll(&ready, 1, -1) < 0) {
        if (errno != EINTR) give_up("poll");
      }
    }
    return fd;
  }
  // The machine failed, not the server: say so, or it looks like a finding.
  [[noreturn]] static void give_up(const char* call) {
    std::perror(call);
    std::abort();
  }
  // Turns the loop until the server has closed our connection, dropping what it says.
  void run_to_end(int fd) {
    char bytes[4096];
    while (true) {
      loop.poll();
      const ssize_t size = ::recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);
      if (size == 0 || (size < 0 && errno != EAGAIN)) return;
    }
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static World world;
  if (size == 0 || size > 16'384) return 0;
  // The first byte says where the bytes are cut in two, so that every state meets a pause.
  const std::size_t cut = 1 + data[0] * (size - 1) / 256;
  const int fd = world.connect();
  (void)::send(fd, data + 1, cut - 1, MSG_NOSIGNAL);
  world.loop.poll();
  (void)::send(fd, data + cut, size - cut, MSG_NOSIGNAL);
  ::shutdown(fd, SHUT_WR);
  world.run_to_end(fd);
  ::close(fd);
  while (world.server->stats().connections > 0) world.loop.poll();
  return 0;
}
