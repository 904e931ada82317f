// The pages that are open right now. Each gets a hello and the server's health when it connects,
// the health again when it changes or when it asks. Frames are described in docs/websocket.md.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>

#include "gateway/principal.h"
#include "gateway/server_status.h"
#include "net/http.h"

namespace rouse {

// Whose page it is: ending either ends the page.
struct PageOwner {
  TokenId token;
  std::string browser;  // browser_key() of its cookie; empty for a program with a token
};

class LiveHub {
 public:
  explicit LiveHub(const ServerStatus& status) : status_(status) {}

  // Serves one socket until it closes.
  Task<void> serve(PageOwner owner, std::shared_ptr<WebSocket> socket);

  void broadcast_health();
  // The store tells its problems only when asked. Called when an answer showed that it may have
  // one, and until it is over; tells the pages and returns the new problem (empty: over) if it
  // changed.
  std::optional<std::string> check_store();
  [[nodiscard]] bool store_has_problem() const { return !store_problem_.empty(); }
  // The pages of a revoked token, or of a browser that signed out, are closed at once.
  void close_token(const TokenId& token);
  void close_browser(std::string_view browser);
  [[nodiscard]] std::size_t size() const { return sockets_.size(); }

 private:
  void answer(WebSocket& socket, std::string_view message) const;
  [[nodiscard]] std::shared_ptr<const std::string> health_frame() const;

  const ServerStatus& status_;
  std::string store_problem_;
  std::unordered_map<WebSocket*, PageOwner> sockets_;
};

}  // namespace rouse
