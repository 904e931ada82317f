// An HTTP/1.1 and WebSocket server on the loop, with TLS when asked for. It guards itself: every
// limit below is enforced here, a client that breaks one gets a clear answer where the protocol
// allows one and is closed, and overload is answered with 503 and a reason, never by falling over.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/loop.h"
#include "base/time.h"
#include "net/address.h"
#include "net/http.h"

namespace rouse {

struct ServerLimits {
  std::size_t header_bytes = 16 * 1024;        // whole head; 431 beyond
  std::size_t header_fields = 100;             // 431 beyond
  std::size_t connections = 16'384;            // further ones get 503 and are closed
  std::size_t connections_per_address = 1024;  // loopback and `exempt` are exempt
  std::size_t websocket_message_bytes = 1 << 20;
  std::size_t websocket_queue_bytes = 1 << 20;  // a slower client is dropped
  Millis head_deadline = seconds(10);           // from the first byte of a head to its end
  Millis body_deadline = seconds(60);           // and for the whole body
  Millis idle_deadline = seconds(75);           // keep-alive without a request
  Millis write_deadline = seconds(30);          // one write makes no progress
  Millis handshake_deadline = seconds(10);      // TLS
  Millis websocket_idle = seconds(60);          // then a ping; no answer within as long: closed
  Millis websocket_close = seconds(5);          // for the other side to answer a close
  AddressSet exempt;                            // trusted proxies: many clients behind one address
};

struct TlsFiles {
  std::string cert_path;
  std::string key_path;
};

struct ServerStats {
  std::size_t connections = 0;
  std::size_t websockets = 0;
  std::uint64_t accepted = 0;
  std::uint64_t refused = 0;       // over the connection limit
  std::uint64_t bad_requests = 0;  // broken heads, limits
  std::uint64_t slow_dropped = 0;  // deadlines, slow websocket readers
};

class HttpServer {
 public:
  virtual ~HttpServer() = default;

  // Binds and starts to accept. host is a literal address ("127.0.0.1", "::1", "0.0.0.0"); port 0
  // picks one. Returns the port. The error names the address and says what to do.
  virtual Result<std::uint16_t> listen(std::string host, std::uint16_t port,
                                       const std::optional<TlsFiles>& tls) = 0;

  // Reads certificate and key anew for connections to come; the old ones stay in force on error.
  virtual Result<void> reload_tls() = 0;

  // What is wrong with the certificates in force though they work: expired, not valid yet.
  [[nodiscard]] virtual std::vector<std::string> tls_warnings() const { return {}; }

  // Stops accepting, closes idle connections, lets running requests end; at the deadline the rest
  // is closed. WebSockets are closed with 1001. Done when nothing is left (a handler that does not
  // notice that its client is gone is waited for one second more).
  virtual Task<void> shutdown(Millis deadline) = 0;

  [[nodiscard]] virtual ServerStats stats() const = 0;
};

std::unique_ptr<HttpServer> make_http_server(Loop& loop, HttpHandler& handler, ServerLimits limits);

}  // namespace rouse
