#include "agent/prompt/kept_history.h"

#include <algorithm>

namespace rouse {
namespace {

constexpr std::size_t kWorthIt = 16;  // messages; fewer are written as fast as they are found

// The border its beginning was taken from; none as long as all there is is shown.
std::optional<std::int64_t> border_of(std::int64_t oldest_seq, const Message& now,
                                      const HistoryLimits& limits) {
  const auto most = static_cast<std::int64_t>(limits.messages);
  const std::int64_t oldest = std::max(oldest_seq, now.seq - most);
  if (now.seq - oldest + 1 < most) return std::nullopt;
  return history_border(now.seq - most + 1);
}

}  // namespace

std::shared_ptr<KeptHistory> KeptHistory::make(const Transcript& newest_first,
                                               std::span<const PromptMessage> shown,
                                               std::int64_t first_seq,
                                               const HistoryLimits& limits) {
  if (shown.size() <= kWorthIt || limits.messages < kHistoryMovesFrom) return nullptr;
  const auto past = shown.first(shown.size() - 1);
  if (shown.back().role != PromptRole::kUser || !PromptPast::takes(past)) return nullptr;
  auto out = std::make_shared<KeptHistory>();
  for (const MessagePtr& message : newest_first) out->tokens_ += history_tokens(*message, limits);
  if (out->tokens_ > limits.tokens) return nullptr;
  const Message& now = *newest_first.front();
  out->session_ = now.session;
  out->limits_ = limits;
  out->oldest_seq_ = newest_first.back()->seq;
  out->border_ = border_of(out->oldest_seq_, now, limits);
  out->first_seq_ = first_seq;
  out->last_seq_ = now.seq - 1;
  out->tokens_ -= history_tokens(now, limits);
  out->past_ = std::make_shared<PromptPast>();
  out->past_->add(past);
  return out;
}

bool KeptHistory::follow(const LiveConversation& live, const Message& now,
                         const HistoryLimits& limits) {
  if (limits != limits_ || now.session != session_ || now.seq != live.last_seq + 1) return false;
  if (border_of(oldest_seq_, now, limits) != border_) return false;
  const auto added = static_cast<std::size_t>(std::max<std::int64_t>(live.last_seq - last_seq_, 0));
  if (live.last_seq < last_seq_ || added > live.tail.size()) return false;
  Transcript said(live.tail.end() - static_cast<std::ptrdiff_t>(added), live.tail.end());
  if (!add(said)) return false;
  return tokens_ + history_tokens(now, limits) <= limits.tokens;
}

bool KeptHistory::add(Transcript said) {
  if (said.empty()) return true;
  for (MessagePtr& message : said) {
    if (message->session != session_) return false;
    tokens_ += history_tokens(*message, limits_);
    message = fitted(message, limits_);
  }
  const std::vector<PromptMessage> shown = to_prompt_behind_others(said);
  if (!PromptPast::takes(shown)) return false;
  // A turn that has not wound down may still look at it.
  if (past_.use_count() > 1) past_ = std::make_shared<PromptPast>(*past_);
  past_->add(shown);
  last_seq_ = said.back()->seq;
  return true;
}

}  // namespace rouse
