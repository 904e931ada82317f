// The pages that are open right now. Each gets a hello and the server's health when it connects, the
// health again when it changes or when it asks. Frames are described in docs/websocket.md.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>

#include "gateway/principal.h"
#include "gateway/server_status.h"
#include "net/http.h"

namespace rouse {

class LiveHub {
 public:
  explicit LiveHub(const ServerStatus& status) : status_(status) {}

  // Serves one socket until it closes.
  Task<void> serve(TokenId token, std::shared_ptr<WebSocket> socket);

  void broadcast_health();
  // A revoked token's pages are closed at once.
  void close_token(const TokenId& token);
  [[nodiscard]] std::size_t size() const { return sockets_.size(); }

 private:
  void answer(WebSocket& socket, std::string_view message) const;
  [[nodiscard]] std::shared_ptr<const std::string> health_frame() const;

  const ServerStatus& status_;
  std::unordered_map<WebSocket*, TokenId> sockets_;
};

}  // namespace rouse
