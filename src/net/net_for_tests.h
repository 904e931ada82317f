// A server on a thread of its own, a blocking client that can misbehave byte by byte, and
// certificates made on the spot: what the tests of this room and of the gateway need.
#pragma once

#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/loop.h"
#include "base/temp_dir_for_tests.h"
#include "net/http_server.h"

namespace rouse {

// A handler made of functions; what is not set answers 200 "ok".
class ScriptedHandler : public HttpHandler {
 public:
  std::function<Admission(const RequestHead&)> on_admit;
  std::function<Task<Response>(const RequestHead&, std::string)> on_handle;
  std::function<Task<void>(const RequestHead&, std::shared_ptr<WebSocket>)> on_websocket;
  std::vector<std::string> bugs;
  std::size_t exhausted = 0;  // how often it was told

  Admission admit(const RequestHead& head) override;
  Task<Response> handle(const RequestHead& head, std::string body) override;
  Task<void> websocket(const RequestHead& head, std::shared_ptr<WebSocket> socket) override;
  Response refuse(int status, std::string_view error, std::string_view message) override;
  void on_bug(std::string_view what) override { bugs.emplace_back(what); }
  void on_exhausted(std::string_view why) override { ++exhausted; }
};

// Runs a loop with a server on it. Everything the server owns is touched on its loop: on_loop()
// runs a function there and waits for its value.
class RunningServer {
 public:
  explicit RunningServer(ServerLimits limits = {}, std::optional<TlsFiles> tls = {},
                         std::string host = "127.0.0.1");
  ~RunningServer();

  ScriptedHandler handler;  // set up before the first request
  std::uint16_t port = 0;

  template <class Work>
  auto on_loop(Work work) -> decltype(work()) {
    std::packaged_task<decltype(work())()> task(std::move(work));
    auto value = task.get_future();
    loop.post([&task] { task(); });
    return value.get();
  }
  ServerStats stats() {
    return on_loop([this] { return server->stats(); });
  }
  // Starts a shutdown; the future is ready when it is done.
  std::future<void> shutdown(Millis deadline);

  Loop loop;
  std::unique_ptr<HttpServer> server;

 private:
  std::thread thread_;
};

// A client made of a blocking socket. Reads give up after 20 s, so a hanging test fails.
class RawClient {
 public:
  explicit RawClient(std::uint16_t port, int receive_buffer = 0,
                     const std::string& host = "127.0.0.1");
  ~RawClient();
  RawClient(RawClient&& other) noexcept;
  RawClient& operator=(RawClient&&) = delete;

  // Sends what the server takes; false if it has closed.
  bool send(std::string_view bytes);
  void finish_sending();
  std::string read_some();  // "" at the end of the connection
  std::string read_until(std::string_view mark);
  std::string read_exactly(std::size_t size);
  std::string read_to_end();
  // One response with a Content-Length: head and body.
  std::string read_response();
  bool closed_by_server();  // waits for the end and drops what comes before it
  void reset();             // closes with RST

  // WebSocket.
  bool upgrade(std::string_view path = "/ws");
  bool send_frame(int opcode, std::string_view payload, bool fin = true);
  struct Frame {
    int opcode = -1;  // -1 when the connection ended
    std::string payload;
    [[nodiscard]] int close_code() const;
  };
  Frame read_frame();

 private:
  int fd_ = -1;
  std::string buffer_;
};

std::string get(std::string_view path, std::string_view more_headers = "");
std::string post(std::string_view path, std::string_view body);
int status_of(std::string_view response);
std::string body_of(std::string_view response);

// A directory that is gone with the object.
class ScratchDir {
 public:
  [[nodiscard]] std::string path(std::string_view name) const { return dir_ / std::string(name); }

 private:
  TempDir dir_;
};

struct CertificateRequest {
  std::string name = "localhost";     // DNS name in the certificate
  std::string address = "127.0.0.1";  // IP address in it
  int starts_in_days = -1;
  int ends_in_days = 30;
};
// Writes a self-signed certificate and its key to files in dir.
TlsFiles make_certificate(const ScratchDir& dir, std::string_view stem,
                          const CertificateRequest& request = {});

// Runs one task on a loop of its own and returns its result.
template <class T>
T run_task(Loop& loop, Task<T> task) {
  std::optional<T> out;
  loop.spawn("test", [](Task<T> inner, std::optional<T>& to, Loop& on) -> Task<void> {
    to.emplace(co_await std::move(inner));
    on.stop();
  }(std::move(task), out, loop));
  loop.context().restart();
  loop.run();
  return std::move(*out);
}

}  // namespace rouse
