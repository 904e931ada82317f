#include "app/gateway_side.h"

namespace rouse {

GatewaySide::GatewaySide(const Parts& parts, Sides sides)
    : sides_(sides),
      tokens_(parts.database, parts.clock, parts.random),
      browsers_(parts.database, tokens_, parts.clock, parts.random),
      status_(parts.clock, parts.database, parts.board, ROUSE_VERSION, parts.random.hex(8)),
      hub_(status_),
      gateway_(parts.clock, parts.log, tokens_, browsers_, hub_, table_),
      status_routes_(status_, hub_, table_),
      sign_in_routes_(gateway_, tokens_, browsers_, hub_, parts.clock),
      token_routes_(tokens_, parts.workspaces, hub_, parts.log),
      workspace_routes_(parts.workspaces, parts.removal, tokens_, hub_, parts.log),
      conversation_routes_(parts.database, parts.clock, parts.kernel, parts.workspaces,
                           parts.projects, parts.agents, parts.removal, parts.log),
      search_routes_(parts.search, parts.kernel, parts.workspaces),
      export_routes_(parts.kernel, parts.workspaces),
      file_routes_(parts.blobs, parts.workspaces),
      kernel_routes_(parts.kernel, parts.workspaces, parts.log),
      why_routes_(parts.kernel, parts.story),
      project_routes_(parts.projects, parts.workspaces),
      agent_routes_(parts.agents, parts.workspaces),
      settings_routes_(parts.settings),
      model_routes_(
          parts.settings,
          [this](ModelSettings one) { return sides_.agent.model_of(std::move(one)); }, parts.clock,
          parts.log),
      backup_routes_(parts.database, parts.pool, parts.random, parts.data_dir + "/backups") {
  AgentHouse& house = sides_.agent.house();
  workspace_routes_.before_deleting(
      [this](WorkspaceId id) { return sides_.schedule.book().forget(std::move(id)); });
  workspace_routes_.after_editing([this] { sides_.proactive.files_changed(); });
  conversation_routes_.ask_before_deleting(sides_.schedule.book());
  conversation_routes_.record_events(&house.events());
  conversation_routes_.check_models(
      [&house](std::string_view name) { return house.models()->find(name) != nullptr; });
}

Task<Result<void>> GatewaySide::load(std::string owner_token) {
  tokens_.set_owner_token(owner_token);
  CO_TRY_VOID(tokens_.load());
  CO_TRY_VOID(co_await tokens_.forget_former_owners());
  co_return browsers_.load();
}

void GatewaySide::add_routes() {
  status_routes_.add_to(table_);
  sign_in_routes_.add_to(table_);
  token_routes_.add_to(table_);
  workspace_routes_.add_to(table_);
  kernel_routes_.add_to(table_);
  conversation_routes_.add_to(table_);
  search_routes_.add_to(table_);
  export_routes_.add_to(table_);
  file_routes_.add_to(table_);
  why_routes_.add_to(table_);
  project_routes_.add_to(table_);
  agent_routes_.add_to(table_);
  sides_.agent.add_routes(table_);
  sides_.schedule.add_routes(table_);
  sides_.notify.add_routes(table_);
  sides_.proactive.add_routes(table_);
  sides_.lifecycle.add_routes(table_);
  settings_routes_.add_to(table_);
  model_routes_.add_to(table_);
  backup_routes_.add_to(table_);
}

}  // namespace rouse
