#include <algorithm>

#include "base/json.h"
#include "base/text.h"
#include "model/anthropic/anthropic_format.h"
#include "model/known_models.h"
#include "model/wire_json.h"

namespace rouse {
namespace {

constexpr std::string_view kCacheMark = R"(,"cache_control":{"type":"ephemeral"})";
constexpr std::int64_t kCacheMarks = 4;
constexpr std::string_view kNoSchema = R"({"type":"object","properties":{}})";
// Where a conversation's tail begins with the agent's words: the API wants a person first.
constexpr std::string_view kOpening =
    R"({"role":"user","content":[{"type":"text","text":"[The conversation goes on.]"
}]
})";

class MessageWriter {
 public:
  MessageWriter(std::string& out, const ModelInfo& info) : out_(out), info_(info) {}

  void write(std::span<const PromptMessage> left, bool marks_last) {
    std::span<const PromptMessage> group = wire::next_group(left);
    while (!group.empty()) {
      if (out_.back() != '[') out_ += ',';
      left = left.subspan(static_cast<std::size_t>(&group.back() - left.data()) + 1);
      const auto next = wire::next_group(left);
      add_group(group, marks_last && next.empty());
      group = next;
    }
  }

 private:
  void add_group(std::span<const PromptMessage> group, bool last) {
    const bool user = group.front().role == PromptRole::kUser;
    out_ += user ? R"({"role":"user","content":[)" : R"({"role":"assistant","content":[)";
    // Results must come before anything else that is said after a call.
    add_blocks(group, [](const PromptBlock& b) { return b.kind == BlockKind::kToolResult; });
    add_blocks(group, [](const PromptBlock& b) { return b.kind != BlockKind::kToolResult; });
    if (last) {
      out_.pop_back();  // the brace of the last block
      out_ += kCacheMark;
      out_ += '}';
    }
    out_ += "]}";
  }

  template <class Wanted>
  void add_blocks(std::span<const PromptMessage> group, Wanted wanted) {
    for (const PromptMessage& message : group) {
      for (const PromptBlock& block : message.blocks) {
        if (!wanted(block) || wire::is_blank(block)) continue;
        if (out_.back() != '[') out_ += ',';
        add_block(block);
      }
    }
  }

  void add_block(const PromptBlock& block) {
    switch (block.kind) {
      case BlockKind::kText:
        if (!block.bytes.empty() && takes_pdfs(info_)) return add_document(block);
        out_ += R"({"type":"text","text":)";
        wire::append_text(out_, block.text);
        break;
      case BlockKind::kImage:
        return add_image(block);
      case BlockKind::kToolCall:
        out_ += R"({"type":"tool_use","id":)";
        add_id(block.call_id);
        out_ += R"(,"name":)";
        wire::append_text(out_, block.tool);
        out_ += R"(,"input":)";
        wire::append_object(out_, block.arguments);
        break;
      case BlockKind::kToolResult:
        out_ += R"({"type":"tool_result","tool_use_id":)";
        add_id(block.call_id);
        out_ += R"(,"content":)";
        wire::append_text(out_, block.text);
        if (block.failed) out_ += R"(,"is_error":true)";
        break;
    }
    out_ += '}';
  }

  void add_image(const PromptBlock& block) {
    if (!info_.takes_images) {
      out_ += R"({"type":"text","text":"[an image, which this model cannot see]"})";
      return;
    }
    out_ += R"({"type":"image","source":{"type":"base64","media_type":)";
    wire::append_text(out_, block.media_type);
    out_ += R"(,"data":")";
    wire::append_base64(out_, block.bytes);
    out_ += R"("}})";
  }

  // A PDF; its text is for those who can't read it.
  void add_document(const PromptBlock& block) {
    out_ += R"({"type":"document","source":{"type":"base64","media_type":)";
    wire::append_text(out_, block.media_type);
    out_ += R"(,"data":")";
    wire::append_base64(out_, block.bytes);
    out_ += R"("}})";
  }

  // Ids made by other providers may have characters that this one refuses.
  void add_id(std::string_view id) {
    const auto is_plain = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             c == '_' || c == '-';
    };
    out_ += '"';
    for (const char c : id) out_ += is_plain(c) ? c : '_';
    out_ += '"';
  }

  std::string& out_;
  const ModelInfo& info_;
};

// What is plain is written the same for every model.
void write_past(std::string& array, std::span<const PromptMessage> said) {
  MessageWriter(array, ModelInfo()).write(said, false);
}

class AnthropicEncoder {
 public:
  AnthropicEncoder(const ModelRequest& request, const ModelInfo& info)
      : request_(request), info_(info) {}

  std::string encode() {
    out_.reserve(wire::expected_size(request_));
    out_ += R"({"model":)";
    wire::append_text(out_, info_.name);
    out_ += R"(,"max_tokens":)";
    append_json(out_, wire::output_limit(request_, info_));
    out_ += R"(,"stream":true)";
    add_tools();
    add_system();
    add_messages();
    out_ += '}';
    return std::move(out_);
  }

 private:
  void add_tools() {
    if (request_.tools.empty()) return;
    out_ += R"(,"tools":[)";
    for (std::size_t i = 0; i < request_.tools.size(); ++i) {
      const PromptTool& tool = request_.tools[i];
      if (i > 0) out_ += ',';
      out_ += R"({"name":)";
      wire::append_text(out_, tool.name);
      out_ += R"(,"description":)";
      wire::append_text(out_, tool.description);
      out_ += R"(,"input_schema":)";
      wire::append_object(out_, tool.schema, kNoSchema);
      if (i + 1 == request_.tools.size()) out_ += kCacheMark;
      out_ += '}';
    }
    out_ += ']';
  }

  void add_system() {
    const auto is_said = [](const SystemPart& part) { return !trim(part.text).empty(); };
    const auto is_marked = [&](const SystemPart& part) { return part.cached && is_said(part); };
    const std::int64_t room = kCacheMarks - 1 - (request_.tools.empty() ? 0 : 1);
    std::int64_t passed_over = std::ranges::count_if(request_.system, is_marked) - room;
    bool first = true;
    for (const SystemPart& part : request_.system) {
      if (!is_said(part)) continue;
      out_ += std::exchange(first, false) ? R"(,"system":[)" : ",";
      out_ += R"({"type":"text","text":)";
      wire::append_text(out_, part.text);
      if (is_marked(part) && passed_over-- <= 0) out_ += kCacheMark;
      out_ += '}';
    }
    if (!first) out_ += ']';
  }

  void add_messages() {
    out_ += R"(,"messages":[)";
    wire::add_past(out_, request_, write_past);
    const auto first = wire::next_group(request_.messages);
    const bool by_user = !first.empty() && first.front().role == PromptRole::kUser;
    if (!by_user && out_.back() == '[') out_ += kOpening;
    MessageWriter(out_, info_).write(request_.messages, true);
    out_ += ']';
  }

  const ModelRequest& request_;
  const ModelInfo& info_;
  std::string out_;
};

}  // namespace

std::string encode_anthropic(const ModelRequest& request, const ModelInfo& info) {
  return AnthropicEncoder(request, info).encode();
}

}  // namespace rouse
