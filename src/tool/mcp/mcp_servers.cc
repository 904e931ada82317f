#include "tool/mcp/mcp_servers.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"

namespace rouse {

void McpServers::configure(std::vector<McpServerSettings> settings) {
  std::map<std::string, std::shared_ptr<McpServer>, std::less<>> next;
  for (McpServerSettings& one : settings) {
    const std::string name = one.name;
    const auto known = servers_.find(name);
    if (known != servers_.end() && known->second->settings().place == one.place) {
      known->second->configure(std::move(one));
      next[name] = std::move(known->second);
      servers_.erase(known);
    } else {
      next[name] = std::make_shared<McpServer>(house_, std::move(one));
    }
  }
  for (auto& [name, server] : servers_) let_go(std::move(server));
  servers_ = std::move(next);
}

bool McpServers::any() const {
  return std::ranges::any_of(servers_,
                             [](const auto& one) { return one.second->settings().enabled; });
}

std::shared_ptr<McpServer> McpServers::find(std::string_view name) const {
  const auto found = servers_.find(name);
  return found == servers_.end() ? nullptr : found->second;
}

Error McpServers::no_such_server(std::string_view name) const {
  std::vector<std::string_view> names;
  for (const auto& [known, server] : servers_) names.push_back(known);
  if (name.empty()) {
    return {Errc::kInvalid,
            fmt::format("say which MCP server with 'server', one of: {}", fmt::join(names, ", "))};
  }
  const std::string shown(utf8_prefix(name, 64));
  if (const auto near = nearest(name, names)) {
    return {Errc::kNotFound,
            fmt::format("there is no MCP server '{}'; did you mean '{}'?", shown, *near)};
  }
  return {Errc::kNotFound,
          fmt::format("there is no MCP server '{}'; there are: {}", shown, fmt::join(names, ", "))};
}

std::vector<McpServerState> McpServers::states() const {
  std::vector<McpServerState> out;
  for (const auto& [name, server] : servers_) out.push_back(server->state());
  return out;
}

void McpServers::let_go(std::shared_ptr<McpServer> server) {
  ++leaving_;
  house_.loop.spawn("stop mcp server", stop_one(std::move(server), alive_));
}

Task<void> McpServers::stop_one(std::shared_ptr<McpServer> server,
                                std::shared_ptr<McpServers*> all) {
  co_await server->stop();
  McpServers* const servers = *all;
  if (servers == nullptr || --servers->leaving_ > 0 || !servers->last_left_) co_return;
  Completer<bool> tell = std::move(*servers->last_left_);
  servers->last_left_.reset();
  tell(true);
}

Task<void> McpServers::stop() {
  for (const auto& [name, server] : servers_) let_go(server);
  if (leaving_ == 0) co_return;
  co_await complete_later<bool>([this](Completer<bool> done) { last_left_ = std::move(done); });
}

}  // namespace rouse
