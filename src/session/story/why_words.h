// The sentences of a session's story (why.h): decisions and their facts in plain words. Pure text;
// whatever is unknown to this release is said by its name, never left out.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "session/story/why.h"

namespace rouse::words {

// How the session before this one ended: "by timeout", "by a reset phrase" …
std::string how_it_ended(std::string_view close_reason);

// "because the last message was 45 min ago and the limit is 30 min"
std::string why_opened(std::string_view reason, const DecisionFacts& facts);

// "12 messages continued it; the longest pause was 8 min (limit 30 min)."
std::string continued(const ContinuedFacts& facts);

// "The drift gate …", a whole sentence.
std::string drift_said(const DriftFacts& drift);

}  // namespace rouse::words
