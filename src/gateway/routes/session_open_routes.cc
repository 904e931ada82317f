#include "gateway/routes/session_open_routes.h"

#include "gateway/routes/asked_workspace.h"

namespace rouse {

void SessionOpenRoutes::add_to(RouteTable& table) {
  table.add(exchange<SessionOpenRequest, SessionOpenAnswer>(
      {.method = "POST",
       .pattern = "/api/chat/session_open",
       .summary = "Somebody opened the app: the agent greets them, or keeps silent",
       .tag = "chat",
       .query = {workspace_parameter()},
       .max_body = 4096},
      [this](Call& call, SessionOpenRequest request) { return open(call, std::move(request)); }));
}

Task<Result<SessionOpenAnswer>> SessionOpenRoutes::open(Call& call, SessionOpenRequest request) {
  CO_TRY(auto workspace, asked_workspace(call, workspaces_));
  CO_TRY(auto where, door_.address({.workspace = std::move(workspace),
                                    .session_id = request.session_id,
                                    .message = {},
                                    .agent_name = std::move(request.agent_name),
                                    .transport = "websocket"}));
  const SessionOpened opened = co_await opens_.open(std::move(where));
  co_return SessionOpenAnswer{
      .session_id = std::move(request.session_id),
      .response = opened.response,
      .is_new_user = opened.is_new_user,
      .silent = opened.silent,
      .reason = opened.reason,
      .conversation_id = opened.conversation ? opened.conversation->str() : "",
      .turn_id = opened.turn ? opened.turn->str() : ""};
}

}  // namespace rouse
