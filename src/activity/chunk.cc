#include "activity/chunk.h"

#include <algorithm>

#include "base/text.h"

namespace rouse {
namespace {

// The text shrinks to its last `left` characters, which are taken off `left`.
void take_tail(std::string& text, std::size_t& left) {
  std::size_t at = text.size();
  while (at > 0 && left > 0) {
    if (begins_character(text[--at])) --left;
  }
  while (at < text.size() && !begins_character(text[at])) ++at;
  text.erase(0, at);
}

void append_text(std::string& to, const std::string& text) {
  if (!to.empty()) to += '\n';
  to += text;
}

bool is_silent(const TurnText& turn) { return turn.user.empty() && turn.assistant.empty(); }

bool begins_chunk(const std::vector<WorkChunk>& chunks, ActivityType type, bool is_run) {
  return chunks.empty() || chunks.back().type != type || chunks.back().is_run || is_run;
}

}  // namespace

ActivityType type_of(TurnKind kind) {
  switch (kind) {
    case TurnKind::kAutomation:
      return ActivityType::kScheduled;
    case TurnKind::kHeartbeatWake:
      return ActivityType::kHeartbeat;
    case TurnKind::kSessionOpen:
      return ActivityType::kSystem;
    case TurnKind::kIsolated:
      return ActivityType::kBackground;
    case TurnKind::kUser:
    case TurnKind::kApproval:
      break;
  }
  return ActivityType::kMessage;
}

void add_to_chunks(std::vector<WorkChunk>& chunks, const Message& message,
                   const std::optional<WorkTurn>& turn) {
  const auto id = turn ? std::optional(turn->id) : std::nullopt;
  const TurnKind kind = turn ? turn->kind : TurnKind::kUser;
  const bool goes_on = !chunks.empty() && id && chunks.back().turn == id;
  if (!goes_on) {
    const bool is_run = kind == TurnKind::kAutomation;
    if (begins_chunk(chunks, type_of(kind), is_run)) {
      WorkChunk& begun = chunks.emplace_back();
      begun.type = type_of(kind);
      begun.is_run = is_run;
      begun.repeats = turn && turn->repeats;
    }
    chunks.back().turn = id;
    ++chunks.back().turns;
    chunks.back().said.emplace_back();
  }
  WorkChunk& chunk = chunks.back();
  chunk.session = message.session;
  chunk.at = std::max(chunk.at, message.created);
  chunk.last_seq = message.seq;
  // What opens a session or begins a run is a prompt of ours, and nobody said it.
  const bool ours = kind == TurnKind::kSessionOpen || kind == TurnKind::kAutomation;
  const bool asked = message.role == "user" && !ours;
  if (!asked && message.role != "assistant") return;
  for (const ContentBlock& block : message.content) {
    if (block.type != kTextBlock || !block.text || block.text->empty()) continue;
    append_text(asked ? chunk.said.back().user : chunk.said.back().assistant, *block.text);
    if (block.from == kFromUntrusted) chunk.untrusted = true;
  }
}

void keep_tail(std::vector<TurnText>& said, std::size_t characters) {
  for (auto turn = said.rbegin(); turn != said.rend(); ++turn) {
    take_tail(turn->assistant, characters);
    take_tail(turn->user, characters);
  }
  if (said.empty()) return;
  TurnText newest = std::move(said.back());  // it may go on
  said.pop_back();
  std::erase_if(said, is_silent);
  said.push_back(std::move(newest));
}

bool WorkChunk::is_empty() const { return std::ranges::all_of(said, is_silent); }

}  // namespace rouse
