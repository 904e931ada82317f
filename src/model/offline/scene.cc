#include "model/offline/scene.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "model/offline/phrase.h"

namespace rouse::offline {
namespace {

constexpr std::size_t kLookedThrough = 200;  // messages, from the newest back
constexpr std::size_t kFewWordsBytes = 80;
constexpr std::size_t kPersonalBytes = 2000;  // longer messages tell of other things
// A person's own instructions may have headings; only these end a section.
constexpr std::array<std::string_view, 3> kSectionsBehind{"\n\n## About the user\n",
                                                          "\n\n## Skills\n", "\n\n## Tools\n"};

// A text with a media type is a file's.
bool is_file(const PromptBlock& block) {
  return block.kind == BlockKind::kText && !block.media_type.empty();
}

std::string text_of(const PromptMessage& message) {
  std::string text;
  for (const PromptBlock& block : message.blocks) {
    if (block.kind != BlockKind::kText || is_file(block)) continue;
    if (!text.empty()) text += '\n';
    text += block.text;
  }
  return text;
}

// "[File notes.txt, text/plain, 12 bytes]": "notes.txt, text/plain, 12 bytes".
std::string first_line_of(std::string_view text) {
  text = text.substr(0, text.find('\n'));
  for (const std::string_view start : {"[File ", "[PDF "}) {
    if (text.starts_with(start)) text.remove_prefix(start.size());
  }
  if (text.ends_with(']')) text.remove_suffix(1);
  return std::string(text.substr(0, text.find(": this model")));
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

// What rouse itself put there to begin a turn ("[SYSTEM: …]", "Approved: …") was not said by
// anybody.
bool is_trigger(std::string_view text) {
  return std::ranges::any_of(
      std::initializer_list<std::string_view>{
          "[SYSTEM", "[The user opened the app", "Scheduled automation triggered:", "Approved:",
          "Approved.", "Denied:", "Denied.", "Expired:", "Expired."},
      [&](std::string_view start) { return text.starts_with(start); });
}

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
    for (const PromptBlock& block : message.blocks) {
      if (is_file(block)) files_.push_back(first_line_of(block.text));
    }
    return;
  }
}

void Scene::read_outcomes() {
  for (std::size_t i = 0; i < request_.messages.size(); ++i) {
    for (const PromptBlock& block : request_.messages[i].blocks) {
      if (block.kind == BlockKind::kToolCall) ++calls_;
      if (block.kind != BlockKind::kToolResult || i + 1 < message_at_) continue;
      ToolOutcome outcome{block.tool, block.text, {}, block.failed};
      // A result may name its call only.
      const std::size_t first = i > 0 && i < message_at_ ? i - 1 : message_at_;
      for (std::size_t k = first; k < i; ++k) {
        for (const PromptBlock& call : request_.messages[k].blocks) {
          if (call.kind != BlockKind::kToolCall || call.call_id != block.call_id) continue;
          outcome.tool = call.tool;
          outcome.arguments = call.arguments;
        }
      }
      if (i < message_at_) {
        outcome_before_ = outcome;
      } else {
        outcomes_.push_back(outcome);
      }
    }
  }
}

const ToolOutcome* Scene::outcome_of(std::string_view tool) const {
  const auto found = std::ranges::find(outcomes_, tool, &ToolOutcome::tool);
  return found == outcomes_.end() ? nullptr : &*found;
}

const ToolOutcome* Scene::approved_outcome() const {
  if (!outcomes_.empty()) return &outcomes_.front();
  return outcome_before_ ? &*outcome_before_ : nullptr;
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

std::string Scene::section(std::string_view title) const {
  const std::string heading = fmt::format("## {}\n", title);
  for (const SystemPart& part : request_.system) {
    const std::string_view text = part.text;
    std::size_t at = text.starts_with(heading) ? 0 : text.find("\n" + heading);
    if (at == std::string_view::npos) continue;
    at = text.find('\n', at + 1) + 1;
    std::size_t end = text.size();
    for (const std::string_view next : kSectionsBehind) end = std::min(end, text.find(next, at));
    return std::string(trim(text.substr(at, end - at)));
  }
  return "";
}

std::string Scene::words_between(std::string_view begin, std::string_view end) const {
  for (const SystemPart& part : request_.system) {
    const std::string_view text = part.text;
    std::size_t from = text.find(begin);
    if (from == std::string_view::npos) continue;
    from += begin.size();
    const std::size_t to = text.find(end, from);
    if (to == std::string_view::npos || to - from > kFewWordsBytes) continue;
    const std::string_view found = text.substr(from, to - from);
    if (!found.contains('\n')) return std::string(found);
  }
  return "";
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

std::string Scene::said_first(PromptRole role) const {
  for (std::size_t i = 0; i < message_at_; ++i) {
    if (auto text = said_at(i, role); !text.empty()) return text;
  }
  return "";
}

std::string Scene::person_said_first() const { return said_first(PromptRole::kUser); }
std::string Scene::assistant_said_first() const { return said_first(PromptRole::kAssistant); }

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
    if (learned.name.empty() && asks_for_name(asked)) learned = learned_in_answer(text);
    if (!learned.name.empty()) known.name = std::move(learned.name);
    for (PersonFact& fact : learned.facts) known.facts.push_back(std::move(fact.said_back));
    if (std::string note = note_in(text); !note.empty()) known.facts.push_back(std::move(note));
    asked.clear();
  }
  return known;
}

}  // namespace rouse::offline
