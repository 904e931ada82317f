#include "model/answer_draft.h"

namespace rouse {
namespace {

constexpr std::size_t kMostBlocks = 1'000;

}  // namespace

void AnswerDraft::append(std::string text) {
  if (text.empty()) return;
  if (!text_open_) answer_.blocks.emplace_back();
  text_open_ = true;
  stream_.text(answer_.blocks.size() - 1, text);
  std::string& whole = answer_.blocks.back().text;
  if (whole.empty()) {
    whole = std::move(text);
  } else {
    whole += text;
  }
}

void AnswerDraft::say(std::string_view piece) {
  if (!piece.empty()) append(joiner_.feed(piece));
}

void AnswerDraft::end_text() {
  append(joiner_.finish());
  text_open_ = false;
}

Result<std::size_t> AnswerDraft::open_call(std::string id, std::string tool) {
  end_text();
  if (answer_.blocks.size() >= kMostBlocks) {
    return fail(ModelErrc::kBroken, "the answer has more tool calls than any should");
  }
  has_calls_ = true;
  PromptBlock& block = answer_.blocks.emplace_back();
  block.kind = BlockKind::kToolCall;
  block.call_id = std::move(id);
  block.tool = std::move(tool);
  return answer_.blocks.size() - 1;
}

TryResult AnswerDraft::whole(StopReason stop) {
  end_text();
  // Servers end an answer with calls as if it were plain, and the other way round.
  if (has_calls_ && stop == StopReason::kEnd) stop = StopReason::kToolUse;
  if (!has_calls_ && stop == StopReason::kToolUse) stop = StopReason::kEnd;
  answer_.stop = stop;
  answer_.usage = usage;
  if (!has_usage) {
    std::size_t bytes = 0;
    for (const PromptBlock& block : answer_.blocks) {
      bytes += block.text.size() + block.tool.size() + block.arguments.size();
    }
    answer_.usage.out = estimate_tokens(bytes);
    answer_.usage.estimated = true;
  }
  return check_answer(std::move(answer_), random_);
}

TryFailure AnswerDraft::broken_off() {
  end_text();
  return cut_off(answer_);
}

}  // namespace rouse
