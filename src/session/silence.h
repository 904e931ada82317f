// When an answer means "nothing to say": one table, one function (design.md, 5; HB-1).
//
// - user: text untouched, never silent.
// - automation, heartbeat_wake, approval: never silent; an empty answer gets a status line.
// - session_open: WAKEUP_SILENT anywhere, or empty.
// - a heartbeat: HEARTBEAT_OK or NO_REPLY at start or end, the rest at most ack_max letters.
//
// Models dress their tokens up: other case, emphasis, code, quotes, tags, marks, emoji, characters
// nobody sees, or broken in two. So what counts is the letters alone. A heartbeat that says nothing
// but "All clear." says nothing.
//
// A token in an answer that does speak is cut out of it; there a token is only what can't be
// anything else ("NO_REPLY", not the word no-reply, not an address).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "session/turn_queue.h"

namespace rouse {

enum class SilenceRule : std::uint8_t { kUntouched, kNever, kSessionOpen, kHeartbeat };
SilenceRule silence_rule(TurnKind kind);  // a heartbeat's own beat is no turn: kHeartbeat

struct Heard {
  bool silent = false;
  std::string_view outcome = "spoke";  // "silent_token", "silent_empty"
  std::string text = {};               // without tokens; "" if silent
};
Heard judge_silence(SilenceRule rule, std::string_view answer, std::size_t ack_max = 0);

// --- its parts
// The letters and digits alone: small, without markup, marks, emoji and what nobody sees.
std::string bare_letters(std::string_view text);
bool has_token(std::string_view text);
std::string without_tokens(std::string_view text);

}  // namespace rouse
