// How to write for the place a reply goes to, and for what called for it. Two things, kept apart
// (U12): the transport (web, whatsapp, telegram …) says what a message may look like; the kind of
// turn says who is waiting for it and why. A transport nobody knows is treated as the web.
#pragma once

#include <string>
#include <string_view>

namespace rouse {

// One entry of the table, by name: a transport ("web", "whatsapp", "telegram", "terminal", "api"),
// or what called for the turn ("session_open", "heartbeat", "heartbeat_wake", "scheduled",
// "approval"). An unknown name gives the web's.
std::string_view channel_guidance(std::string_view name);

// What stands in the prompt of a turn, made of the two.
std::string guidance_for(std::string_view turn_kind, std::string_view transport);

}  // namespace rouse
