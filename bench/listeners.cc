// Many pages at once: listeners http://127.0.0.1:PORT/ws COUNT STAMPS [--header "Name: value"]…
// opens COUNT WebSockets, prints "ready", and reads until each has had STAMPS stamps
// (bench/wire.h) or a minute has passed. Then prints one JSON object:
//
//   connections, complete    how many there were, and how many had all of their stamps
//   stamps, seconds, per_second   of all connections, from the first to the last
//   lag      from the moment the model wrote a word to the moment it was here, in microseconds
//
// Frames are not taken apart: a server sends text as it is, so stamps are found in the bytes.
#include <algorithm>
#include <cerrno>
#include <memory>
#include <string>
#include <sys/epoll.h>
#include <vector>

#include "bench/wire.h"

namespace {

using namespace rouse::bench;

class Listener {
 public:
  Listener(const Target& target, const std::string& handshake, int poll) : fd_(connect_to(target)) {
    epoll_event event{.events = EPOLLIN, .data = {.ptr = this}};
    ::epoll_ctl(poll, EPOLL_CTL_ADD, fd_, &event);
    if (::send(fd_, handshake.data(), handshake.size(), MSG_NOSIGNAL) < 0) std::perror("send");
  }

  // How many stamps were new; `open` rises when the handshake is answered.
  long read(Times& lag, long wanted, int& open) {
    char bytes[64 * 1024];
    const ssize_t got = ::recv(fd_, bytes, sizeof bytes, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
    if (got <= 0) {
      std::fprintf(stderr, "listeners: a connection was closed\n");
      std::exit(1);
    }
    const std::string_view text(bytes, static_cast<std::size_t>(got));
    if (!open_) {
      if (!text.starts_with("HTTP/1.1 101")) {
        std::fprintf(stderr, "listeners: %.*s\n", static_cast<int>(std::min(got, ssize_t{200})),
                     bytes);
        std::exit(1);
      }
      open_ = true;
      ++open;
    }
    const std::int64_t now = now_ns();
    const long before = seen_;
    stamps_.feed(text, [&](std::int64_t stamp) {
      if (stamp <= last_ || seen_ == wanted) return;  // the whole text comes again at the end
      last_ = stamp;
      ++seen_;
      lag.add_ns(now - stamp);
    });
    return seen_ - before;
  }
  [[nodiscard]] long seen() const { return seen_; }

 private:
  int fd_;
  bool open_ = false;
  StampReader stamps_;
  std::int64_t last_ = 0;
  long seen_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: listeners URL COUNT STAMPS [--header LINE]…\n");
    return 2;
  }
  const Target target = parse_target(argv[1]);
  const int count = std::atoi(argv[2]);
  const long wanted = std::atol(argv[3]);
  std::string handshake = "GET " + target.path + " HTTP/1.1\r\nHost: " + target.host +
                          "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                          "Sec-WebSocket-Version: 13\r\n"
                          "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
  for (int i = 4; i + 1 < argc; i += 2) handshake += std::string(argv[i + 1]) + "\r\n";
  handshake += "\r\n";

  raise_file_limit();
  const int poll = ::epoll_create1(EPOLL_CLOEXEC);
  std::vector<std::unique_ptr<Listener>> listeners;
  Times lag;
  int open = 0;
  long stamps = 0, complete = 0;
  std::int64_t first = 0, last = 0;
  const auto listen_once = [&](int wait_ms) {
    epoll_event events[256];
    const int ready = ::epoll_wait(poll, events, 256, wait_ms);
    for (int i = 0; i < ready; ++i) {
      auto* listener = static_cast<Listener*>(events[i].data.ptr);
      const bool had_all = listener->seen() == wanted;
      const long more = listener->read(lag, wanted, open);
      if (more == 0) continue;
      stamps += more;
      last = now_ns();
      if (first == 0) first = last;
      if (!had_all && listener->seen() == wanted) ++complete;
    }
  };
  const std::int64_t began = now_ns();
  const auto in_time = [&] { return now_ns() - began < 60'000'000'000; };
  while (static_cast<int>(listeners.size()) < count && in_time()) {
    for (int i = 0; i < 100 && static_cast<int>(listeners.size()) < count; ++i) {
      listeners.push_back(std::make_unique<Listener>(target, handshake, poll));
    }
    while (open < static_cast<int>(listeners.size()) && in_time()) listen_once(1'000);
  }
  std::printf("ready\n");
  std::fflush(stdout);
  while (complete < count && in_time()) listen_once(1'000);
  const double seconds = static_cast<double>(last - first) / 1e9;
  std::printf(
      R"({"connections":%d,"complete":%ld,"stamps":%ld,"seconds":%.4f,"per_second":%.0f,"lag":%s})"
      "\n",
      open, complete, stamps, seconds, static_cast<double>(stamps) / std::max(seconds, 1e-6),
      lag.json().c_str());
}
