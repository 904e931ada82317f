#include "session/content.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "store/database.h"

namespace rouse {
namespace {

std::string readable(const ContentBlock& block) {
  if (block.type == kTextBlock || block.type == kToolResultBlock) return block.text.value_or("");
  if (block.type == kToolCallBlock) return fmt::format("[{}]", block.tool.value_or("tool"));
  return fmt::format("[{}: {}]", block.type, block.name.value_or(block.media_type.value_or("")));
}

// Takes a prefix off, if it is there.
bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

// Nearly every message is one block of plain text, just as encode_content() writes it. A prompt
// reads a hundred of them, so they are not sent through a JSON parser.
std::optional<Content> decode_plain(std::string_view stored) {
  if (!take(stored, R"([{"type":"text","from":")")) return std::nullopt;
  const std::string_view from = stored.substr(0, stored.find('"'));
  if (from != kFromOwner && from != kFromSender && from != kFromAgent && from != kFromUntrusted) {
    return std::nullopt;
  }
  stored.remove_prefix(from.size());
  constexpr std::string_view kEnd = R"("}])";
  if (!take(stored, R"(","text":")") || !stored.ends_with(kEnd)) return std::nullopt;
  stored.remove_suffix(kEnd.size());
  const bool is_plain = std::ranges::none_of(
      stored, [](char c) { return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20; });
  if (!is_plain) return std::nullopt;
  return text_content(std::string(stored), from);
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
  if (auto plain = decode_plain(stored)) return std::move(*plain);
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
