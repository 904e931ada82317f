// The other end of a client under test: a server that follows a script, well-behaved or not.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace rouse {

// What to do with one connection.
struct Script {
  std::string bytes;
  enum class Then : std::uint8_t { kClose, kHang, kCloseOnNext, kForward } then = Then::kClose;
  std::uint16_t forward_to = 0;

  static Script answer(std::string bytes) { return {std::move(bytes), Then::kClose, 0}; }
  static Script answer_and_hang(std::string bytes) { return {std::move(bytes), Then::kHang, 0}; }
  static Script answer_then_close_on_next(std::string bytes) {
    return {std::move(bytes), Then::kCloseOnNext, 0};
  }
  static Script silent() { return {"", Then::kHang, 0}; }
  // A CONNECT proxy: answers with bytes, then carries everything to that port and back.
  static Script tunnel(std::string bytes, std::uint16_t port) {
    return {std::move(bytes), Then::kForward, port};
  }
};

// Serves one connection after the other, each by the next script.
class ScriptedPeer {
 public:
  explicit ScriptedPeer(std::vector<Script> scripts);
  ~ScriptedPeer();
  [[nodiscard]] std::uint16_t port() const { return port_; }
  void wait_for_request();
  std::string request(std::size_t index);  // waits for it

 private:
  void serve();
  void follow(const Script& script, int fd);
  std::string read_request(int fd);

  std::vector<Script> scripts_;
  int listener_ = -1;
  int stop_[2] = {-1, -1};  // closing the write end wakes whoever waits
  std::uint16_t port_ = 0;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<std::string> requests_;
  std::thread thread_;
};

// A port of 127.0.0.1 where nobody listens.
std::uint16_t closed_port();

}  // namespace rouse
