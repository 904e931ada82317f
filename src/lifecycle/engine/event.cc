#include "lifecycle/engine/event.h"

#include <boost/json/parse.hpp>

#include "session/session_key.h"

namespace rouse {
namespace {

boost::json::object object_in(std::string_view text) {
  boost::system::error_code failed;
  boost::json::value value = boost::json::parse(text, failed);
  return !failed && value.is_object() ? std::move(value.as_object()) : boost::json::object{};
}

std::string text_at(const boost::json::object& object, std::string_view key,
                    std::string_view other) {
  for (const std::string_view name : {key, other}) {
    const auto* value = object.if_contains(name);
    if (value != nullptr && value->is_string()) return std::string(value->as_string());
  }
  return {};
}

}  // namespace

std::string source_of(std::string_view channel) {
  return std::string(is_bridged(channel) ? channel : kSdkSource);
}

void set_tool(LifecycleEvent& event, std::string tool, std::string_view tool_class,
              std::string_view arguments) {
  event.tool = std::move(tool);
  event.tool_class = tool_class;
  event.tool_input = object_in(arguments);
  const bool of_mcp =
      event.tool == "call_tool" || event.tool == "get_tool_schema" || event.tool == "list_tools";
  if (!of_mcp) return;
  event.mcp_server = text_at(event.tool_input, "server", "server_name");
  event.mcp_tool = text_at(event.tool_input, "tool", "tool_name");
  const auto* given = event.tool_input.if_contains("arguments");
  if (given == nullptr) return;
  if (given->is_object()) event.mcp_arguments = given->as_object();
  if (given->is_string()) event.mcp_arguments = object_in(given->as_string());
}

}  // namespace rouse
