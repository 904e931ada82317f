#include "lifecycle/actions/all_actions.h"

namespace rouse::actions {
namespace {

Task<Result<void>> run(ActionCall& call) {
  if (call.event.tool_failed) co_return Result<void>{};
  if (call.event.tool == "list_mcp_servers") rouse::set_variable(call, "servers_listed", true);
  if (call.event.tool == "list_tools" && !call.event.mcp_server.empty() &&
      call.variables.add("listed_servers", call.event.mcp_server)) {
    call.end.detail = "listed_servers + " + call.event.mcp_server;
  }
  co_return Result<void>{};
}

}  // namespace

ActionKind track_discovery_step() {
  return {.name = "track_discovery_step",
          .help =
              "Remembers that the MCP servers, or the tools of one, were listed: sets "
              "servers_listed and adds to listed_servers (on_after_tool).",
          .arguments = {},
          .run = run};
}

}  // namespace rouse::actions
