// Where the tail begins, and how much of one message is shown.
#include <algorithm>
#include <map>
#include <span>

#include <fmt/format.h>

#include "agent/prompt/attached_file.h"
#include "agent/prompt/history.h"
#include "agent/prompt/text_cut.h"

namespace rouse {
namespace {

constexpr std::int64_t kSteps[] = {40, 10, 1};  // in messages
static_assert(kHistoryMovesFrom == 2 * kSteps[0]);
constexpr std::size_t kBlockOverheadBytes = 16;    // names and brackets around a block
constexpr std::size_t kImageBytesCounted = 5'600;  // about what a picture costs, as text
constexpr std::size_t kShortestMessageBytes = 256;

std::size_t size_of(const std::optional<std::string>& text) { return text ? text->size() : 0; }

std::size_t text_bytes(const ContentBlock& block) {
  return size_of(block.text) + size_of(block.arguments);
}

std::size_t text_bytes(const Message& message) {
  std::size_t out = 0;
  for (const ContentBlock& block : message.content) out += text_bytes(block);
  return out;
}

// The messages oldest first, and for each place whether a call from before it is answered behind
// it: nothing may begin there.
struct Places {
  std::vector<const Message*> messages;
  std::vector<bool> inside_a_call;
};

void note_calls(Places& places, std::size_t at, std::map<std::string, std::size_t>& called_at) {
  for (const ContentBlock& block : places.messages[at]->content) {
    if (block.type != kToolCallBlock && block.type != kToolResultBlock) continue;
    const std::string id = block.call_id.value_or("");
    if (block.type == kToolCallBlock) called_at[id] = at;
    if (block.type != kToolResultBlock) continue;
    const auto call = called_at.find(id);
    if (call == called_at.end()) continue;
    for (std::size_t i = call->second + 1; i <= at; ++i) places.inside_a_call[i] = true;
    called_at.erase(call);
  }
}

Places places_of(std::span<const MessagePtr> newest_first) {
  Places out;
  out.messages.reserve(newest_first.size());
  for (std::size_t i = newest_first.size(); i > 0; --i) {
    out.messages.push_back(newest_first[i - 1].get());
  }
  out.inside_a_call.resize(out.messages.size());
  std::map<std::string, std::size_t> called_at;
  for (std::size_t i = 0; i < out.messages.size(); ++i) note_calls(out, i, called_at);
  return out;
}

// How many of the newest messages fit.
std::size_t fitting(const Transcript& newest_first, const HistoryLimits& limits) {
  std::int64_t tokens = 0;
  std::size_t count = 0;
  for (; count < std::min(newest_first.size(), limits.messages); ++count) {
    tokens += history_tokens(*newest_first[count], limits);
    if (tokens > limits.tokens) break;
  }
  return count;
}

// A greeting is the only thing an agent says without having been asked in the transcript.
bool begins_an_exchange(const Message& message) {
  return message.role == "user" ||
         (message.role == "assistant" && message.source == "session_open");
}
bool can_stand_first(const Message& message) { return message.role != "tool"; }

std::optional<std::int64_t> first_from(const Places& places, std::int64_t seq,
                                       bool (*fits)(const Message&)) {
  for (std::size_t i = 0; i < places.messages.size(); ++i) {
    const Message& message = *places.messages[i];
    if (message.seq >= seq && !places.inside_a_call[i] && fits(message)) return message.seq;
  }
  return std::nullopt;
}

// The first block border at or behind a message; borders are before 1, 1 + step, 1 + 2 * step …
std::int64_t aligned(std::int64_t seq, std::int64_t step) {
  return (seq - 1 + step - 1) / step * step + 1;
}

}  // namespace

std::int64_t history_border(std::int64_t oldest_seq) { return aligned(oldest_seq, kSteps[0]); }

std::size_t longest_message_bytes(const HistoryLimits& limits) {
  const auto quarter = static_cast<std::size_t>(std::max<std::int64_t>(limits.tokens, 0)) * 7 / 8;
  return std::max(quarter, kShortestMessageBytes);  // tokens / 4 * 3.5
}

std::int64_t history_tokens(const Message& message, const HistoryLimits& limits) {
  const std::size_t longest = longest_message_bytes(limits);
  std::size_t bytes = std::min(text_bytes(message), longest);
  std::size_t file_bytes = 0;
  for (const ContentBlock& block : message.content) {
    bytes += kBlockOverheadBytes + size_of(block.tool);
    if (block.type == kImageBlock) bytes += kImageBytesCounted;
    if (block.type == kFileBlock) file_bytes += counted_bytes(block);
  }
  return estimate_tokens(bytes + std::min(file_bytes, longest));
}

std::optional<std::int64_t> tail_start(const Transcript& newest_first,
                                       const HistoryLimits& limits) {
  const std::size_t count = fitting(newest_first, limits);
  if (count == 0) return std::nullopt;
  const std::int64_t oldest = newest_first[count - 1]->seq;
  // One message before those that fit: a call there may be answered by the first of them.
  const std::size_t looked_at = std::min(count + 1, newest_first.size());
  Places places = places_of(std::span(newest_first).first(looked_at));
  const bool all_there_is = count == newest_first.size() && count < limits.messages;
  for (const std::int64_t step : kSteps) {
    // A step of more than half would throw away more than it keeps.
    if (step > 1 && (all_there_is || static_cast<std::int64_t>(count) < 2 * step)) continue;
    if (const auto seq = first_from(places, aligned(oldest, step), begins_an_exchange)) return seq;
  }
  // One exchange longer than the limits: its end is better than nothing.
  return first_from(places, oldest, can_stand_first);
}

MessagePtr fitted(const MessagePtr& message, const HistoryLimits& limits) {
  const std::size_t total = text_bytes(*message);
  const std::size_t most = longest_message_bytes(limits);
  if (total <= most) return message;
  auto cut = std::make_shared<Message>(*message);
  for (ContentBlock& block : cut->content) {
    const std::size_t share = text_bytes(block) * most / total;
    // Arguments must stay a JSON object, so they are kept whole or not at all.
    if (block.arguments && block.arguments->size() > share) {
      block.arguments =
          fmt::format(R"({{"left_out":"{} bytes of arguments"}})", block.arguments->size());
    }
    if (block.text) block.text = cut_middle(*block.text, share);
  }
  return cut;
}

Transcript choose_tail(const Transcript& newest_first, const HistoryLimits& limits) {
  Transcript out;
  const auto start = tail_start(newest_first, limits);
  if (!start) return out;
  for (const MessagePtr& message : newest_first) {
    if (message->seq < *start) break;
    out.push_back(fitted(message, limits));
  }
  std::ranges::reverse(out);
  return out;
}

}  // namespace rouse
