// Where a message comes from, as the stable name of its conversation: "<channel>:<peer>", for
// example "whatsapp:+15550001234", "websocket:3f2a…", or "unified:default" for everybody's one
// thread. The key is the conversation, never the event or the agent (SE-10).
#pragma once

#include <compare>
#include <string>
#include <string_view>

#include "base/result.h"

namespace rouse {

struct SessionKey {
  std::string channel;
  std::string peer;

  // The channel is a short lower-case word; the peer is any text of one line.
  static Result<SessionKey> make(std::string_view channel, std::string_view peer);
  static Result<SessionKey> parse(std::string_view text);  // "channel:peer"
  static SessionKey unified() { return {"unified", "default"}; }

  [[nodiscard]] std::string str() const { return channel + ":" + peer; }
  friend auto operator<=>(const SessionKey&, const SessionKey&) = default;
};

// Reached through a bridge to somebody's messenger. Only such a channel has a session timeout: a
// web page, a terminal and a program say themselves when something new begins (design.md, 4).
bool is_bridged(std::string_view channel);
// A client may begin a conversation there by naming its key; on every other channel it begins when
// somebody writes.
bool begins_here(std::string_view channel);

}  // namespace rouse
