// Speaks MCP over one connection: says hello, lists tools, calls them, answers what the server
// asks. Every request has a deadline and can be stopped; the server is then told that nobody waits
// any more. It doesn't start anything again: that is its owner's business (mcp_server.h).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "base/clock.h"
#include "base/loop.h"
#include "tool/mcp/mcp_content.h"
#include "tool/mcp/mcp_message.h"
#include "tool/mcp/mcp_transport.h"

namespace rouse {

struct McpToolList {
  std::vector<McpTool> tools;
  std::size_t left_out = 0;
};

class McpClient : public std::enable_shared_from_this<McpClient> {
 public:
  struct Ears {
    std::function<void()> tools_changed;
    std::function<void(Error why)> ended;  // the connection is over; close() is still due
  };
  McpClient(Loop& loop, Clock& clock, std::unique_ptr<McpTransport> transport, Ears ears);

  Task<Result<McpGreeting>> open(MonoTime until, std::stop_token stop);
  Task<Result<McpToolList>> list_tools(MonoTime until, std::stop_token stop);
  Task<Result<McpCallResult>> call_tool(std::string tool, boost::json::object arguments,
                                        MonoTime until, std::stop_token stop);
  [[nodiscard]] bool hears_unasked() const { return transport_->hears_unasked(); }
  Task<void> close();

 private:
  struct Waiting;
  Task<Result<boost::json::value>> request(std::string method, boost::json::value params,
                                           MonoTime until, std::stop_token stop);
  Result<void> heard(std::string_view text);
  void take(const McpMessage& message);
  void answer(const McpMessage& message);
  void end(const Error& why);
  void post(std::string message);
  [[nodiscard]] Error explained(Error error) const;

  static Task<void> carry(std::shared_ptr<McpClient> self, std::shared_ptr<Waiting> waiting,
                          std::string message, Millis time_left);
  static Task<void> watch(Clock& clock, std::shared_ptr<Waiting> waiting, MonoTime until);
  static Task<void> deliver(std::shared_ptr<McpClient> self, std::string message);

  Loop& loop_;
  Clock& clock_;
  std::unique_ptr<McpTransport> transport_;
  Ears ears_;
  std::int64_t last_id_ = 0;
  std::map<std::int64_t, std::shared_ptr<Waiting>> waiting_;
  std::optional<Error> ended_;
  McpGreeting greeting_;
};

}  // namespace rouse
