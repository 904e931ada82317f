// How a compaction meets the rest of the house: when it is time for one, what the model is told of
// it, what it means for trust, and in which words a person hears of it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "agent/compaction/compaction_book.h"
#include "model/model.h"
#include "session/messages.h"

namespace rouse {

// Is a request of so many tokens near what the model takes, the answer's room left aside?
bool near_window(std::int64_t request_tokens, const ModelInfo& model);

// The summary as the first thing of the prompt's messages. A user's message and not a part of the
// system prompt: it was made of what people and pages said and has no more authority than they.
PromptMessage handoff_message(const Compaction& compaction);
std::int64_t handoff_tokens(const Compaction& compaction);

// Does what was compacted taint a turn that sees these messages after it? Only if the owner has not
// spoken since the untrusted words, and that is so if none of these is the owner's.
bool still_taints(const Compaction& compaction, const Transcript& shown_after_it);

// The message is nothing but /compact.
bool is_compact_command(std::string_view text);

}  // namespace rouse
