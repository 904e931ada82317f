#include "session/search/fresh_messages.h"

namespace rouse {
namespace {

std::size_t text_bytes(const Message& message) {
  std::size_t bytes = 0;
  for (const ContentBlock& block : message.content) bytes += block.text ? block.text->size() : 0;
  return bytes;
}

}  // namespace

void FreshMessages::add(const WorkspaceId& workspace, const Transcript& said) {
  for (const MessagePtr& message : said) {
    const std::size_t bytes = text_bytes(*message);
    const bool goes_on = !run_.empty() && message->position == run_.back().message->position + 1;
    if (!goes_on || run_.size() >= kMost || bytes_ + bytes > kMostBytes) clear();
    run_.push_back({workspace, message});
    bytes_ += bytes;
  }
}

void FreshMessages::clear() {
  run_.clear();
  bytes_ = 0;
}

void FreshMessages::drop_through(std::int64_t position) {
  while (!run_.empty() && first() <= position) {
    bytes_ -= text_bytes(*run_.front().message);
    run_.pop_front();
  }
}

bool FreshMessages::holds(std::int64_t position) const {
  return !run_.empty() && position >= first() && position <= run_.back().message->position;
}

std::optional<FreshMessages::One> FreshMessages::take(std::int64_t position,
                                                      std::size_t most_bytes) {
  if (run_.empty() || first() != position) return std::nullopt;
  const std::size_t bytes = text_bytes(*run_.front().message);
  if (bytes > most_bytes) return std::nullopt;
  One out = std::move(run_.front());
  run_.pop_front();
  bytes_ -= bytes;
  return out;
}

}  // namespace rouse
