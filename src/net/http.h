// HTTP as the house sees it: requests are views that live as long as their handler runs, responses
// are values. No header of this room shows Beast or a socket to the rest of the house.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/task.h"

namespace rouse {

// Who is on the other end of the socket. Behind a trusted proxy the gateway works out the real one.
struct Peer {
  std::string address;  // "127.0.0.1", "::1"
  std::uint16_t port = 0;
  bool tls = false;
};

struct HeaderView {
  std::string_view name;
  std::string_view value;
};

// The head of a request: everything before the body. Views point into the connection's buffer.
struct RequestHead {
  std::string_view method;  // "GET"
  std::string_view target;  // "/a/b?x=1" as sent
  std::string_view path;    // "/a/b", still percent-encoded
  std::string_view query;   // "x=1", without '?'
  std::vector<HeaderView> headers;
  std::optional<std::uint64_t> content_length;
  bool websocket_upgrade = false;
  const Peer* peer = nullptr;
  // Whatever admit() found out that handle() needs again (the caller, the route). Set anew by
  // admit().
  mutable std::shared_ptr<void> notes;

  // First header of that name (case-insensitive), or nullopt.
  [[nodiscard]] std::optional<std::string_view> header(std::string_view name) const;
  // How often the header occurs: security checks refuse doubled ones.
  [[nodiscard]] std::size_t count(std::string_view name) const;
};

// Where a streamed response writes to. write() waits for the client (backpressure) within the write
// deadline; an error means the client is gone and the stream should end.
class ResponseStream {
 public:
  virtual ~ResponseStream() = default;
  virtual Task<Result<void>> write(std::string chunk) = 0;
  // Set when the client is gone or the server stops.
  [[nodiscard]] virtual std::stop_token stop() const = 0;
};

struct Response {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string_view
      static_headers;  // lines "Name: value\r\n" written as they are; must live forever
  std::string body;
  std::string_view static_body;  // used instead of body when not empty; must live forever
  // When set, the body is produced piece by piece: chunked for HTTP/1.1 (SSE uses it too).
  std::move_only_function<Task<void>(ResponseStream&)> stream;
};

// Why a WebSocket ended.
enum class WebSocketErrc : std::uint8_t {
  kClosed,      // a clean close, from either side: "closed"
  kLost,        // the connection broke, or was dropped for being slow: "connection_lost"
  kBadMessage,  // binary, too large or not UTF-8; the peer was told with 1003, 1009 or 1007
};
ErrorInfo error_info(WebSocketErrc code);

// A WebSocket after the handshake. receive() gives whole text messages; send() queues and never
// blocks. A client that reads so slowly that the queue passes its bound is dropped.
class WebSocket {
 public:
  virtual ~WebSocket() = default;
  // The next text message, or an error when the connection ended (name "closed" for a clean close).
  virtual Task<Result<std::string>> receive() = 0;
  // False if the socket is closed or was just dropped for being slow. Shared: a broadcast of one
  // frame to many sockets keeps one copy.
  virtual bool send(std::shared_ptr<const std::string> text) = 0;
  virtual void close(std::uint16_t code, std::string_view reason) = 0;
  [[nodiscard]] virtual std::size_t queued_bytes() const = 0;
};

// What a server does with a request once its head is known and before a byte of its body is read.
struct Admission {
  // Answer now. A body is not read, and the connection closes unless there was none.
  std::optional<Response> refusal;
  std::uint64_t max_body_bytes = 0;  // 413 through refuse() beyond this
};

// The application above the server. All calls come on the loop.
class HttpHandler {
 public:
  virtual ~HttpHandler() = default;
  virtual Admission admit(const RequestHead& head) = 0;
  // head and body stay valid until the task ends.
  virtual Task<Response> handle(const RequestHead& head, std::string body) = 0;
  // Called instead of handle() for an admitted upgrade, after the 101. Ends when it returns.
  virtual Task<void> websocket(const RequestHead& head, std::shared_ptr<WebSocket> socket) = 0;
  // The answer for a failure that the server itself found (broken head, 413, 431, 408, 503).
  virtual Response refuse(int status, std::string_view error, std::string_view message) = 0;
  // An exception left handle(), a stream or websocket(). The client got a 500 or was closed; what
  // happened is for the log.
  virtual void on_bug(std::string_view what) {}
  // New connections have to wait, because descriptors or memory ran out. Told once a minute while
  // it lasts.
  virtual void on_exhausted(std::string_view why) {}
};

std::string_view reason_phrase(int status);
int http_status(Kind kind);

}  // namespace rouse
