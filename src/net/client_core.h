// What all exchanges of one HTTP client share: settings, the TLS context made on first use, and the
// connections kept for reuse. Inside this room only.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/blocking_pool.h"
#include "net/deadlines.h"
#include "net/http_client.h"
#include "net/stream.h"
#include "net/url.h"

namespace rouse {

class ClientExchange;

// An open connection to an origin or a proxy, and the address it really goes to.
struct ClientConnection {
  explicit ClientConnection(TcpSocket socket) : stream(std::move(socket)) {}
  NetStream stream;
  std::string address;
  bool reused = false;
  bool through_proxy = false;  // requests are written in absolute form
};

// Connections that wait for the next request to the same place. Old ones are closed by a deadline,
// which runs only while there are some.
class ConnectionPool final : public Deadlines::Entry {
 public:
  ConnectionPool(Deadlines& deadlines, std::size_t bound) : deadlines_(deadlines), bound_(bound) {
    deadlines_.add(*this);
  }
  // A connection that is still quiet and open, or null. allow may be empty.
  std::unique_ptr<ClientConnection> take(const std::string& key,
                                         const std::function<bool(std::string_view)>& allow);
  void give(std::string key, std::unique_ptr<ClientConnection> connection);
  void clear() { idle_.clear(); }

 private:
  struct Idle {
    std::string key;
    std::unique_ptr<ClientConnection> connection;
    MonoTime since;
  };
  void on_deadline(MonoTime now) override;

  Deadlines& deadlines_;
  std::size_t bound_;
  std::vector<Idle> idle_;  // oldest first
};

struct ClientCore {
  ClientCore(Loop& l, ClientOptions o)
      : loop(l),
        options(std::move(o)),
        deadlines(l),
        pool(deadlines, options.idle_connections),
        threads(std::make_unique<BlockingPool>()) {}

  Loop& loop;
  ClientOptions options;
  Deadlines deadlines;
  ConnectionPool pool;
  std::unique_ptr<BlockingPool> threads;  // null once the client is gone
  std::shared_ptr<boost::asio::ssl::context> tls;
  std::unordered_set<ClientExchange*> running;

  Result<boost::asio::ssl::context*> tls_context();  // made on first use
  // The proxy for this URL, if one applies. The error tells which setting is wrong.
  Result<std::optional<Proxy>> proxy_for(const Url& url) const;
};

}  // namespace rouse
