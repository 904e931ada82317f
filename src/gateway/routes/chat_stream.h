// A turn as server-sent events: `turn`, `delta`, `again`, `tool_call`, `tool_result`, then `done`
// or `error`. Deltas are provisional; `done` has the committed words.
#pragma once

#include <deque>
#include <memory>
#include <string>

#include "agent/turn_stage.h"
#include "base/clock.h"

namespace rouse {

// Between the stage, which never waits, and a client that may be slow. A client that lets more than
// kPipeBytes gather is let go: it can ask for the turn later.
class EventPipe : public std::enable_shared_from_this<EventPipe> {
 public:
  static constexpr std::size_t kPipeBytes = 1 << 20;

  void push(std::string frame);
  void end();  // nothing more comes
  // The next frames together; "" after a quiet while (a keepalive is due). nullopt: it is over.
  Task<std::optional<std::string>> next(Clock& clock, Millis quiet, std::stop_token stop);
  [[nodiscard]] bool overrun() const { return overrun_; }

 private:
  void wake();
  std::string waiting_;
  bool ended_ = false, overrun_ = false;
  std::stop_source arrived_;
};

// One event of the stage as a frame; "" for those a stream doesn't show.
std::string sse_frame(const TurnEvent& event);
// What a late listener missed.
std::string sse_frames(const TurnSnapshot& snapshot);

}  // namespace rouse
