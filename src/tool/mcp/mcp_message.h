// The messages of MCP as text: JSON-RPC 2.0, one object each (or a list of them, as older servers
// send over HTTP). Reading is strict about the envelope and takes any payload.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/value.hpp>

#include "base/result.h"

namespace rouse {

inline constexpr std::size_t kMcpMessageBytes = 8 << 20;
inline constexpr std::size_t kMcpJsonDepth = 64;

enum class McpErrc : std::uint8_t {
  kEnded,        // the server is gone: it crashed, ended or was stopped
  kBroken,       // it said something that is no MCP
  kTimeout,      // it did not answer in time
  kSessionGone,  // it doesn't know us any more: begin again
  kRefused,      // it answered with an error
  kResting,      // it failed and is not tried again yet
};
ErrorInfo error_info(McpErrc code);

struct McpMessage {
  enum class Kind : std::uint8_t { kRequest, kNotification, kAnswer };
  Kind kind = Kind::kNotification;
  boost::json::value id;  // of requests and answers, as it came
  std::string method;
  boost::json::value params;
  boost::json::value result;
  struct Fault {
    std::int64_t code = 0;
    std::string message;
  };
  std::optional<Fault> fault;  // an answer that is an error
};

Result<std::vector<McpMessage>> parse_mcp_messages(std::string_view text);

std::string mcp_request(std::int64_t id, std::string_view method, const boost::json::value& params);
std::string mcp_notification(std::string_view method, const boost::json::value& params);
std::string mcp_answer(const boost::json::value& id, const boost::json::value& result);
std::string mcp_refusal(const boost::json::value& id, std::int64_t code, std::string_view message);

}  // namespace rouse
