// The conversation's past as a model takes it. Three pure steps, so that the same transcript always
// gives the same bytes and a provider's cache of the beginning hits turn after turn:
//
// - tail_start() says where the tail begins. It moves in steps of whole blocks of messages, not
// with
//   every turn; it never parts a tool call from its result.
// - fitted() cuts a single message that would crowd out the others, in its middle, and says so.
// - to_prompt() turns messages into prompt messages: times and ids of ours are left out, pictures
//   and files become a few words unless their bytes are at hand.
//
// What comes out is well formed whatever went in: it begins with a user message, each call has its
// one result right behind it, and no id is there twice.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/model.h"
#include "session/messages.h"

namespace rouse {

struct HistoryLimits {
  std::int64_t tokens = 16'000;
  std::size_t messages = 120;
  friend bool operator==(const HistoryLimits&, const HistoryLimits&) = default;
};

// Where a tail of at least kHistoryMovesFrom messages may begin, if all from this seq on fit: it
// moves by whole blocks.
inline constexpr std::size_t kHistoryMovesFrom = 80;
std::int64_t history_border(std::int64_t oldest_seq);

// How much of the budget one message may take.
std::size_t longest_message_bytes(const HistoryLimits& limits);

// What a message takes up in a prompt, after fitted().
std::int64_t history_tokens(const Message& message, const HistoryLimits& limits);

// The seq the tail begins with; none if there is nothing to show. Messages newest first, as
// ConversationTail gives them: ask it for one more than limits.messages, because a list that ends
// within the limits is taken for all there is, and all there is begins with its first message.
std::optional<std::int64_t> tail_start(const Transcript& newest_first, const HistoryLimits& limits);

MessagePtr fitted(const MessagePtr& message, const HistoryLimits& limits);

// Both: the messages from tail_start() on, oldest first, fitted.
Transcript choose_tail(const Transcript& newest_first, const HistoryLimits& limits);

// The bytes of an image block, or none: then it becomes a few words.
using ImageBytes = std::function<std::optional<std::string>(const ContentBlock&)>;

std::vector<PromptMessage> to_prompt(const Transcript& tail, const ImageBytes& image_bytes = {});
// The same of messages that follow others: they may begin with anybody's words.
std::vector<PromptMessage> to_prompt_behind_others(const Transcript& said);

}  // namespace rouse
