// The kernel over a simulated world, with few words: who says what, and what came of it.
#pragma once

#include <memory>
#include <string>

#include "session/session_kernel.h"
#include "tests/sim/world.h"

namespace rouse {

// One life of the process: opens the store of the world and starts the kernel over it.
class KernelHouse {
 public:
  explicit KernelHouse(sim::World& world, Database& database)
      : workspaces(database, world.clock(), world.random()),
        kernel(database, world.clock(), world.random(), workspaces, summariser, drift) {}

  Task<Result<void>> start() {
    CO_TRY_VOID(co_await workspaces.ensure_default());
    co_return co_await kernel.start();
  }

  Workspaces workspaces;
  Summariser summariser;
  DriftGate drift;
  SessionKernel kernel;
};

inline InboundMessage message_from(std::string peer, std::string text,
                                   std::optional<std::string> message_id = {},
                                   std::string channel = "whatsapp") {
  return {.workspace = Workspaces::default_id(),
          .key = {std::move(channel), peer},
          .account = peer,
          .message_id = std::move(message_id),
          .content = text_content(std::move(text), kFromSender)};
}

}  // namespace rouse
