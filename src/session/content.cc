#include "session/content.h"

#include <fmt/format.h>

#include "store/database.h"

namespace rouse {
namespace {

std::string readable(const ContentBlock& block) {
  if (block.type == "text" || block.type == "tool_result") return block.text.value_or("");
  if (block.type == "tool_call") return fmt::format("[{}]", block.tool.value_or("tool"));
  return fmt::format("[{}: {}]", block.type, block.name.value_or(block.media_type.value_or("")));
}

}  // namespace

Content text_content(std::string text, std::string_view from) {
  ContentBlock block;
  block.from = from;
  block.text = std::move(text);
  return {std::move(block)};
}

std::string encode_content(const Content& content) { return encode_json(content); }

Result<Content> decode_content(std::string_view stored) {
  auto content = decode_json<Content>(stored);
  if (content) return content;
  return fail(StoreErrc::kCorrupt,
              fmt::format("a stored message can't be read: {}", content.error().message));
}

std::string readable_text(const Content& content) {
  std::string out;
  for (const ContentBlock& block : content) {
    if (!out.empty()) out += '\n';
    out += readable(block);
  }
  return out;
}

}  // namespace rouse
