// A durable event as pages get it: the event itself with what it points to, looked up at the moment
// it is sent. What was deleted meanwhile is left out and the frame says so ("gone"); what would
// make a frame too large or can't be read at the moment is left out as well ("more": the page
// fetches the rest, which comes after the message of that number).
#pragma once

#include "gateway/live/live_parts.h"

namespace rouse {

// Messages of one frame, in bytes of their JSON; the first one always goes along.
inline constexpr std::size_t kEventFrameBytes = 256 * 1024;

class EventFrames {
 public:
  EventFrames(SessionKernel& kernel, TurnLedger& ledger) : kernel_(kernel), ledger_(ledger) {}

  [[nodiscard]] LiveFrame frame(const Event& event);

 private:
  // Each adds fields; false: what the event points to is not there any more.
  Result<bool> add_question(std::string& out, const Event& event);
  Result<bool> add_messages(std::string& out, const Event& event);

  SessionKernel& kernel_;
  TurnLedger& ledger_;
};

}  // namespace rouse
