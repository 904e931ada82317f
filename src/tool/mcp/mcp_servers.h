// The MCP servers of the owner, by name. A change of the settings restarts those that changed,
// stops those that are gone and leaves the others alone.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tool/mcp/mcp_server.h"

namespace rouse {

class McpServers {
 public:
  explicit McpServers(McpServer::House house) : house_(std::move(house)) {}

  void configure(std::vector<McpServerSettings> settings);

  // Is there one that could be used?
  [[nodiscard]] bool any() const;
  [[nodiscard]] std::shared_ptr<McpServer> find(std::string_view name) const;  // null: none
  // Words for the model: which there are.
  [[nodiscard]] Error no_such_server(std::string_view name) const;
  [[nodiscard]] const std::map<std::string, std::shared_ptr<McpServer>, std::less<>>& all() const {
    return servers_;
  }

  [[nodiscard]] std::vector<McpServerState> states() const;  // in the order of their names

  // All at once, each in good order. Nothing starts any more.
  Task<void> stop();

 private:
  void let_go(std::shared_ptr<McpServer> server);
  static Task<void> stop_one(std::shared_ptr<McpServer> server, std::shared_ptr<McpServers*> all);

  McpServer::House house_;
  std::map<std::string, std::shared_ptr<McpServer>, std::less<>> servers_;
  std::size_t leaving_ = 0;  // are being stopped
  std::optional<Completer<bool>> last_left_;
  std::shared_ptr<McpServers*> alive_ = std::make_shared<McpServers*>(this);

 public:
  McpServers(const McpServers&) = delete;
  McpServers& operator=(const McpServers&) = delete;
  ~McpServers() { *alive_ = nullptr; }
};

}  // namespace rouse
