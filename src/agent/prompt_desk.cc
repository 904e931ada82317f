#include "agent/prompt_desk.h"

#include <fmt/format.h>

namespace rouse {

PromptView PromptDesk::view(const TurnPrompt& prompt) const {
  PromptView out = describe_prompt(prompt.prompt, prompt.tail, tools_.all());
  out.conversation_id = prompt.turn.conversation.str();
  if (!prompt.turn.turn.empty()) out.turn_id = prompt.turn.turn.str();
  return out;
}

Task<Result<PromptView>> PromptDesk::of_conversation(WorkspaceId workspace,
                                                     ConversationId conversation) {
  CO_TRY(const TurnPrompt prompt,
         co_await prompts_.of_conversation(std::move(workspace), std::move(conversation)));
  co_return view(prompt);
}

Task<Result<PromptView>> PromptDesk::of_turn(WorkspaceId workspace, TurnId id) {
  CO_TRY(Turn turn, ledger_.get(id));
  if (turn.workspace != workspace) {
    co_return fail(TurnErrc::kNotFound, fmt::format("there is no turn {}", id.str()));
  }
  CO_TRY(const TurnPrompt prompt,
         co_await prompts_.of_turn(std::move(turn), {}, TurnPrompts::Looks::kWhole));
  co_return view(prompt);
}

}  // namespace rouse
