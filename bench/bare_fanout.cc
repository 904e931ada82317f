// The yardstick of the WebSocket benchmark: each word goes to every page with one plain write, by a
// loop over sockets. One thread; whoever connects and asks for an upgrade gets it.
//
// Usage: bare_fanout PORT. POST /tokens=N&gap_us=N makes it say so many stamps (bench/wire.h) in
// frames as large as rouse's deltas, so long apart, and is answered at the end.
#include <cstdlib>
#include <string>
#include <sys/epoll.h>
#include <unistd.h>
#include <vector>

#include "bench/wire.h"

namespace {

using namespace rouse::bench;

// An unmasked text frame, as a server sends it.
std::string frame_of_now() {
  const std::string text =
      R"({"type":"delta","turn_id":"turn_019a8b7c6d5e4f3a2b1c0d9e","conversation_id":)"
      R"("conv_019a8b7c6d5e4f3a2b1c0d9e","attempt":1,"block":0,"offset":1000,"text":"@)" +
      std::to_string(now_ns()) + R"(@"})";
  std::string frame = "\x81\x7e";
  frame += static_cast<char>(text.size() >> 8);
  frame += static_cast<char>(text.size() & 0xff);
  return frame + text;
}

long number_after(const std::string& text, const char* name) {
  const std::size_t at = text.find(name);
  return at == std::string::npos ? 0 : std::atol(text.c_str() + at + std::string(name).size());
}

void send_all(int fd, const std::string& text) {
  if (::send(fd, text.data(), text.size(), MSG_NOSIGNAL) < 0) std::perror("send");
}

void say(const std::vector<int>& pages, long tokens, long gap_us) {
  for (long i = 0; i < tokens; ++i) {
    if (gap_us > 0) ::usleep(static_cast<useconds_t>(gap_us));
    const std::string frame = frame_of_now();
    for (const int page : pages) send_all(page, frame);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: bare_fanout PORT\n");
    return 2;
  }
  raise_file_limit();
  const int server = listen_on(std::atoi(argv[1]));
  const int poll = ::epoll_create1(EPOLL_CLOEXEC);
  epoll_event event{.events = EPOLLIN, .data = {.fd = server}};
  ::epoll_ctl(poll, EPOLL_CTL_ADD, server, &event);
  std::vector<int> pages;
  while (true) {
    if (::epoll_wait(poll, &event, 1, -1) != 1) continue;
    const int fd = event.data.fd;
    if (fd == server) {
      epoll_event next{.events = EPOLLIN, .data = {.fd = ::accept4(server, nullptr, nullptr, 0)}};
      ::epoll_ctl(poll, EPOLL_CTL_ADD, next.data.fd, &next);
      continue;
    }
    char bytes[4096];
    const ssize_t got = ::recv(fd, bytes, sizeof bytes, 0);
    if (got <= 0) {
      std::erase(pages, fd);
      ::close(fd);
      continue;
    }
    const std::string request(bytes, static_cast<std::size_t>(got));
    if (request.contains("Upgrade: websocket")) {
      send_all(fd, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n");
      pages.push_back(fd);
      continue;
    }
    if (request.starts_with("POST")) {
      say(pages, number_after(request, "tokens="), number_after(request, "gap_us="));
    }
    send_all(fd, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}");
  }
}
