// /compact, over whichever door it comes: the prompt of the conversation's next turn is measured,
// and it is compacted as far as possible, if the rules of its life allow it (pre_compact). A turn
// that runs meanwhile isn't touched: it has its prompt already.
#pragma once

#include "agent/compaction/compactor.h"
#include "agent/turn_hooks.h"
#include "agent/turn_prompt.h"

namespace rouse {

class AskedCompaction {
 public:
  AskedCompaction(TurnPrompts& prompts, SessionKernel& kernel, TurnHooks& hooks,
                  Compactor& compactor)
      : prompts_(prompts), kernel_(kernel), hooks_(hooks), compactor_(compactor) {}

  // What a hook blocks is an outcome without a compaction, with the reason as its note.
  Task<Result<CompactionOutcome>> compact(WorkspaceId workspace, ConversationId conversation);

 private:
  TurnPrompts& prompts_;
  SessionKernel& kernel_;
  TurnHooks& hooks_;
  Compactor& compactor_;
};

}  // namespace rouse
