// What all connections of one server share, on the loop: limits, counters, deadlines, and the list
// of who is connected, so that a shutdown can reach everybody. Inside this room only.
//
// It is shared by the server and its connections because a handler may still run when the server
// object is gone.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/loop.h"
#include "net/deadlines.h"
#include "net/http_server.h"
#include "net/stream.h"

namespace rouse {

// One open connection as the server sees it.
class Member : public Deadlines::Entry {
 public:
  // The server stops: end what is idle, let what runs come to its end.
  virtual void begin_shutdown() = 0;
  // Close the socket now. What waits on it ends with an error.
  virtual void abort() = 0;
};

struct ServerCore {
  ServerCore(Loop& l, HttpHandler& h, ServerLimits lim)
      : loop(l), handler(h), limits(std::move(lim)), deadlines(l) {}

  Loop& loop;
  HttpHandler& handler;
  ServerLimits limits;
  Deadlines deadlines;
  ServerStats stats;
  bool stopping = false;
  std::size_t refusing = 0;  // connections over the limit that are being told so
  std::unordered_set<Member*> members;
  std::unordered_map<std::string, std::size_t> per_address;
  std::move_only_function<void()> on_empty;  // set while a shutdown waits

  // Bytes nobody wants are read into this. Shared: its content never matters.
  std::vector<char> scratch;

  void enter(Member& member) {
    members.insert(&member);
    deadlines.add(member);
  }
  void leave(Member& member) {
    deadlines.remove(member);
    members.erase(&member);
    if (members.empty() && on_empty) on_empty();
  }
};

// A place among the allowed connections, given back when destroyed. Goes from the HTTP connection
// to the WebSocket it becomes.
class Ticket {
 public:
  Ticket() = default;
  Ticket(std::shared_ptr<ServerCore> core, Peer peer)
      : core_(std::move(core)), peer_(std::move(peer)) {
    ++core_->stats.connections;
    ++core_->per_address[peer_.address];
  }
  Ticket(Ticket&& other) noexcept = default;
  Ticket& operator=(Ticket&&) = delete;
  ~Ticket() {
    if (!core_) return;
    --core_->stats.connections;
    const auto found = core_->per_address.find(peer_.address);
    if (found != core_->per_address.end() && --found->second == 0) core_->per_address.erase(found);
  }
  [[nodiscard]] const Peer& peer() const { return peer_; }

 private:
  std::shared_ptr<ServerCore> core_;
  Peer peer_;
};

// Reads and drops what the client still sends, until it closes, a bound is passed or the socket is
// cancelled. Without it, closing would reset the connection and could destroy an answer in flight.
Task<void> drain(ServerCore& core, NetStream& stream);

inline constexpr Millis kLingerDeadline = seconds(1);

}  // namespace rouse
