#include "model/offline/scene.h"

#include <algorithm>

#include "base/text.h"
#include "model/offline/phrase.h"

namespace rouse::offline {
namespace {

constexpr std::size_t kLookedThrough = 200;   // messages, from the newest back
constexpr std::size_t kPersonalBytes = 2000;  // longer messages tell of other things

std::string text_of(const PromptMessage& message) {
  std::string text;
  for (const PromptBlock& block : message.blocks) {
    if (block.kind != BlockKind::kText) continue;
    if (!text.empty()) text += '\n';
    text += block.text;
  }
  return text;
}

bool has_block(const PromptMessage& message, BlockKind kind) {
  return std::ranges::any_of(message.blocks,
                             [&](const PromptBlock& block) { return block.kind == kind; });
}

// "Remember that my car is in lot 5": "your car is in lot 5".
std::string note_in(std::string_view text) {
  const std::string_view start = text.substr(0, 24);
  if (!start.contains("ember") && !start.contains("ote")) return "";  // most are none
  Phrase note{text};
  note.eat({"please"});
  const bool is_note = note.eat({"remember that", "remember", "note that"});
  return is_note && !note.starts({"to", "me", "my name"}) ? to_second_person(note.text()) : "";
}

// What rouse itself put there to begin a turn ("[SYSTEM: …]") was not said by anybody.
bool is_trigger(std::string_view text) { return text.starts_with("[SYSTEM"); }

}  // namespace

Scene::Scene(const ModelRequest& request) : request_(request) {
  find_message();
  read_outcomes();
}

void Scene::find_message() {
  message_at_ = request_.messages.size();
  for (std::size_t i = request_.messages.size(); i-- > 0;) {
    const PromptMessage& message = request_.messages[i];
    if (message.role != PromptRole::kUser || has_block(message, BlockKind::kToolResult)) continue;
    message_at_ = i;
    message_ = text_of(message);
    has_image_ = has_block(message, BlockKind::kImage);
    return;
  }
}

void Scene::read_outcomes() {
  for (std::size_t i = 0; i < request_.messages.size(); ++i) {
    for (const PromptBlock& block : request_.messages[i].blocks) {
      if (block.kind == BlockKind::kToolCall) ++calls_;
      if (block.kind != BlockKind::kToolResult || i < message_at_) continue;
      std::string_view tool = block.tool;
      // A result may name its call only.
      for (std::size_t k = message_at_; k < i && tool.empty(); ++k) {
        for (const PromptBlock& call : request_.messages[k].blocks) {
          if (call.kind == BlockKind::kToolCall && call.call_id == block.call_id) tool = call.tool;
        }
      }
      outcomes_.push_back({tool, block.text, block.failed});
    }
  }
}

const ToolOutcome* Scene::outcome_of(std::string_view tool) const {
  const auto found = std::ranges::find(outcomes_, tool, &ToolOutcome::tool);
  return found == outcomes_.end() ? nullptr : &*found;
}

const PromptTool* Scene::offered(std::string_view tool) const {
  const auto found = std::ranges::find(request_.tools, tool, &PromptTool::name);
  return found == request_.tools.end() ? nullptr : &*found;
}

bool Scene::instructions_say(std::string_view words) const {
  return std::ranges::any_of(request_.system, [&](const SystemPart& part) {
    return part.text.find(words) != std::string::npos;
  });
}

std::string Scene::said_at(std::size_t index, PromptRole role) const {
  const PromptMessage& message = request_.messages[index];
  if (message.role != role || has_block(message, BlockKind::kToolResult)) return "";
  std::string text = text_of(message);
  return is_trigger(text) ? "" : text;
}

std::string Scene::person_said_last() const {
  for (std::size_t i = message_at_; i-- > 0;) {
    if (auto text = said_at(i, PromptRole::kUser); !text.empty()) return text;
  }
  return "";
}

std::string Scene::person_said_first() const {
  for (std::size_t i = 0; i < message_at_; ++i) {
    if (auto text = said_at(i, PromptRole::kUser); !text.empty()) return text;
  }
  return "";
}

std::string Scene::assistant_said_last() const {
  for (std::size_t i = message_at_; i-- > 0;) {
    if (auto text = said_at(i, PromptRole::kAssistant); !text.empty()) return text;
  }
  return "";
}

Known Scene::known() const {
  Known known;
  const std::size_t from = message_at_ > kLookedThrough ? message_at_ - kLookedThrough : 0;
  std::string asked;  // what the assistant said just before
  for (std::size_t i = from; i < message_at_; ++i) {
    if (auto text = said_at(i, PromptRole::kAssistant); !text.empty()) asked = std::move(text);
    const std::string text = said_at(i, PromptRole::kUser);
    if (text.empty() || text.size() > kPersonalBytes) continue;
    Learned learned = learned_from(text);
    if (learned.name.empty() && asked.contains(kNameQuestion)) learned.name = name_in_answer(text);
    if (!learned.name.empty()) known.name = std::move(learned.name);
    for (PersonFact& fact : learned.facts) known.facts.push_back(std::move(fact.said_back));
    if (std::string note = note_in(text); !note.empty()) known.facts.push_back(std::move(note));
    asked.clear();
  }
  return known;
}

}  // namespace rouse::offline
