#include "gateway/routes/prompt_routes.h"

#include "base/text.h"
#include "gateway/routes/asked_workspace.h"

namespace rouse {

void PromptRoutes::add_to(RouteTable& table) {
  table.add(answer<PromptView>(
      {.pattern = "/api/conversations/{id}/prompt",
       .summary = "What the model would be told with the next message, section by section",
       .tag = "conversations",
       .query = {workspace_parameter()}},
      [this](Call& call) { return of_conversation(call); }));
  table.add(answer<PromptView>({.pattern = "/api/turns/{id}/prompt",
                                .summary = "What the model was told in a turn, rebuilt",
                                .tag = "turns",
                                .query = {workspace_parameter()}},
                               [this](Call& call) { return of_turn(call); }));
}

Task<Result<PromptView>> PromptRoutes::of_conversation(Call& call) {
  CO_TRY(const WorkspaceId workspace, asked_workspace(call, workspaces_));
  CO_TRY(const Conversation conversation,
         kernel_.conversations().find_by_name(workspace, call.parameters.at(0)));
  co_return co_await preview_.of_conversation(workspace, conversation.id);
}

Task<Result<PromptView>> PromptRoutes::of_turn(Call& call) {
  CO_TRY(const WorkspaceId workspace, asked_workspace(call, workspaces_));
  const std::string& name = call.parameters.at(0);
  const auto turn = TurnId::parse(name);
  if (!turn) {
    co_return fail(Errc::kNotFound, fmt::format("there is no turn {}; they look like turn_4f2a…",
                                                utf8_prefix(name, 80)));
  }
  co_return co_await preview_.of_turn(workspace, *turn);
}

}  // namespace rouse
