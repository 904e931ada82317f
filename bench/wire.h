// What the programs of the benchmark that hold many sockets share: a loopback address, a clock that
// two processes agree on, stamps in streamed text, and percentiles.
//
// A stamp is the moment at which the fake model wrote a piece of text, as part of the text:
// "@<nanoseconds of CLOCK_MONOTONIC>@". Whoever receives it, over whatever gateway, knows how long
// it was under way.
#pragma once

#include <algorithm>
#include <arpa/inet.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <sys/socket.h>
#include <vector>

namespace rouse::bench {

inline std::int64_t now_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

// Finds stamps in a stream that is cut anywhere; whatever else is in it is passed over.
class StampReader {
 public:
  // Calls found(nanoseconds) for each stamp that ends in these bytes.
  template <class Found>
  void feed(std::string_view bytes, Found found) {
    for (const char c : bytes) {
      if (c == '@') {
        if (digits_ >= kLeastDigits) found(value_);
        value_ = 0;
        digits_ = 0;
        open_ = true;
      } else if (open_ && c >= '0' && c <= '9' && digits_ < 19) {
        value_ = value_ * 10 + (c - '0');
        ++digits_;
      } else {
        open_ = false;
        digits_ = 0;
      }
    }
  }

 private:
  static constexpr int kLeastDigits = 9;  // a machine that runs for less than a second is none
  std::int64_t value_ = 0;
  int digits_ = 0;
  bool open_ = false;
};

// Microseconds, and what to say of many of them.
class Times {
 public:
  void add_ns(std::int64_t ns) { us_.push_back(static_cast<double>(ns) / 1000); }
  [[nodiscard]] std::size_t count() const { return us_.size(); }
  [[nodiscard]] std::string json() {
    std::ranges::sort(us_);
    const auto at = [this](double share) {
      return us_.empty()
                 ? 0.0
                 : us_[static_cast<std::size_t>(static_cast<double>(us_.size() - 1) * share)];
    };
    char out[200];
    std::snprintf(out, sizeof out,
                  R"({"count":%zu,"p50":%.1f,"p90":%.1f,"p99":%.1f,"p999":%.1f,"max":%.1f})",
                  us_.size(), at(0.5), at(0.9), at(0.99), at(0.999), at(1));
    return out;
  }

 private:
  std::vector<double> us_;
};

struct Target {
  std::string host, path;
  std::uint16_t port = 80;
};

// http://HOST:PORT/PATH with a numeric HOST; exits with words if it is something else.
inline Target parse_target(std::string_view url) {
  Target out;
  constexpr std::string_view kScheme = "http://";
  const std::size_t colon = url.find(':', kScheme.size());
  if (!url.starts_with(kScheme) || colon == std::string_view::npos) {
    std::fprintf(stderr, "'%s' is not http://ADDRESS:PORT/PATH\n", std::string(url).c_str());
    std::exit(2);
  }
  const std::size_t slash = url.find('/', colon);
  out.host = url.substr(kScheme.size(), colon - kScheme.size());
  out.port = static_cast<std::uint16_t>(
      std::atoi(std::string(url.substr(colon + 1, slash - colon - 1)).c_str()));
  out.path = slash == std::string_view::npos ? "/" : url.substr(slash);
  return out;
}

inline int connect_to(const Target& target) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(target.port);
  if (fd < 0 || ::inet_pton(AF_INET, target.host.c_str(), &address.sin_addr) != 1 ||
      ::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    std::perror(target.host.c_str());
    std::exit(1);
  }
  return fd;
}

// A socket that listens on loopback; exits with words if it can't.
inline int listen_on(int port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
  ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(fd, 1024) != 0) {
    std::perror("listen");
    std::exit(1);
  }
  return fd;
}

// As many sockets as the system lets us have.
inline void raise_file_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace rouse::bench
