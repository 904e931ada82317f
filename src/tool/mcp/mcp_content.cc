#include "tool/mcp/mcp_content.h"

#include <algorithm>
#include <array>

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "tool/mcp/mcp_message.h"

namespace rouse {
namespace json = boost::json;
namespace {

constexpr std::array<std::string_view, 3> kVersions{kMcpVersion, "2025-03-26", "2024-11-05"};
constexpr std::size_t kNameBytes = 256;
constexpr std::size_t kDescriptionBytes = 16 << 10;
constexpr std::size_t kInstructionBytes = 8 << 10;
constexpr std::size_t kUriBytes = 2000;

std::string_view text_at(const json::object& object, std::string_view key) {
  const json::value* found = object.if_contains(key);
  return found != nullptr && found->is_string() ? std::string_view(found->get_string())
                                                : std::string_view();
}

const json::object* object_at(const json::object& object, std::string_view key) {
  const json::value* found = object.if_contains(key);
  return found != nullptr && found->is_object() ? &found->get_object() : nullptr;
}

std::string size_words(std::size_t bytes) {
  return bytes < 10'240 ? fmt::format("{} bytes", bytes) : fmt::format("{} KB", bytes / 1024);
}
// Of base64, roughly.
std::size_t decoded_size(std::string_view base64) { return base64.size() / 4 * 3; }

std::string type_words(const json::object& block, std::string_view otherwise) {
  const std::string_view type = text_at(block, "mimeType");
  return std::string(utf8_prefix(type.empty() ? otherwise : type, kNameBytes));
}

std::string resource_words(const json::object& resource) {
  const std::string_view uri = utf8_prefix(text_at(resource, "uri"), kUriBytes);
  if (const json::value* text = resource.if_contains("text"); text != nullptr) {
    return fmt::format("[resource {}]\n{}", uri, text_at(resource, "text"));
  }
  return fmt::format("[resource {}: {}, {} that can't be shown here]", uri,
                     type_words(resource, "binary"),
                     size_words(decoded_size(text_at(resource, "blob"))));
}

std::string block_words(const json::object& block) {
  const std::string_view type = text_at(block, "type");
  if (type == "text") return std::string(text_at(block, "text"));
  if (type == "image" || type == "audio") {
    return fmt::format("[{} {}, {}; it can't be shown here]", type, type_words(block, "of a kind"),
                       size_words(decoded_size(text_at(block, "data"))));
  }
  if (type == "resource_link") {
    const std::string_view name =
        text_at(block, "title").empty() ? text_at(block, "name") : text_at(block, "title");
    const std::string_view about = text_at(block, "description");
    return fmt::format("[link to the resource {}: {}{}{}]", utf8_prefix(name, kNameBytes),
                       utf8_prefix(text_at(block, "uri"), kUriBytes), about.empty() ? "" : ", ",
                       utf8_prefix(about, kUriBytes));
  }
  const json::object* resource = object_at(block, "resource");
  if (type == "resource" && resource != nullptr) return resource_words(*resource);
  return fmt::format("[content of the unknown type '{}']", utf8_prefix(type, kNameBytes));
}

// A server that gives structured content should say the same as text; then once is enough.
bool says(const json::object& block, const json::value& structured) {
  if (text_at(block, "type") != "text") return false;
  const auto parsed = parse_json(text_at(block, "text"), kMcpJsonDepth);
  return parsed && *parsed == structured;
}

void add_paragraph(std::string& out, std::string_view text) {
  if (!out.empty() && !out.ends_with('\n')) out += '\n';
  out += text;
}

std::unexpected<Error> broken(std::string message) {
  return fail(McpErrc::kBroken, std::move(message));
}

}  // namespace

bool is_known_mcp_version(std::string_view version) {
  return std::ranges::find(kVersions, version) != kVersions.end();
}

Result<McpGreeting> read_mcp_greeting(const json::value& result) {
  if (!result.is_object()) return broken("its answer to initialize is no object");
  const json::object& object = result.get_object();
  McpGreeting out;
  out.version = utf8_prefix(text_at(object, "protocolVersion"), kNameBytes);
  if (!is_known_mcp_version(out.version)) {
    return broken(fmt::format("it speaks version '{}' of MCP; rouse knows {}", out.version,
                              fmt::join(kVersions, ", ")));
  }
  if (const json::object* info = object_at(object, "serverInfo")) {
    out.server = fmt::format("{} {}", utf8_prefix(text_at(*info, "name"), kNameBytes),
                             utf8_prefix(text_at(*info, "version"), kNameBytes));
  }
  out.instructions = utf8_prefix(trim(text_at(object, "instructions")), kInstructionBytes);
  const json::object* can = object_at(object, "capabilities");
  out.has_tools = can != nullptr && can->contains("tools");
  return out;
}

Result<McpToolPage> read_mcp_tools(const json::value& result) {
  const json::value* list = result.is_object() ? result.get_object().if_contains("tools") : nullptr;
  if (list == nullptr || !list->is_array()) return broken("its answer to tools/list has no list");
  McpToolPage out;
  out.next_cursor = text_at(result.get_object(), "nextCursor");
  for (const json::value& item : list->get_array()) {
    const std::string_view name =
        item.is_object() ? text_at(item.get_object(), "name") : std::string_view();
    if (name.empty() || name.size() > kNameBytes) {
      ++out.left_out;
      continue;
    }
    const json::object& one = item.get_object();
    McpTool tool{
        .name = std::string(name),
        .title = std::string(utf8_prefix(text_at(one, "title"), kNameBytes)),
        .description = std::string(utf8_prefix(text_at(one, "description"), kDescriptionBytes)),
        .schema = "{\"type\":\"object\"}"};
    if (const json::object* schema = object_at(one, "inputSchema")) {
      tool.schema = json::serialize(*schema);
    }
    if (tool.schema.size() > kMcpSchemaBytes) {
      ++out.left_out;
      continue;
    }
    out.tools.push_back(std::move(tool));
  }
  return out;
}

Result<McpCallResult> read_mcp_call_result(const json::value& result) {
  if (!result.is_object()) return broken("its answer to tools/call is no object");
  const json::object& object = result.get_object();
  const json::value* structured = object.if_contains("structuredContent");
  if (structured != nullptr && structured->is_null()) structured = nullptr;
  McpCallResult out;
  const json::value* failed = object.if_contains("isError");
  out.failed = failed != nullptr && failed->is_bool() && failed->get_bool();
  if (const json::value* content = object.if_contains("content");
      content != nullptr && content->is_array()) {
    for (const json::value& block : content->get_array()) {
      if (!block.is_object()) continue;
      if (structured != nullptr && says(block.get_object(), *structured)) structured = nullptr;
      add_paragraph(out.text, block_words(block.get_object()));
      if (out.text.size() > kMcpResultBytes) break;
    }
  }
  if (structured != nullptr) add_paragraph(out.text, json::serialize(*structured));
  if (out.text.size() > kMcpResultBytes) {
    out.text = utf8_prefix(out.text, kMcpResultBytes);
  }
  if (trim(out.text).empty()) out.text = "(it answered without any content)";
  return out;
}

std::string first_sentence(std::string_view text, std::size_t max_bytes) {
  text = trim(text);
  text = trim(text.substr(0, text.find('\n')));
  if (const std::size_t end = text.find(". "); end != std::string_view::npos) {
    text = text.substr(0, end + 1);
  }
  const std::string_view cut = utf8_prefix(text, max_bytes);
  return cut.size() < text.size() ? std::string(cut) + "…" : std::string(cut);
}

}  // namespace rouse
