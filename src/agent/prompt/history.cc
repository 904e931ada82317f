#include "agent/prompt/history.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include <fmt/format.h>

#include "agent/prompt/attached_file.h"
#include "base/text.h"

namespace rouse {
namespace {

constexpr std::string_view kAssistant = "assistant";
constexpr std::string_view kSystem = "system";
constexpr std::string_view kSessionOpen = "session_open";
constexpr std::string_view kUnknownOutcome = "The outcome of this call is unknown.";
constexpr std::string_view kAppOpened = "[The user opened the app; there is no user message.]";
constexpr std::string_view kBeginningLeftOut = "[What came before is left out.]";

PromptBlock text_block(std::string_view text) {
  PromptBlock out;
  out.text = text;
  return out;
}

// "[image: cat.png, image/png, 1234 bytes]"
std::string few_words(const ContentBlock& block) {
  std::string out = fmt::format("[{}", block.type);
  const char* separator = ": ";
  const auto add = [&](const std::string& fact) {
    out += separator + fact;
    separator = ", ";
  };
  if (block.name) add(*block.name);
  if (block.media_type) add(*block.media_type);
  if (block.size) add(fmt::format("{} bytes", *block.size));
  return out + "]";
}

class HistoryWriter {
 public:
  HistoryWriter(const Transcript& tail, const ImageBytes& image_bytes, bool begins)
      : tail_(tail), image_bytes_(image_bytes), begins_(begins) {}

  std::vector<PromptMessage> write() && {
    out_.reserve(tail_.size());
    for (std::size_t i = 0; i < tail_.size(); ++i) write(i);
    return std::move(out_);
  }

 private:
  void write(std::size_t at) {
    const Message& message = *tail_[at];
    if (message.role != kAssistant) {
      // Results stand behind their calls already; one without a call is left out.
      return add(PromptRole::kUser, plain_blocks(message));
    }
    if (message.source == kSessionOpen) {
      add(PromptRole::kUser, {text_block(kAppOpened)});
    } else if (begins_ && out_.empty()) {
      add(PromptRole::kUser, {text_block(kBeginningLeftOut)});
    }
    std::vector<PromptBlock> blocks = plain_blocks(message);
    std::vector<PromptBlock> results = add_calls(at, blocks);
    add(PromptRole::kAssistant, std::move(blocks));
    add(PromptRole::kUser, std::move(results));
  }

  void add(PromptRole role, std::vector<PromptBlock> blocks) {
    if (!blocks.empty()) out_.push_back({role, std::move(blocks)});
  }

  [[nodiscard]] std::vector<PromptBlock> plain_blocks(const Message& message) const {
    std::vector<PromptBlock> out;
    out.reserve(message.content.size());
    for (const ContentBlock& block : message.content) {
      if (block.type == kTextBlock && block.text && !trim(*block.text).empty()) {
        std::string& text = out.emplace_back().text;
        if (message.role == kSystem) {
          text = fmt::format("[System note: {}]", trim(*block.text));
        } else {
          text = *block.text;
        }
      } else if (block.type == kImageBlock || block.type == kFileBlock) {
        add_attachment(block, out);
      }
    }
    return out;
  }

  void add_attachment(const ContentBlock& block, std::vector<PromptBlock>& out) const {
    std::optional<std::string> bytes = image_bytes_ ? image_bytes_(block) : std::nullopt;
    if (block.type == kFileBlock) {
      auto file = file_blocks(block, std::move(bytes));
      if (file.empty()) file.push_back(text_block(few_words(block)));
      std::ranges::move(file, std::back_inserter(out));
      return;
    }
    if (!bytes) return out.push_back(text_block(few_words(block)));
    PromptBlock image;
    image.kind = BlockKind::kImage;
    image.media_type = block.media_type.value_or("");
    image.bytes = std::move(*bytes);
    out.push_back(std::move(image));
  }

  // Adds the calls of a message to its blocks and gives their results, in the same order.
  std::vector<PromptBlock> add_calls(std::size_t at, std::vector<PromptBlock>& blocks) {
    std::vector<PromptBlock> results;
    const bool calls = std::ranges::any_of(
        tail_[at]->content, [](const ContentBlock& block) { return block.type == kToolCallBlock; });
    if (!calls) return results;
    const auto answers = answers_to(at);
    for (const ContentBlock& block : tail_[at]->content) {
      if (block.type != kToolCallBlock) continue;
      const std::string id = block.call_id.value_or("");
      PromptBlock call;
      call.kind = BlockKind::kToolCall;
      call.call_id = unused_id(id);
      call.tool = block.tool.value_or("");
      call.arguments = block.arguments.value_or("{}");
      PromptBlock result;
      result.kind = BlockKind::kToolResult;
      result.call_id = call.call_id;
      result.tool = call.tool;
      const auto answer = answers.find(id);
      const bool known = answer != answers.end();
      result.failed = !known || answer->second->failed.value_or(false);
      result.text = known ? answer->second->text.value_or("") : std::string(kUnknownOutcome);
      blocks.push_back(std::move(call));
      results.push_back(std::move(result));
    }
    return results;
  }

  // The results that follow a message, up to the next thing the agent said.
  [[nodiscard]] std::map<std::string, const ContentBlock*> answers_to(std::size_t at) const {
    std::map<std::string, const ContentBlock*> out;
    for (std::size_t i = at + 1; i < tail_.size() && tail_[i]->role != kAssistant; ++i) {
      for (const ContentBlock& block : tail_[i]->content) {
        if (block.type == kToolResultBlock) out.emplace(block.call_id.value_or(""), &block);
      }
    }
    return out;
  }

  // Ids are unique within an answer only; a model that sees one twice in a request refuses it.
  std::string unused_id(const std::string& id) {
    const std::string stem = id.empty() ? "call" : id;
    std::string out = stem;
    for (int i = 2; !ids_.insert(out).second; ++i) out = fmt::format("{}_{}", stem, i);
    return out;
  }

  const Transcript& tail_;
  const ImageBytes& image_bytes_;
  const bool begins_;
  std::vector<PromptMessage> out_;
  std::set<std::string> ids_;
};

}  // namespace

std::vector<PromptMessage> to_prompt(const Transcript& tail, const ImageBytes& image_bytes) {
  return HistoryWriter(tail, image_bytes, true).write();
}

std::vector<PromptMessage> to_prompt_behind_others(const Transcript& said) {
  return HistoryWriter(said, {}, false).write();
}

}  // namespace rouse
