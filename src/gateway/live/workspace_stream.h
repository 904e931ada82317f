// Everything that happens in one workspace, for all of its pages: one subscription and one place in
// the event log, however many sockets listen. A durable event is read and made into a frame once.
//
// A page that was away gets the durable events it missed, then the running turns as they are, then
// what happens from now on; in this order and without a gap. It works because the last step of
// resume() doesn't wait: what is committed by then was sent, and what comes later goes to those who
// have joined. A page that reads slowly catches up slowly; only what is live may drop it.
#pragma once

#include <unordered_set>

#include "gateway/live/event_frames.h"
#include "gateway/live/live_parts.h"
#include "net/http.h"

namespace rouse {

// A page that catches up gets no more while so much of it waits to be sent.
inline constexpr std::size_t kCatchUpBytes = 256 * 1024;

class WorkspaceStream {
 public:
  WorkspaceStream(const LiveParts& parts, WorkspaceId workspace);
  WorkspaceStream(const WorkspaceStream&) = delete;
  WorkspaceStream& operator=(const WorkspaceStream&) = delete;

  // Sends what was committed since the last time to all that have joined.
  Result<void> publish_new();
  [[nodiscard]] std::int64_t last_seq() const { return sent_; }

  // Brings a page up to date and lets it join. False: its socket is closed.
  Task<Result<bool>> resume(std::shared_ptr<WebSocket> socket, std::optional<std::int64_t> after);
  void leave(WebSocket& socket) { joined_.erase(&socket); }

 private:
  enum class Step : std::uint8_t { kMore, kDone, kClosed };
  Result<Step> send_missed(WebSocket& socket, std::int64_t& seen);
  bool send_running(WebSocket& socket);
  Task<void> wait_for_room(std::shared_ptr<WebSocket> socket);
  void on_turn(const TurnEvent& event);
  void tell(const LiveFrame& frame);

  LiveParts parts_;
  WorkspaceId workspace_;
  EventFrames frames_;
  std::int64_t sent_ = 0;  // the newest durable event that those who have joined know
  std::unordered_set<WebSocket*> joined_;
  TurnStage::Subscription watch_;
};

}  // namespace rouse
