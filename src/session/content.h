// What is said: a list of typed blocks. Each block knows where it came from (design rule 8),
// because a sentence of the owner and a sentence on a fetched page must never be taken for one
// another. Images and files are kept by the hash of their bytes (blobs.h); a block only names them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace rouse {

// Provenance: "owner", "sender", "agent", "untrusted".
inline constexpr std::string_view kFromOwner = "owner";
inline constexpr std::string_view kFromSender = "sender";
inline constexpr std::string_view kFromAgent = "agent";
inline constexpr std::string_view kFromUntrusted = "untrusted";

// What kind a block is. Named, because a view is compared by its length first: turns do little
// else.
inline constexpr std::string_view kTextBlock = "text";
inline constexpr std::string_view kImageBlock = "image";
inline constexpr std::string_view kFileBlock = "file";
inline constexpr std::string_view kToolCallBlock = "tool_call";
inline constexpr std::string_view kToolResultBlock = "tool_result";

struct ContentBlock {
  std::string type = "text";  // text, image, file, tool_call, tool_result
  std::string from;           // provenance, as above
  std::optional<std::string> text;
  std::optional<std::string> hash, media_type, name;  // image and file
  std::optional<std::int64_t> size;
  std::optional<std::string> call_id, tool, arguments;  // tool_call and tool_result
  std::optional<bool> failed;                           // tool_result, if it did
  friend bool operator==(const ContentBlock&, const ContentBlock&) = default;
};
inline auto shape(const ContentBlock*) {
  return fields(
      field("type", &ContentBlock::type, "What kind of block this is")
          .one_of({"text", "image", "file", "tool_call", "tool_result"}),
      field("from", &ContentBlock::from, "Where it came from")
          .one_of({"owner", "sender", "agent", "untrusted"}),
      field("text", &ContentBlock::text, "The text of a text or tool_result block"),
      field("hash", &ContentBlock::hash, "SHA-256 of an image or file, in hex"),
      field("media_type", &ContentBlock::media_type, "Of an image or file, like image/png"),
      field("name", &ContentBlock::name, "Of a file"),
      field("size", &ContentBlock::size, "Of an image or file, in bytes"),
      field("call_id", &ContentBlock::call_id, "Which call of a tool this is or answers"),
      field("tool", &ContentBlock::tool, "Which tool"),
      field("arguments", &ContentBlock::arguments, "What a tool was called with, as JSON"),
      field("failed", &ContentBlock::failed, "True for a result that tells of a failure"));
}
using Content = std::vector<ContentBlock>;

Content text_content(std::string text, std::string_view from);

// Content as it is stored, and back. A row that can't be read is damage, never an empty message.
std::string encode_content(const Content& content);
Result<Content> decode_content(std::string_view stored);

// What a person would read, blocks separated by a line; tools and pictures in a few words.
std::string readable_text(const Content& content);

}  // namespace rouse
