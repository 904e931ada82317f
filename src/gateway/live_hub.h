// The pages that are open right now. Each gets a hello and the server's health when it connects,
// the health again when it changes or when it asks; then everything that happens in its workspace
// (live/workspace_stream.h), and an answer to what it asks for (live/page_desk.h). Frames are
// described in docs/websocket.md.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_map>

#include "gateway/live/live_parts.h"
#include "gateway/live/page_desk.h"
#include "gateway/live/workspace_stream.h"
#include "gateway/principal.h"
#include "gateway/server_status.h"
#include "net/http.h"

namespace rouse {

// Whose page it is: ending either ends the page. And what it listens to.
struct PageOwner {
  TokenId token;
  std::string browser;         // browser_key() of its cookie; empty for a program with a token
  WorkspaceId workspace = {};  // empty: only the server's health
  std::optional<std::int64_t> after = {};  // the newest durable event it knows
};

// From the request: ?after=SEQ, and ?workspace_id= for an admin (SC-2).
Result<PageOwner> page_owner(const Principal& principal, std::string browser,
                             std::string_view query);

class LiveHub {
 public:
  explicit LiveHub(const ServerStatus& status) : status_(status) {}

  // Called once, before the first page: from here on pages can chat and watch. All of the parts
  // must be given and outlive the hub.
  void connect(const LiveParts& parts);

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
  [[nodiscard]] std::size_t size() const { return pages_.size(); }
  [[nodiscard]] std::size_t streams() const { return streams_.size(); }

 private:
  using Stream = std::shared_ptr<WorkspaceStream>;
  struct Page {
    TokenId token;
    std::string browser;
  };

  [[nodiscard]] LiveFrame health_frame() const;
  Stream stream_of(const WorkspaceId& workspace);
  Task<void> greet(std::optional<std::int64_t> after, Stream stream,
                   std::shared_ptr<WebSocket> socket);
  Task<void> answer(WorkspaceId workspace, std::string message, std::shared_ptr<WebSocket> socket);
  void forget(const WorkspaceId& workspace, Stream stream, WebSocket& socket);

  const ServerStatus& status_;
  std::string store_problem_;
  std::unordered_map<WebSocket*, Page> pages_;
  std::optional<LiveParts> parts_;
  PageDesk desk_;
  // Each lives as long as a page of its workspace is open.
  std::map<std::string, std::weak_ptr<WorkspaceStream>, std::less<>> streams_;
};

}  // namespace rouse
