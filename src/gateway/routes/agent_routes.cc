#include "gateway/routes/agent_routes.h"

#include "gateway/routes/asked_workspace.h"

namespace rouse {
namespace {

AgentView view_of(Agent agent) {
  return {std::move(agent.name), std::move(agent.instructions), std::move(agent.model),
          std::move(agent.tools)};
}

}  // namespace

void AgentRoutes::add_to(RouteTable& table) {
  table.add(answer<AgentList>({.pattern = "/api/agents",
                               .summary = "The agents of a workspace",
                               .tag = "agents",
                               .query = {workspace_parameter(),
                                         {"limit", "How many, 1 to 200"},
                                         {"cursor", "next_cursor of the page before"}}},
                              [this](Call& call) { return list(call); }));
  table.add(answer<AgentView>({.pattern = "/api/agents/{name}",
                               .summary = "One agent",
                               .tag = "agents",
                               .query = {workspace_parameter()}},
                              [this](Call& call) { return get(call); }));
  table.add(exchange<AgentEdit, AgentView>(
      {.method = "PUT",
       .pattern = "/api/agents/{name}",
       .summary = "Make an agent or replace it",
       .tag = "agents",
       .query = {workspace_parameter()}},
      [this](Call& call, AgentEdit wanted) { return put(call, std::move(wanted)); }));
  table.add(answer<OkBody>({.method = "DELETE",
                            .pattern = "/api/agents/{name}",
                            .summary = "Delete an agent",
                            .tag = "agents",
                            .query = {workspace_parameter()}},
                           [this](Call& call) { return remove(call); }));
}

Result<AgentView> AgentRoutes::get(Call& call) {
  TRY(const auto workspace, asked_workspace(call, workspaces_));
  TRY(auto found, agents_.get(workspace, call.parameters.at(0)));
  return view_of(std::move(found));
}

Task<Result<AgentView>> AgentRoutes::put(Call& call, AgentEdit wanted) {
  CO_TRY(const auto workspace, asked_workspace(call, workspaces_));
  Agent agent{call.parameters.at(0), wanted.instructions.value_or(""), wanted.model.value_or(""),
              wanted.tools.value_or("{}")};
  CO_TRY(agent, co_await agents_.put(workspace, std::move(agent)));
  co_return view_of(std::move(agent));
}

Task<Result<OkBody>> AgentRoutes::remove(Call& call) {
  CO_TRY(const auto workspace, asked_workspace(call, workspaces_));
  CO_TRY_VOID(co_await agents_.remove(workspace, call.parameters.at(0)));
  co_return OkBody{};
}

Task<Result<AgentList>> AgentRoutes::list(Call& call) {
  CO_TRY(const auto workspace, asked_workspace(call, workspaces_));
  CO_TRY(const std::size_t limit, call.limit());
  CO_TRY(auto found,
         co_await agents_.list(workspace, call.query("cursor").value_or(""), limit + 1));
  AgentList out;
  const bool more = found.size() > limit;
  if (more) found.pop_back();
  for (Agent& one : found) out.items.push_back(view_of(std::move(one)));
  if (more) out.next_cursor = out.items.back().name;
  co_return out;
}

}  // namespace rouse
