#include <fmt/format.h>

#include "lifecycle/actions/all_actions.h"

namespace rouse::actions {
namespace {

Task<Result<void>> run(ActionCall& call) {
  const LifecycleEvent& event = call.event;
  if (event.tool != "get_tool_schema" || event.tool_failed || event.mcp_tool.empty()) {
    co_return Result<void>{};
  }
  const std::string name = fmt::format("{}:{}", event.mcp_server, event.mcp_tool);
  if (call.variables.add("unlocked_tools", name)) call.end.detail = "unlocked_tools + " + name;
  co_return Result<void>{};
}

}  // namespace

ActionKind track_schema_lookup() {
  return {.name = "track_schema_lookup",
          .help =
              "Remembers that the schema of an MCP tool was read: adds server:tool to "
              "unlocked_tools (on_after_tool).",
          .arguments = {},
          .run = run};
}

}  // namespace rouse::actions
