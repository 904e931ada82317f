// What an MCP server has to offer and what it answers, as values: from the payloads of initialize,
// tools/list and tools/call. Everything in here are words of somebody else: bounded, never trusted.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <boost/json/value.hpp>

#include "base/result.h"

namespace rouse {

inline constexpr std::size_t kMcpTools = 1000;             // of one server
inline constexpr std::size_t kMcpSchemaBytes = 256 << 10;  // of one tool
inline constexpr std::size_t kMcpResultBytes = 1 << 20;    // of one call, as text

struct McpGreeting {
  std::string version;       // of the protocol
  std::string server;        // "example-server 1.2"
  std::string instructions;  // how to use it, in its words
  bool has_tools = false;
};

struct McpTool {
  std::string name, title, description;
  std::string schema;  // of its arguments, JSON
};

struct McpToolPage {
  std::vector<McpTool> tools;
  std::string next_cursor;   // "" at the end
  std::size_t left_out = 0;  // without a name, or with a schema over the bound
};

struct McpCallResult {
  std::string text;
  bool failed = false;
};

// The newest first; that one is offered.
bool is_known_mcp_version(std::string_view version);
inline constexpr std::string_view kMcpVersion = "2025-06-18";

Result<McpGreeting> read_mcp_greeting(const boost::json::value& result);
Result<McpToolPage> read_mcp_tools(const boost::json::value& result);
// Text as it is; what a model can't read here (pictures, sound, files) is said in brackets.
Result<McpCallResult> read_mcp_call_result(const boost::json::value& result);

// For a list: the first sentence, or the first line.
std::string first_sentence(std::string_view text, std::size_t max_bytes);

}  // namespace rouse
