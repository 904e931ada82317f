// An answer as it grows: what both wire formats need while they read. Text goes to the stream as it
// comes, in whole characters; a text block exists from its first character on, so the block numbers
// that the stream hears are those of the answer.
#pragma once

#include <string>
#include <string_view>

#include "model/answer_check.h"
#include "model/utf8_text.h"

namespace rouse {

class AnswerDraft {
 public:
  AnswerDraft(ModelStream& stream, Random& random) : stream_(stream), random_(random) {}

  void say(std::string_view piece);
  void end_text();  // what is said next begins a block of its own
  // The place of the new block. Fails when there are more blocks than any answer has.
  Result<std::size_t> open_call(std::string id, std::string tool);
  [[nodiscard]] PromptBlock& call(std::size_t at) { return answer_.blocks[at]; }

  ModelUsage usage;
  bool has_usage = false;

  [[nodiscard]] bool has_calls() const { return has_calls_; }
  TryResult whole(StopReason stop);  // the draft is used up
  TryFailure broken_off();

 private:
  void append(std::string text);

  ModelStream& stream_;
  Random& random_;
  ModelAnswer answer_;
  Utf8Joiner joiner_;
  bool text_open_ = false;
  bool has_calls_ = false;
};

}  // namespace rouse
