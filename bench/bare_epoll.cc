// The floor under every HTTP figure: a loop over epoll that answers each request with the same
// bytes. It looks for the end of a head and reads nothing of it; no library, no memory, no limits.
//
// Usage: bare_epoll PORT
#include <string>
#include <string_view>
#include <sys/epoll.h>
#include <unistd.h>

#include "bench/wire.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: bare_epoll PORT\n");
    return 2;
  }
  rouse::bench::raise_file_limit();
  const int server = rouse::bench::listen_on(std::atoi(argv[1]));
  const int poll = ::epoll_create1(EPOLL_CLOEXEC);
  epoll_event own{.events = EPOLLIN, .data = {.fd = server}};
  ::epoll_ctl(poll, EPOLL_CTL_ADD, server, &own);
  constexpr std::string_view kAnswer =
      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 30\r\n\r\n"
      R"({"ok":true,"status":"healthy"})";
  while (true) {
    epoll_event events[64];
    const int ready = ::epoll_wait(poll, events, 64, -1);
    for (int i = 0; i < ready; ++i) {
      const int fd = events[i].data.fd;
      if (fd == server) {
        epoll_event next{.events = EPOLLIN, .data = {.fd = ::accept4(server, nullptr, nullptr, 0)}};
        ::epoll_ctl(poll, EPOLL_CTL_ADD, next.data.fd, &next);
        continue;
      }
      char bytes[8192];
      const ssize_t got = ::recv(fd, bytes, sizeof bytes, 0);
      if (got <= 0) {
        ::close(fd);
      } else if (std::string_view(bytes, static_cast<std::size_t>(got)).ends_with("\r\n\r\n")) {
        if (::send(fd, kAnswer.data(), kAnswer.size(), MSG_NOSIGNAL) < 0) ::close(fd);
      }
    }
  }
}
