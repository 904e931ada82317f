// What a prompt shows of a conversation, kept for its next turn: that one shows the same and the
// few words said since. It goes with the tail it was made of (live_conversations.h), and it gives
// up where anything is not plain: tool calls, attachments, a past that is compacted or whose
// beginning moves. Then the past is put together from the transcript, and kept anew.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "agent/prompt/history.h"
#include "model/prompt_past.h"
#include "session/live_conversations.h"

namespace rouse {

class KeptHistory final : public MadeOfTail {
 public:
  // What a turn was shown: `newest_first` is all it might have seen, `shown` what became of it; the
  // last of both is what is said now, which the next turn finds in the transcript. Null: too short
  // to be worth it, or not plain.
  static std::shared_ptr<KeptHistory> make(const Transcript& newest_first,
                                           std::span<const PromptMessage> shown,
                                           std::int64_t first_seq, const HistoryLimits& limits);

  // Takes in what the conversation said since. False: it is of no use any more, because a turn that
  // says `now` in this session would be shown something else.
  bool follow(const LiveConversation& live, const Message& now, const HistoryLimits& limits);

  [[nodiscard]] const std::shared_ptr<PromptPast>& past() const { return past_; }
  [[nodiscard]] std::int64_t first_seq() const { return first_seq_; }

 private:
  bool add(Transcript said);

  SessionId session_;
  HistoryLimits limits_;
  std::int64_t oldest_seq_ = 0;  // that might have been shown
  std::optional<std::int64_t> border_;
  std::int64_t first_seq_ = 0, last_seq_ = 0;
  std::int64_t tokens_ = 0;  // of all that might have been shown
  std::shared_ptr<PromptPast> past_;
};

}  // namespace rouse
