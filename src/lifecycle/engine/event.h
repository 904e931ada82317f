// One moment of an agent's life, as workflows see it.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include "agent/turn_hooks.h"
#include "lifecycle/workflow/trigger.h"

namespace rouse {

// What kind of client a session belongs to. Web pages, terminals and programs have no hooks for the
// start and the end of a session; a messenger behind a bridge is named by its channel.
inline constexpr std::string_view kSdkSource = "claude_sdk";
std::string source_of(std::string_view channel);

struct LifecycleEvent {
  Trigger trigger = Trigger::kBeforeAgent;
  TurnContext turn;
  std::string source = std::string(kSdkSource);
  std::string prompt = {};  // what was said, of on_before_agent
  // Of on_before_tool and on_after_tool.
  std::string tool = {};
  std::string tool_class = {};  // read, edit, shell, ask, plan, task, network; "": none
  boost::json::object tool_input = {};
  std::string mcp_server = {}, mcp_tool = {};  // what a tool for MCP servers is called for
  boost::json::object mcp_arguments = {};
  std::string tool_result = {};
  bool tool_failed = false;
  std::string answer = {};  // of on_stop
  std::string reason = {};  // of on_session_end: why it was closed
};

// One event is looked at by many, some of whom outlive its firing.
using SharedEvent = std::shared_ptr<const LifecycleEvent>;

// The tool, its class, its input, and what it means for MCP servers: arguments may come as a JSON
// text, and server and tool under their other names.
void set_tool(LifecycleEvent& event, std::string tool, std::string_view tool_class,
              std::string_view arguments);

// Does a rule that names a tool mean this call? A name is that of a tool here, or one of the names
// that coding agents know: Edit, Write, Bash, AskUserQuestion, ExitPlanMode, close_task … These
// stand for classes of tools (tool_names.cc has them all).
bool names_this_tool(std::string_view name, const LifecycleEvent& event);

struct ToolAlias {
  std::string_view name, help;
  bool (*fits)(const LifecycleEvent& event);
};
std::span<const ToolAlias> tool_aliases();

}  // namespace rouse
