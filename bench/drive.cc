// The load driver: asks a server for turns, over and over, and measures what a person at the other
// end would see. A fixed number of connections, each with one request under way; no pauses.
//
//   drive http://127.0.0.1:PORT/PATH --body JSON [--header "Name: value"]… [--connections N]
//         [--conversations N] [--seconds S] [--pause-us N]
//
// "{n}" in the body becomes the number of a conversation, seven digits; each comes up once before
// any comes up again. The answer may have a length or be streamed in chunks. Prints one JSON
// object:
//
//   requests, errors, seconds, per_second
//   latency      request to the last byte of the answer, in microseconds (p50 p90 p99 p999 max)
//   first_byte   request to the first byte of the answer
//   first_token  request to the first stamp in it (bench/wire.h): the first word of the model
//   first_lag    from the moment the model wrote its first word to the moment it was here
//   lag          the same of every word
//   tokens, tokens_per_second
#include <cerrno>
#include <cstring>
#include <memory>
#include <netinet/tcp.h>
#include <string>
#include <sys/epoll.h>
#include <unistd.h>
#include <vector>

#include "bench/wire.h"

namespace {

using namespace rouse::bench;

struct Options {
  Target target;
  std::string body, headers;
  int connections = 1, conversations = 1;
  double seconds = 5;
  std::int64_t pause_us = 0;
};

struct Results {
  long requests = 0, errors = 0, tokens = 0;
  Times latency, first_byte, first_token, first_lag, lag;
};

// Where an answer ends: after so many bytes, or with the last chunk.
class AnswerEnd {
 public:
  void begin() { *this = AnswerEnd(); }
  // True when these bytes complete the answer.
  bool feed(std::string_view bytes) {
    if (!in_body_) {
      head_ += bytes;
      const std::size_t end = head_.find("\r\n\r\n");
      if (end == std::string::npos) return false;
      const std::string body = head_.substr(end + 4);
      head_.resize(end);
      in_body_ = true;
      chunked_ = find_header("transfer-encoding: chunked") != std::string::npos;
      if (const std::size_t at = find_header("content-length:"); at != std::string::npos) {
        left_ = std::atoll(head_.c_str() + at + 15);
      }
      return feed_body(body);
    }
    return feed_body(bytes);
  }
  [[nodiscard]] bool good() const { return head_.starts_with("HTTP/1.1 2"); }

 private:
  [[nodiscard]] std::size_t find_header(const std::string& name) const {
    std::string lower = head_;
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
    return lower.find(name);
  }
  bool feed_body(std::string_view bytes) {
    if (!chunked_) return (left_ -= static_cast<long long>(bytes.size())) <= 0;
    constexpr std::string_view kLast = "\r\n0\r\n\r\n";
    tail_ += bytes.substr(bytes.size() - std::min(bytes.size(), kLast.size()));
    if (tail_.size() > kLast.size()) tail_.erase(0, tail_.size() - kLast.size());
    return tail_ == kLast;
  }

  std::string head_, tail_;
  long long left_ = 0;
  bool in_body_ = false, chunked_ = false;
};

class Connection {
 public:
  Connection(const Options& options, int poll) : options_(options), poll_(poll) { open(); }

  void ask(const std::string& request) {
    stamps_ = {};
    end_.begin();
    heard_ = told_ = false;
    asked_ns_ = now_ns();
    if (::send(fd_, request.data(), request.size(), MSG_NOSIGNAL) !=
        static_cast<ssize_t>(request.size())) {
      broken_ = true;
    }
  }

  // True when the answer is complete, or the connection broke.
  bool read(Results& results) {
    char bytes[64 * 1024];
    const ssize_t got = broken_ ? 0 : ::recv(fd_, bytes, sizeof bytes, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return false;
    const std::int64_t now = now_ns();
    if (got <= 0) {
      ++results.errors;
      ::close(fd_);
      open();
      return true;
    }
    if (!heard_) results.first_byte.add_ns(now - asked_ns_);
    heard_ = true;
    const std::string_view text(bytes, static_cast<std::size_t>(got));
    stamps_.feed(text, [&](std::int64_t stamp) {
      // What was told already comes again, whole, at the end of some answers.
      if (stamp <= last_stamp_) return;
      last_stamp_ = stamp;
      ++results.tokens;
      results.lag.add_ns(now - stamp);
      if (told_) return;
      told_ = true;
      results.first_lag.add_ns(now - stamp);
      results.first_token.add_ns(now - asked_ns_);
    });
    if (!end_.feed(text)) return false;
    ++results.requests;
    if (!end_.good()) ++results.errors;
    results.latency.add_ns(now - asked_ns_);
    return true;
  }

 private:
  void open() {
    fd_ = connect_to(options_.target);
    const int on = 1;
    ::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    epoll_event event{.events = EPOLLIN, .data = {.ptr = this}};
    ::epoll_ctl(poll_, EPOLL_CTL_ADD, fd_, &event);
    broken_ = false;
  }

  const Options& options_;
  int poll_, fd_ = -1;
  StampReader stamps_;
  AnswerEnd end_;
  std::int64_t asked_ns_ = 0, last_stamp_ = 0;
  bool heard_ = false, told_ = false, broken_ = false;
};

class Load {
 public:
  explicit Load(const Options& options) : options_(options) {
    const std::size_t at = options.body.find("{n}");
    const bool numbered = at != std::string::npos;
    before_ = numbered ? options.body.substr(0, at) : options.body;
    after_ = numbered ? options.body.substr(at + 3) : "";
    const std::size_t size = before_.size() + after_.size() + (numbered ? kDigits : 0);
    before_ = "POST " + options.target.path + " HTTP/1.1\r\nHost: " + options.target.host + ":" +
              std::to_string(options.target.port) + "\r\nContent-Type: application/json\r\n" +
              options.headers + "Content-Length: " + std::to_string(size) + "\r\n\r\n" + before_;
    numbered_ = numbered;
  }

  void run() {
    const int poll = ::epoll_create1(EPOLL_CLOEXEC);
    std::vector<std::unique_ptr<Connection>> connections;
    for (int i = 0; i < options_.connections; ++i) {
      connections.push_back(std::make_unique<Connection>(options_, poll));
    }
    const std::int64_t began = now_ns();
    const std::int64_t end = began + static_cast<std::int64_t>(options_.seconds * 1e9);
    for (const auto& connection : connections) connection->ask(next());
    std::size_t under_way = connections.size();
    while (under_way > 0 && now_ns() < end + kPatienceNs) {
      epoll_event events[64];
      const int ready = ::epoll_wait(poll, events, 64, 1'000);
      for (int i = 0; i < ready; ++i) {
        auto* connection = static_cast<Connection*>(events[i].data.ptr);
        if (!connection->read(results_)) continue;
        if (options_.pause_us > 0) ::usleep(static_cast<useconds_t>(options_.pause_us));
        if (now_ns() < end)
          connection->ask(next());
        else
          --under_way;
      }
    }
    results_.errors += static_cast<long>(under_way);  // these were never answered
    print(static_cast<double>(now_ns() - began) / 1e9);
  }

 private:
  static constexpr int kDigits = 7;
  static constexpr std::int64_t kPatienceNs = 30'000'000'000;

  std::string next() {
    if (!numbered_) return before_;
    char number[16];
    std::snprintf(number, sizeof number, "%07d", at_ = (at_ + 1) % options_.conversations);
    return before_ + number + after_;
  }

  void print(double seconds) {
    std::printf(R"({"requests":%ld,"errors":%ld,"seconds":%.3f,"per_second":%.1f,"latency":%s,)"
                R"("first_byte":%s,"first_token":%s,"first_lag":%s,"lag":%s,"tokens":%ld,)"
                R"("tokens_per_second":%.1f})"
                "\n",
                results_.requests, results_.errors, seconds,
                static_cast<double>(results_.requests) / seconds, results_.latency.json().c_str(),
                results_.first_byte.json().c_str(), results_.first_token.json().c_str(),
                results_.first_lag.json().c_str(), results_.lag.json().c_str(), results_.tokens,
                static_cast<double>(results_.tokens) / seconds);
  }

  const Options& options_;
  std::string before_, after_;
  bool numbered_ = false;
  int at_ = 0;
  Results results_;
};

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (argc < 2 || argc % 2 != 0) {
    std::fprintf(stderr,
                 "usage: drive URL --body JSON [--header LINE]… [--connections N] "
                 "[--conversations N] [--seconds S] [--pause-us N]\n");
    return 2;
  }
  options.target = parse_target(argv[1]);
  for (int i = 2; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i];
    if (name == "--body")
      options.body = argv[i + 1];
    else if (name == "--header")
      options.headers += std::string(argv[i + 1]) + "\r\n";
    else if (name == "--connections")
      options.connections = std::atoi(argv[i + 1]);
    else if (name == "--conversations")
      options.conversations = std::atoi(argv[i + 1]);
    else if (name == "--seconds")
      options.seconds = std::atof(argv[i + 1]);
    else if (name == "--pause-us")
      options.pause_us = std::atoll(argv[i + 1]);
    else {
      std::fprintf(stderr, "drive: '%s' is not known\n", argv[i]);
      return 2;
    }
  }
  raise_file_limit();
  Load(options).run();
}
