// The part of the prompt about meeting a person (S0-30): what to do when they open the app, for the
// first time or again, and how to get to know somebody who writes before any of that happened.
// Every other turn gets nothing.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "agent/prompt/prompt.h"
#include "base/time.h"

namespace rouse {

// How long ago the last message was, as a sentence (S0-C6).
std::string time_context(std::optional<WallTime> last_message_at, WallTime now);

// "## Session Open …", "## Onboarding …" or "".
std::string opening_guidance(const PromptInput& input);

}  // namespace rouse
