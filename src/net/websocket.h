// Turns a connection into a WebSocket. Inside this room only; Beast's WebSocket lives in the .cc.
#pragma once

#include <memory>
#include <string_view>

#include "net/head_parser.h"
#include "net/server_core.h"

namespace rouse {

// Answers the handshake of an admitted upgrade on a new task, runs the handler's websocket() and
// closes. Copies what it needs from head; early are bytes that came right behind it.
void start_websocket(std::shared_ptr<ServerCore> core, NetStream stream, Ticket ticket,
                     const RequestHead& head, const RequestFraming& framing,
                     std::string_view early);

}  // namespace rouse
