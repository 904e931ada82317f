#include "model/prompt_past.h"

#include <algorithm>

#include "base/text.h"

namespace rouse {
namespace {

bool is_plain(const PromptMessage& message) {
  if (message.blocks.size() != 1) return false;
  const PromptBlock& block = message.blocks.front();
  return block.kind == BlockKind::kText && block.bytes.empty() && !trim(block.text).empty();
}

}  // namespace

bool PromptPast::takes(std::span<const PromptMessage> said) {
  return !said.empty() && said.front().role == PromptRole::kUser &&
         said.back().role == PromptRole::kAssistant && std::ranges::all_of(said, is_plain);
}

void PromptPast::add(std::span<const PromptMessage> said) {
  for (const PromptMessage& message : said) {
    words_.push_back({message.role, message.blocks.front().text});
    text_bytes_ += words_.back().text.size();
  }
}

std::vector<PromptMessage> PromptPast::messages_from(std::size_t first) const {
  std::vector<PromptMessage> out;
  out.reserve(words_.size() - first);
  for (const Words& words : std::span(words_).subspan(first)) {
    PromptMessage& message = out.emplace_back();
    message.role = words.role;
    message.blocks.emplace_back().text = words.text;
  }
  return out;
}

const std::string& PromptPast::written_by(Write write) const {
  auto found = std::ranges::find(written_, write, &Written::by);
  if (found == written_.end()) found = written_.insert(written_.end(), Written{.by = write});
  if (found->messages < words_.size()) {
    write(found->array, messages_from(found->messages));
    found->messages = words_.size();
  }
  return found->array;
}

ModelRequest without_past(const ModelRequest& request) {
  ModelRequest out = request;
  if (!out.past) return out;
  std::vector<PromptMessage> all = out.past->messages();
  std::ranges::move(out.messages, std::back_inserter(all));
  out.messages = std::move(all);
  out.past.reset();
  return out;
}

}  // namespace rouse
