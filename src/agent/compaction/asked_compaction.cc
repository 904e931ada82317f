#include "agent/compaction/asked_compaction.h"

#include <algorithm>

namespace rouse {

Task<Result<CompactionOutcome>> AskedCompaction::compact(WorkspaceId workspace,
                                                         ConversationId conversation) {
  CO_TRY(const TurnPrompt next, co_await prompts_.of_conversation(workspace, conversation));
  CO_TRY(auto session, kernel_.sessions().latest_of(conversation));
  if (!session) co_return fail(SessionErrc::kNotFound, "this conversation has no session yet");
  const ModelInfo& model = next.model->info();
  CompactionRequest request{.session = std::move(*session),
                            .limits = {},
                            .reason = std::string(kCompactAsked),
                            .tokens_before = estimate_tokens(next.request),
                            .shown_from = next.first_seq.value_or(0),
                            .may_fold = [this, &next] { return hooks_.pre_compact(next.turn); }};
  request.limits.tokens =
      std::max<std::int64_t>((model.context_window - model.max_output) / 2, 1'000);
  co_return co_await compactor_.compact(std::move(request), {});
}

}  // namespace rouse
