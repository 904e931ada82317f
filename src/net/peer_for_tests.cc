#include "net/peer_for_tests.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <string_view>
#include <sys/socket.h>
#include <unistd.h>

namespace rouse {
namespace {

int listen_somewhere(std::uint16_t& port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof at;
  ::bind(fd, reinterpret_cast<sockaddr*>(&at), sizeof at);
  ::getsockname(fd, reinterpret_cast<sockaddr*>(&at), &size);
  port = ntohs(at.sin_port);
  ::listen(fd, 16);
  return fd;
}

int connect_to(std::uint16_t port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  to.sin_port = htons(port);
  ::connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to);
  return fd;
}

// Waits until one of them can be read. -1 when asked to stop.
int wait_readable(int a, int b, int stop) {
  pollfd fds[3] = {{a, POLLIN, 0}, {b, POLLIN, 0}, {stop, POLLIN, 0}};
  ::poll(fds, 3, -1);
  if (fds[2].revents != 0) return -1;
  return fds[0].revents != 0 ? a : b;
}

void send_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t size = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (size <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(size));
  }
}

void carry(int a, int b, int stop) {
  char bytes[16384];
  while (true) {
    const int from = wait_readable(a, b, stop);
    if (from < 0) return;
    const ssize_t size = ::recv(from, bytes, sizeof bytes, 0);
    if (size <= 0) return;
    send_all(from == a ? b : a, {bytes, static_cast<std::size_t>(size)});
  }
}

}  // namespace

std::uint16_t closed_port() {
  std::uint16_t port = 0;
  ::close(listen_somewhere(port));
  return port;
}

ScriptedPeer::ScriptedPeer(std::vector<Script> scripts) : scripts_(std::move(scripts)) {
  listener_ = listen_somewhere(port_);
  if (::pipe(stop_) != 0) stop_[0] = stop_[1] = -1;
  thread_ = std::thread([this] { serve(); });
}

ScriptedPeer::~ScriptedPeer() {
  ::close(stop_[1]);
  thread_.join();
  ::close(stop_[0]);
  ::close(listener_);
}

void ScriptedPeer::serve() {
  for (const Script& script : scripts_) {
    if (wait_readable(listener_, -1, stop_[0]) < 0) return;
    const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) return;
    follow(script, fd);
    ::shutdown(fd, SHUT_WR);
    ::close(fd);
  }
}

void ScriptedPeer::follow(const Script& script, int fd) {
  const std::string request = read_request(fd);
  {
    const std::lock_guard lock(mutex_);
    requests_.push_back(request);
  }
  arrived_.notify_all();
  send_all(fd, script.bytes);
  if (script.then == Script::Then::kForward) {
    const int onward = connect_to(script.forward_to);
    carry(fd, onward, stop_[0]);
    ::close(onward);
  } else if (script.then == Script::Then::kHang) {
    pollfd stop{stop_[0], POLLIN, 0};
    ::poll(&stop, 1, -1);
  } else if (script.then == Script::Then::kCloseOnNext) {
    read_request(fd);
  }
}

std::string ScriptedPeer::read_request(int fd) {
  std::string all;
  char bytes[4096];
  while (all.find("\r\n\r\n") == std::string::npos) {
    if (wait_readable(fd, -1, stop_[0]) < 0) break;
    const ssize_t size = ::recv(fd, bytes, sizeof bytes, 0);
    if (size <= 0) break;
    all.append(bytes, static_cast<std::size_t>(size));
  }
  return all;
}

void ScriptedPeer::wait_for_request() { (void)request(0); }

std::string ScriptedPeer::request(std::size_t index) {
  std::unique_lock lock(mutex_);
  arrived_.wait(lock, [&] { return requests_.size() > index; });
  return requests_[index];
}

}  // namespace rouse
