// A transcript as text, piece by piece: the lines of a JSONL export, and Markdown for people. Pure
// functions. Whatever people, agents and tools wrote, a reader can tell it from what we wrote: in
// JSONL by the grammar, in Markdown because a message is either quoted line by line or, if it could
// be taken for HTML, fenced with more backticks than it has itself.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "session/conversation.h"
#include "session/messages.h"

namespace rouse {

struct TranscriptCounts {
  std::int64_t conversations = 0;
  std::int64_t messages = 0;
};

namespace jsonl {  // each with its line end
std::string conversation(const Conversation& conversation, const std::vector<std::string>& aliases);
std::string session(const Session& session);
std::string message(const Message& message);
}  // namespace jsonl

namespace markdown {
std::string conversation(const Conversation& conversation, const std::vector<std::string>& aliases);
// `why` continues "opened …": "because the message said …".
std::string session(const Session& session, std::string_view why);
std::string session_again(const Session& session);  // an older one is written to once more
std::string message(const Message& message);

// Any text on one line of Markdown, with nothing in it that means something there.
std::string inline_text(std::string_view text);
// Any text as a block of its own.
std::string block_text(std::string_view text);
}  // namespace markdown

}  // namespace rouse
