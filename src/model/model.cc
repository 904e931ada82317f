#include "model/model.h"

#include "model/prompt_past.h"

namespace rouse {

ErrorInfo error_info(ModelErrc code) {
  switch (code) {
    case ModelErrc::kNotConfigured:
      return {Kind::kUnavailable, "model_not_configured"};
    case ModelErrc::kUnauthorized:
      return {Kind::kUnavailable, "model_unauthorized"};
    case ModelErrc::kNoCredit:
      return {Kind::kUnavailable, "model_no_credit"};
    case ModelErrc::kRateLimited:
      return {Kind::kRateLimited, "model_rate_limited"};
    case ModelErrc::kOverloaded:
      return {Kind::kUnavailable, "model_overloaded"};
    case ModelErrc::kServerError:
      return {Kind::kUnavailable, "model_server_error"};
    case ModelErrc::kRefused:
      return {Kind::kUnavailable, "model_refused_request"};
    case ModelErrc::kContextFull:
      return {Kind::kTooLarge, "model_context_full"};
    case ModelErrc::kUnreachable:
      return {Kind::kUnavailable, "model_unreachable"};
    case ModelErrc::kTimeout:
      return {Kind::kTimeout, "model_timeout"};
    case ModelErrc::kBroken:
      return {Kind::kUnavailable, "model_broken_answer"};
    case ModelErrc::kCancelled:
      return {Kind::kCancelled, "model_cancelled"};
    case ModelErrc::kSpendCap:
      return {Kind::kRateLimited, "spend_cap_reached"};
  }
  return {Kind::kInternal, "internal"};
}

std::string_view stop_reason_name(StopReason reason) {
  switch (reason) {
    case StopReason::kEnd:
      return "end";
    case StopReason::kToolUse:
      return "tool_use";
    case StopReason::kMaxTokens:
      return "max_tokens";
    case StopReason::kRefusal:
      return "refusal";
    case StopReason::kContextFull:
      return "context_full";
    case StopReason::kOther:
      return "other";
  }
  return "other";
}

ModelUsage& ModelUsage::operator+=(const ModelUsage& more) {
  in += more.in;
  out += more.out;
  cache_read += more.cache_read;
  cache_write += more.cache_write;
  estimated = estimated || more.estimated;
  return *this;
}

std::string ModelAnswer::text() const {
  std::string out;
  for (const PromptBlock& block : blocks) {
    if (block.kind == BlockKind::kText) out += block.text;
  }
  return out;
}

std::vector<const PromptBlock*> ModelAnswer::calls() const {
  std::vector<const PromptBlock*> out;
  for (const PromptBlock& block : blocks) {
    if (block.kind == BlockKind::kToolCall) out.push_back(&block);
  }
  return out;
}

std::optional<std::int64_t> cost_of(const ModelInfo& info, const ModelUsage& usage) {
  if (!info.price) return std::nullopt;
  const ModelPrice& price = *info.price;
  const auto share = [](std::int64_t tokens, std::int64_t a_million) {
    return static_cast<__int128>(tokens) * a_million;
  };
  const __int128 sum = share(usage.in, price.in) + share(usage.out, price.out) +
                       share(usage.cache_read, price.cache_read) +
                       share(usage.cache_write, price.cache_write);
  return static_cast<std::int64_t>((sum + 999'999) / 1'000'000);
}

std::int64_t estimate_tokens(std::size_t bytes) {
  return static_cast<std::int64_t>((bytes * 2 + 6) / 7);
}

std::int64_t estimate_tokens(const ModelRequest& request) {
  constexpr std::size_t kImageTokens = 1'600, kFrameBytes = 16, kDocumentBytesForOne = 5;
  std::size_t bytes = 0;
  std::int64_t images = 0;
  for (const SystemPart& part : request.system) bytes += part.text.size();
  for (const PromptTool& tool : request.tools) {
    bytes += tool.name.size() + tool.description.size() + tool.schema.size() + kFrameBytes;
  }
  if (request.past) bytes += request.past->text_bytes() + request.past->size() * kFrameBytes;
  for (const PromptMessage& message : request.messages) {
    bytes += kFrameBytes;
    for (const PromptBlock& block : message.blocks) {
      bytes += block.text.size() + block.arguments.size() + block.tool.size();
      if (block.kind == BlockKind::kImage) ++images;
      if (block.kind == BlockKind::kText) bytes += block.bytes.size() / kDocumentBytesForOne;
    }
  }
  return estimate_tokens(bytes) + images * static_cast<std::int64_t>(kImageTokens);
}

}  // namespace rouse
