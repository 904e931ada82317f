// Shows prompts to people: of a conversation's next turn, or of a turn that was.
#pragma once

#include "agent/prompt/prompt_view.h"
#include "agent/turn_prompt.h"

namespace rouse {

class PromptDesk final : public PromptPreview {
 public:
  PromptDesk(TurnPrompts& prompts, TurnLedger& ledger, ToolRegistry& tools)
      : prompts_(prompts), ledger_(ledger), tools_(tools) {}

  Task<Result<PromptView>> of_conversation(WorkspaceId workspace,
                                           ConversationId conversation) override;
  Task<Result<PromptView>> of_turn(WorkspaceId workspace, TurnId turn) override;

 private:
  [[nodiscard]] PromptView view(const TurnPrompt& prompt) const;

  TurnPrompts& prompts_;
  TurnLedger& ledger_;
  ToolRegistry& tools_;
};

}  // namespace rouse
