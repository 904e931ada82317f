#include "model/wire_json.h"

#include <algorithm>
#include <cstdint>

#include <boost/json/parse.hpp>

#include "base/json_text.h"
#include "base/text.h"
#include "model/utf8_text.h"

namespace rouse::wire {
namespace json = boost::json;
namespace {

constexpr std::size_t kAnswerDepth = 64;
constexpr std::int64_t kLeastOutput = 1'024;  // our estimate of a prompt may be too large

bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }

// Whether all eight bytes are ASCII and stand in a JSON string as they are.
bool are_plain(std::uint64_t word) { return ((word & kTopBits) | must_be_escaped(word)) == 0; }

std::size_t plain_prefix(std::string_view text) {
  std::size_t size = 0;
  while (size + 8 <= text.size() && are_plain(eight_bytes(text.data() + size))) size += 8;
  while (size < text.size() && is_ascii(text[size]) && !must_be_escaped(text[size])) ++size;
  return size;
}

// It ends where a character ends, because no other character holds an ASCII byte.
std::size_t non_ascii_prefix(std::string_view text) {
  std::size_t size = 0;
  while (size < text.size() && !is_ascii(text[size])) ++size;
  return size;
}

bool is_blank_message(const PromptMessage& message) {
  return std::ranges::all_of(message.blocks, is_blank);
}

}  // namespace

// Prompts are mostly plain ASCII: it is found eight bytes at a time and copied in long runs.
void append_text(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const std::size_t plain = plain_prefix(text);
    out.append(text.substr(0, plain));
    text.remove_prefix(plain);
    const std::size_t foreign = non_ascii_prefix(text);
    if (foreign > 0) {
      const std::string_view words = text.substr(0, foreign);
      if (is_utf8(words)) {
        out.append(words);
      } else {
        out.append(to_utf8(words));
      }
      text.remove_prefix(foreign);
    } else if (!text.empty()) {
      out.append(json_escape(text.substr(0, 1)));
      text.remove_prefix(1);
    }
  }
  out += '"';
}

void append_object(std::string& out, std::string_view object, std::string_view otherwise) {
  const std::string_view text = trim(object);
  out.append(text.starts_with('{') && text.ends_with('}') ? text : otherwise);
}

void append_base64(std::string& out, std::string_view bytes) { out.append(to_base64(bytes)); }

Result<json::value> parse(std::string_view text, json::storage_ptr memory) {
  json::parse_options options;
  options.max_depth = kAnswerDepth;
  options.allow_invalid_utf8 = true;
  json::error_code ec;
  json::value value = json::parse({text.data(), text.size()}, ec, std::move(memory), options);
  if (ec) return fail(ModelErrc::kBroken, "it sent something that is not JSON");
  return value;
}

Result<void> feed_events(SseParser& parser, std::string_view bytes,
                         const SseParser::OnEvent& on_event) {
  auto fed = parser.feed(bytes, on_event);
  if (!fed && fed.error().is(Errc::kTooLarge)) {
    return fail(ModelErrc::kBroken, std::move(fed).error().message);
  }
  return fed;
}

const json::value* member_of(const json::value& object, std::string_view name) {
  const auto* members = object.if_object();
  if (members == nullptr) return nullptr;
  const json::value* found = members->if_contains({name.data(), name.size()});
  return found == nullptr || found->is_null() ? nullptr : found;
}

std::string_view text_of(const json::value& object, std::string_view name) {
  const json::value* found = member_of(object, name);
  if (found == nullptr || !found->is_string()) return {};
  return {found->get_string().data(), found->get_string().size()};
}

std::int64_t count_of(const json::value& object, std::string_view name) {
  constexpr std::int64_t kMost = 1'000'000'000;
  const json::value* found = member_of(object, name);
  if (found == nullptr) return 0;
  if (const auto* number = found->if_int64()) return std::clamp<std::int64_t>(*number, 0, kMost);
  if (const auto* number = found->if_double()) {
    return *number >= 0 && *number <= static_cast<double>(kMost)
               ? static_cast<std::int64_t>(*number)
               : 0;
  }
  return 0;
}

std::int64_t output_limit(const ModelRequest& request, const ModelInfo& info) {
  const std::int64_t left = info.context_window - estimate_tokens(request);
  const std::int64_t most = std::min(info.max_output, std::max(left, kLeastOutput));
  return request.max_output_tokens > 0 ? std::min(request.max_output_tokens, most) : most;
}

std::size_t expected_size(const ModelRequest& request) {
  std::size_t size = 512;
  for (const SystemPart& part : request.system) size += part.text.size() + 64;
  for (const PromptTool& tool : request.tools) {
    size += tool.description.size() + tool.schema.size() + 128;
  }
  if (request.past) size += request.past->text_bytes() + request.past->size() * 64;
  for (const PromptMessage& message : request.messages) {
    for (const PromptBlock& block : message.blocks) {
      size += block.text.size() + block.arguments.size() + block.bytes.size() * 4 / 3 + 128;
    }
  }
  return size + size / 16;  // escapes
}

void add_past(std::string& array, const ModelRequest& request, PromptPast::Write write) {
  if (!request.past) return;
  const std::string& past = request.past->written_by(write);
  if (past.size() == 1) return;
  if (array.back() != '[') array += ',';
  array.append(past, 1);
}

// Providers refuse text of nothing but spaces.
bool is_blank(const PromptBlock& block) {
  switch (block.kind) {
    case BlockKind::kText:
      return trim(block.text).empty();
    case BlockKind::kImage:
      return block.bytes.empty();
    case BlockKind::kToolCall:
    case BlockKind::kToolResult:
      break;
  }
  return false;
}

std::span<const PromptMessage> next_group(std::span<const PromptMessage> messages) {
  while (!messages.empty() && is_blank_message(messages.front())) messages = messages.subspan(1);
  std::size_t size = 0;
  while (size < messages.size() &&
         (messages[size].role == messages.front().role || is_blank_message(messages[size]))) {
    ++size;
  }
  return messages.first(size);
}

}  // namespace rouse::wire
