#include "agent/compaction/handoff_fold.h"

#include <algorithm>
#include <utility>

#include "agent/prompt/text_cut.h"
#include "base/text.h"

namespace rouse {
namespace {

constexpr std::size_t kWordsBytes = 4'096;   // of a message; a summary reads less than that
constexpr std::size_t kJoinedBytes = 1'000;  // several messages in a row count as one up to here
constexpr std::size_t kActionsBytes = 60;

bool is_of_tool(const ContentBlock& block) {
  return block.type == kToolCallBlock || block.type == kToolResultBlock;
}

std::string words_of(Content content) {
  std::erase_if(content, is_of_tool);
  return cut_middle(trim(readable_text(content)), kWordsBytes);
}

void add_actions(std::string& actions, const Content& content) {
  for (const ContentBlock& block : content) {
    const std::string tool = block.tool.value_or("");
    if (block.type != kToolCallBlock || tool.empty() || actions.contains(tool)) continue;
    if (actions.size() + tool.size() + 2 > kActionsBytes) continue;
    actions += (actions.empty() ? "" : ", ") + tool;
  }
}

}  // namespace

void HandoffFold::note_provenance(const Message& message) {
  const auto is_from = [&](std::string_view whom) {
    return std::ranges::any_of(message.content,
                               [&](const ContentBlock& block) { return block.from == whom; });
  };
  if (is_from(kFromUntrusted)) {
    untrusted_ = tainted_ = true;
  } else if (message.role == "user" && is_from(kFromOwner)) {
    tainted_ = false;
  }
}

void HandoffFold::take(Message message) {
  note_provenance(message);
  const std::int64_t tokens = history_tokens(message, limits_);
  tokens_ += tokens;
  if (message.seq >= shown_from_) shown_tokens_ += tokens;
  const bool begins = message.role == "user" || message.source == "session_open";
  const bool is_answered = !open_.assistant.empty() || !open_.action_type.empty();
  if (begins && (is_answered || open_.user.size() > kJoinedBytes)) close_exchange();
  if (message.role == "assistant") {
    add_actions(open_.action_type, message.content);
    std::string words = words_of(std::move(message.content));
    if (!words.empty()) open_.assistant = std::move(words);  // the last of a turn is its answer
  } else if (message.role == "user") {
    if (!open_.user.empty()) open_.user += '\n';
    open_.user = cut_middle(open_.user + words_of(std::move(message.content)), kWordsBytes);
  }
}

void HandoffFold::close_exchange() {
  const bool says_something = !open_.user.empty() || !open_.assistant.empty();
  if (says_something) ready_.push_back(std::move(open_));
  open_ = {};
}

void HandoffFold::end() { close_exchange(); }

std::vector<TurnText> HandoffFold::take_ready() { return std::exchange(ready_, {}); }

}  // namespace rouse
