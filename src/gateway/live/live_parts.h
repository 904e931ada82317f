// What the live pages are made of: whoever runs turns, whoever tells of them, and where the durable
// facts are. Handed over once, after the house is built.
#pragma once

#include <memory>
#include <string>

#include "agent/turn_runner.h"
#include "agent/turn_stage.h"
#include "base/clock.h"
#include "base/loop.h"
#include "gateway/chat_door.h"
#include "session/event_log.h"
#include "session/session_kernel.h"
#include "session/turn_ledger.h"

namespace rouse {

struct LiveParts {
  TurnRunner* runner = nullptr;
  TurnStage* stage = nullptr;
  EventLog* events = nullptr;
  SessionKernel* kernel = nullptr;
  TurnLedger* ledger = nullptr;
  ChatDoor* door = nullptr;
  Clock* clock = nullptr;
  Loop* loop = nullptr;
};

// One text frame; all sockets it goes to share it.
using LiveFrame = std::shared_ptr<const std::string>;

inline LiveFrame live_frame(std::string text) {
  return std::make_shared<const std::string>(std::move(text));
}

}  // namespace rouse
