// One MCP server and its life. Nothing runs before it is needed: the first use starts it, ten
// minutes without a use stop it. One that crashes is started again after a second, then two, four
// …; a call that comes meanwhile is told at once why and when. After five crashes without a good
// call in between it is left alone: until the settings are read again, or a use five minutes later.
//
// Its tools are asked for once and remembered until it says that they have changed.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "base/log.h"
#include "tool/mcp/mcp_client.h"
#include "tool/mcp/mcp_settings.h"

namespace rouse {

inline constexpr Millis kMcpIdle = minutes(10);
inline constexpr Millis kMcpFirstRest = seconds(1);
inline constexpr Millis kMcpLongestRest = seconds(60);
inline constexpr int kMcpCrashes = 5;
inline constexpr Millis kMcpBrokenRest = minutes(5);

// For people and programs.
struct McpServerState {
  std::string name;
  std::string transport;  // "stdio", "http"
  std::string state;      // "idle", "starting", "ready", "waiting", "broken", "off"
  std::size_t tools = 0;  // 0 until they were asked for
  std::string last_error;
  std::int64_t restarts = 0;  // after crashes
  friend bool operator==(const McpServerState&, const McpServerState&) = default;
};

class McpServer : public std::enable_shared_from_this<McpServer> {
 public:
  struct House {
    Loop& loop;
    Clock& clock;
    const Log& log;
    const Redactor& redactor;  // of what a server said, before it is shown in a state
    std::function<std::unique_ptr<McpTransport>(const McpServerSettings::Place&)> connect;
  };
  McpServer(const House& house, McpServerSettings settings);

  [[nodiscard]] const McpServerSettings& settings() const { return settings_; }
  [[nodiscard]] McpServerState state() const;
  [[nodiscard]] const std::string& instructions() const { return greeting_.instructions; }

  // Other settings for the same place; and one that was given up is tried again.
  void configure(McpServerSettings settings);

  // Asked for anew if the server can't say when they change.
  Task<Result<std::shared_ptr<const McpToolList>>> tools(std::stop_token stop);
  Task<Result<McpTool>> tool(std::string name, std::stop_token stop);
  // The arguments are checked against the tool's schema before they leave.
  Task<Result<McpCallResult>> call(std::string name, std::string arguments, std::stop_token stop);

  // For good.
  Task<void> stop();

 private:
  enum class Phase : std::uint8_t { kIdle, kStarting, kReady, kWaiting, kBroken, kOff };
  using ToolList = std::shared_ptr<const McpToolList>;

  [[nodiscard]] Result<void> may_start() const;
  [[nodiscard]] Error resting() const;
  void start();
  void crashed(const Error& why);
  void drop();  // the connection, without a word
  void settled(Phase phase);
  void tools_changed(std::int64_t life);
  void ended(std::int64_t life, const Error& why);
  void forget_if_gone(const std::shared_ptr<McpClient>& client, const Error& error);
  [[nodiscard]] Error named(Error error) const;
  Error noted(Error error);
  void note_error(const Error& error);

  Task<Result<std::shared_ptr<McpClient>>> ready(MonoTime until, std::stop_token stop);
  Task<Result<ToolList>> known_tools(std::shared_ptr<McpClient> client, MonoTime until,
                                     std::stop_token stop);
  Task<Result<ToolList>> list_once(bool anew, MonoTime until, std::stop_token stop);
  Task<Result<ToolList>> list(bool anew, std::stop_token stop);
  Task<Result<McpCallResult>> call_once(std::string name, std::string arguments, MonoTime until,
                                        std::stop_token stop);
  static Task<void> run_start(std::shared_ptr<McpServer> self, std::int64_t life);
  static Task<void> restart_later(std::shared_ptr<McpServer> self, std::int64_t life);
  static Task<void> watch_idle(std::shared_ptr<McpServer> self, std::int64_t life);
  static Task<void> close(std::shared_ptr<McpClient> client);

  struct InUse;

  House house_;
  McpServerSettings settings_;
  Phase phase_ = Phase::kIdle;
  std::int64_t life_ = 0;  // counts connections: whoever belongs to an old one is not heard
  std::shared_ptr<McpClient> client_;
  McpGreeting greeting_;
  ToolList tools_;
  std::size_t tool_count_ = 0;
  std::stop_source start_over_;  // asked to stop when the start that is under way has an outcome
  std::stop_source stopping_;
  int uses_ = 0;
  MonoTime last_use_;
  MonoTime retry_at_;
  int crashes_ = 0;  // in a row
  std::int64_t restarts_ = 0;
  std::string last_error_;
};

}  // namespace rouse
