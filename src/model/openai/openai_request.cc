#include <span>
#include <string>
#include <utility>

#include "base/json.h"
#include "base/text.h"
#include "model/openai/openai_format.h"
#include "model/wire_json.h"

namespace rouse {
namespace {

constexpr std::string_view kNoSchema = R"({"type":"object","properties":{}})";
constexpr std::string_view kFailed = "The tool failed: ";

bool is_text(const PromptBlock& block) { return block.kind == BlockKind::kText; }
bool is_call(const PromptBlock& block) { return block.kind == BlockKind::kToolCall; }
bool is_result(const PromptBlock& block) { return block.kind == BlockKind::kToolResult; }
bool is_shown(const PromptBlock& block) {
  return (is_text(block) || block.kind == BlockKind::kImage) && !wire::is_blank(block);
}

// Appends to a JSON array.
void comma(std::string& out) {
  if (out.back() != '[') out += ',';
}

class MessageWriter {
 public:
  MessageWriter(std::string& out, bool images) : out_(out), images_(images) {}

  void write(std::span<const PromptMessage> left) {
    for (;;) {
      const auto group = wire::next_group(left);
      if (group.empty()) break;
      left = left.subspan(static_cast<std::size_t>(&group.back() - left.data()) + 1);
      group_ = group;
      if (group.front().role == PromptRole::kUser) {
        add_results();
        add_user();
      } else {
        add_assistant();
      }
    }
  }

 private:
  template <class Wanted, class Visit>
  void visit(Wanted wanted, Visit visit) const {
    for (const PromptMessage& message : group_) {
      for (const PromptBlock& block : message.blocks) {
        if (wanted(block)) visit(block);
      }
    }
  }
  template <class Wanted>
  [[nodiscard]] bool has(Wanted wanted) const {
    bool found = false;
    visit(wanted, [&found](const PromptBlock&) { found = true; });
    return found;
  }

  void add_results() {
    visit(is_result, [this](const PromptBlock& block) {
      comma(out_);
      out_ += R"({"role":"tool","tool_call_id":)";
      wire::append_text(out_, block.call_id);
      out_ += R"(,"content":)";
      if (block.failed) {
        wire::append_text(out_, std::string(kFailed) + block.text);
      } else {
        wire::append_text(out_, block.text);
      }
      out_ += '}';
    });
  }

  void add_user() {
    if (!has(is_shown)) return;
    comma(out_);
    out_ += R"({"role":"user","content":)";
    const bool images =
        has([](const PromptBlock& b) { return b.kind == BlockKind::kImage && is_shown(b); });
    if (images && images_) {
      add_parts();
    } else {
      add_joined_text();
    }
    out_ += '}';
  }

  void add_parts() {
    out_ += '[';
    visit(is_shown, [this](const PromptBlock& block) {
      comma(out_);
      if (is_text(block)) {
        out_ += R"({"type":"text","text":)";
        wire::append_text(out_, block.text);
        out_ += '}';
        return;
      }
      out_ += R"({"type":"image_url","image_url":{"url":"data:)";
      out_ += json_escape(block.media_type);
      out_ += ";base64,";
      wire::append_base64(out_, block.bytes);
      out_ += R"("}})";
    });
    out_ += ']';
  }

  // Most servers know text only as one string.
  void add_joined_text() {
    const PromptBlock* only = nullptr;
    std::string joined;
    visit(is_shown, [&](const PromptBlock& block) {
      const bool first = only == nullptr && joined.empty();
      if (first && is_text(block)) {
        only = &block;  // and most messages have one block, which is not copied
        return;
      }
      if (only != nullptr) joined = std::exchange(only, nullptr)->text;
      if (!joined.empty()) joined += "\n\n";
      joined +=
          is_text(block) ? std::string_view(block.text) : "[an image, which this model cannot see]";
    });
    wire::append_text(out_, only != nullptr ? only->text : joined);
  }

  void add_assistant() {
    const bool calls = has(is_call);
    const bool says = has(is_shown);
    if (!calls && !says) return;
    comma(out_);
    out_ += R"({"role":"assistant","content":)";
    if (says) {
      add_joined_text();
    } else {
      out_ += "null";
    }
    if (calls) add_calls();
    out_ += '}';
  }

  void add_calls() {
    out_ += R"(,"tool_calls":[)";
    visit(is_call, [this](const PromptBlock& block) {
      comma(out_);
      out_ += R"({"id":)";
      wire::append_text(out_, block.call_id);
      out_ += R"(,"type":"function","function":{"name":)";
      wire::append_text(out_, block.tool);
      out_ += R"(,"arguments":)";
      wire::append_text(out_, block.arguments.empty() ? "{}" : std::string_view(block.arguments));
      out_ += "}}";
    });
    out_ += ']';
  }

  std::string& out_;
  const bool images_;
  std::span<const PromptMessage> group_;
};

void write_past(std::string& array, std::span<const PromptMessage> said) {
  MessageWriter(array, false).write(said);
}

class OpenAiEncoder {
 public:
  OpenAiEncoder(const ModelRequest& request, const ModelInfo& info)
      : request_(request), info_(info) {}

  std::string encode(OutputLimitName limit_name) {
    out_.reserve(wire::expected_size(request_));
    out_ += R"({"model":)";
    wire::append_text(out_, info_.name);
    out_ += R"(,"stream":true,"stream_options":{"include_usage":true},)";
    out_ += limit_name == OutputLimitName::kMaxTokens ? R"("max_tokens":)"
                                                      : R"("max_completion_tokens":)";
    append_json(out_, wire::output_limit(request_, info_));
    add_tools();
    out_ += R"(,"messages":[)";
    add_system();
    wire::add_past(out_, request_, write_past);
    MessageWriter(out_, info_.takes_images).write(request_.messages);
    out_ += "]}";
    return std::move(out_);
  }

 private:
  void add_tools() {
    if (request_.tools.empty()) return;
    out_ += R"(,"tools":[)";
    for (const PromptTool& tool : request_.tools) {
      comma(out_);
      out_ += R"({"type":"function","function":{"name":)";
      wire::append_text(out_, tool.name);
      out_ += R"(,"description":)";
      wire::append_text(out_, tool.description);
      out_ += R"(,"parameters":)";
      wire::append_object(out_, tool.schema, kNoSchema);
      out_ += "}}";
    }
    out_ += ']';
  }

  // One message: the templates of many local models take no second one.
  void add_system() {
    std::string text;
    for (const SystemPart& part : request_.system) {
      if (trim(part.text).empty()) continue;
      if (!text.empty()) text += "\n\n";
      text += part.text;
    }
    if (text.empty()) return;
    out_ += R"({"role":"system","content":)";
    wire::append_text(out_, text);
    out_ += '}';
  }

  const ModelRequest& request_;
  const ModelInfo& info_;
  std::string out_;
};

}  // namespace

std::string encode_openai(const ModelRequest& request, const ModelInfo& info,
                          OutputLimitName limit_name) {
  return OpenAiEncoder(request, info).encode(limit_name);
}

}  // namespace rouse
