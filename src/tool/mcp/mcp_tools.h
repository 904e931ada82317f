// The four tools through which an agent finds and uses what MCP servers offer, so that a hundred of
// their tools cost a prompt no more than these four:
//
//   list_mcp_servers   which servers there are, and how they are
//   list_tools         the tools of one, a line each
//   get_tool_schema    all about one tool
//   call_tool          calls it
//
// Whatever a server says is from outside and taints the turn. Of a server that the owner lets run
// without asking (approve: auto) the results do; what it says of its own tools does not, else
// nothing could ever be called without asking. A call asks unless the owner said otherwise for its
// server or its tool: what a server says of itself (readOnlyHint) counts for nothing.
#pragma once

#include "tool/mcp/mcp_servers.h"
#include "tool/registry.h"

namespace rouse {

void add_mcp_tools(ToolRegistry& tools, McpServers& servers);

}  // namespace rouse
