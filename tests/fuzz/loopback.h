// A real server over loopback, for fuzzers that send it bytes. Everything runs on one thread, the
// client's side included, so a run is cheap and repeatable.
#pragma once

#include <arpa/inet.h>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <netinet/in.h>
#include <poll.h>
#include <string_view>
#include <sys/socket.h>
#include <unistd.h>

#include "base/loop.h"
#include "net/http_server.h"

namespace rouse::fuzz {

class Loopback {
 public:
  explicit Loopback(HttpHandler& handler) : server_(make_http_server(loop_, handler, limits())) {
    const auto port = server_->listen("127.0.0.1", 0, std::nullopt);
    if (!port) std::abort();
    address_.sin_family = AF_INET;
    address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address_.sin_port = htons(*port);
  }

  // One connection: the two pieces with a pause between them, then the end. The server must end
  // its side, and stay able to answer the next.
  void send(std::string_view first, std::string_view second) {
    const int fd = connect();
    (void)::send(fd, first.data(), first.size(), MSG_NOSIGNAL);
    loop_.poll();
    (void)::send(fd, second.data(), second.size(), MSG_NOSIGNAL);
    ::shutdown(fd, SHUT_WR);
    run_to_end(fd);
    ::close(fd);
    while (server_->stats().connections > 0) loop_.poll();
  }

 private:
  static ServerLimits limits() {
    ServerLimits limits;
    limits.header_bytes = 2048;
    limits.header_fields = 20;
    limits.websocket_message_bytes = 256;
    return limits;
  }
  int connect() {
    const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
    // Each source address has ports of its own: a million connections must not wait for TIME_WAIT.
    sockaddr_in from = address_;
    from.sin_port = 0;
    from.sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1 + connections_++ / 10'000);
    if (::bind(fd, reinterpret_cast<const sockaddr*>(&from), sizeof from) != 0) give_up("bind");
    if (::connect(fd, reinterpret_cast<const sockaddr*>(&address_), sizeof address_) != 0) {
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
      loop_.poll();
      const ssize_t size = ::recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);
      if (size == 0 || (size < 0 && errno != EAGAIN)) return;
    }
  }

  Loop loop_;
  std::unique_ptr<HttpServer> server_;
  sockaddr_in address_{};
  std::uint32_t connections_ = 0;
};

}  // namespace rouse::fuzz
