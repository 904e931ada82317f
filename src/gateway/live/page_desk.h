// Does what a page asks for: takes its messages, cancels turns, clears chats. Everything stays
// within the page's workspace, whatever ids it names.
#pragma once

#include "gateway/live/live_parts.h"
#include "gateway/live/page_frames.h"
#include "net/http.h"

namespace rouse {

class PageDesk {
 public:
  PageDesk() = default;
  explicit PageDesk(const LiveParts& parts) : parts_(parts) {}

  // Messages of one page are taken one after the other: their order is their order (U9).
  Task<void> chat(WorkspaceId workspace, PageAsk ask, std::shared_ptr<WebSocket> socket);

  // These may take a while (a summary is made); other frames of the page don't wait for them.
  void cancel(const WorkspaceId& workspace, PageAsk ask, std::shared_ptr<WebSocket> socket);
  void clear(const WorkspaceId& workspace, PageAsk ask, std::shared_ptr<WebSocket> socket);

 private:
  // The frame that answers it.
  Task<Result<std::string>> take(WorkspaceId workspace, PageAsk ask);
  Task<void> run_cancel(WorkspaceId workspace, PageAsk ask, std::shared_ptr<WebSocket> socket);
  Task<void> run_clear(WorkspaceId workspace, PageAsk ask, std::shared_ptr<WebSocket> socket);
  Task<Result<CancelledFrame>> cancel_turn(WorkspaceId workspace, std::string turn);

  LiveParts parts_;
};

}  // namespace rouse
