#include "model/answer_check.h"

#include <algorithm>

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "model/utf8_text.h"

namespace rouse {
namespace {

// Some servers count from 0 in every answer. Such an id would stand in the transcript twice after
// two turns, which the Messages API refuses, so ids this short are replaced too.
constexpr std::size_t kShortestId = 8;
constexpr std::size_t kFreshIdBytes = 12;
constexpr std::size_t kArgumentsDepth = 64;

bool is_taken(const std::vector<PromptBlock>& blocks, const PromptBlock& by) {
  return std::ranges::any_of(blocks, [&](const PromptBlock& other) {
    return &other < &by && other.kind == BlockKind::kToolCall && other.call_id == by.call_id;
  });
}

Result<std::string> whole_arguments(const PromptBlock& call, StopReason stop) {
  const std::string text = to_utf8(trim(call.arguments));
  if (text.empty() || text == "null") return std::string("{}");
  auto value = parse_json(text, kArgumentsDepth);
  if (value && value->is_object()) return text;
  // A server may have encoded the object once more, as text.
  if (value && value->is_string()) {
    const auto& inner = value->get_string();
    const auto again = parse_json({inner.data(), inner.size()}, kArgumentsDepth);
    if (again && again->is_object()) return std::string(inner.data(), inner.size());
  }
  const std::string tool = to_utf8(utf8_prefix(call.tool, 100));
  if (stop == StopReason::kMaxTokens) {
    return fail(ModelErrc::kBroken,
                fmt::format("the answer reached its output limit in the middle of a call of '{}'; "
                            "raise max_output or ask for less at once",
                            tool));
  }
  return fail(ModelErrc::kBroken,
              fmt::format("the arguments of its call of '{}' are not a JSON object", tool));
}

}  // namespace

TryResult check_answer(ModelAnswer answer, Random& random) {
  for (PromptBlock& block : answer.blocks) {
    if (block.kind != BlockKind::kToolCall) continue;
    block.tool = to_utf8(trim(block.tool));
    if (block.tool.empty()) return fail(ModelErrc::kBroken, "it called a tool without a name");
    auto arguments = whole_arguments(block, answer.stop);
    if (!arguments) {
      TryFailure failure(std::move(arguments).error());
      failure.repeatable = answer.stop != StopReason::kMaxTokens;
      return std::unexpected(std::move(failure));
    }
    block.arguments = *std::move(arguments);
    block.call_id = to_utf8(block.call_id);
    if (block.call_id.size() < kShortestId || is_taken(answer.blocks, block)) {
      block.call_id = "call_" + random.hex(kFreshIdBytes);
    }
  }
  return answer;
}

TryFailure cut_off(const ModelAnswer& so_far) {
  const bool silent = so_far.blocks.empty();
  return Error(ModelErrc::kBroken, silent ? "the answer was cut off before it began"
                                          : "the answer was cut off in the middle");
}

}  // namespace rouse
