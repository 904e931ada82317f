// Where the rules of a session's life plug in. The agent loop calls the hooks on every path and in
// this order: before_agent once a turn, before_tool and after_tool around each call, pre_compact
// before the history is folded, stop when the model means to end. Each allows, blocks with a
// reason, or adds text that the model sees next. The default allows everything.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "agent/turn_beginning.h"
#include "base/ids.h"
#include "base/task.h"
#include "store/database.h"
#include "tool/tool.h"

namespace rouse {

// The turn a hook is called for: who, where, what kind.
struct TurnContext {
  WorkspaceId workspace;
  ConversationId conversation;
  SessionId session;
  TurnId turn;
  std::string kind;       // turn_kind_name()
  std::string transport;  // the channel: "websocket", "whatsapp", "api", "terminal" …
  std::string zone = "UTC";
  bool tainted = false;
  bool stranger = false;            // the workspace of somebody who merely came in over a bridge
  std::string agent = {};           // the profile that answers; "" is the default one
  std::string project_folder = {};  // of the conversation's project, or ""
  std::optional<std::vector<std::string>> only_tools = {};  // all it may use; none: everything
  std::shared_ptr<TurnBeginning> beginning =
      {};  // to wait for before the world is touched; or null
};

// Is it among those the turn was given?
inline bool may_use(const TurnContext& turn, const std::string& tool) {
  return !turn.only_tools || std::ranges::find(*turn.only_tools, tool) != turn.only_tools->end();
}

struct HookAnswer {
  bool allowed = true;
  std::string reason;  // why not, for the model and the person
  std::string inject;  // text for the model, or ""
  static HookAnswer allow() { return {}; }
  static HookAnswer block(std::string why) { return {false, std::move(why), {}}; }
};

class TurnHooks {
 public:
  virtual ~TurnHooks() = default;
  virtual Task<HookAnswer> before_agent(TurnContext turn, std::string message) {
    co_return HookAnswer::allow();
  }
  virtual Task<HookAnswer> before_tool(TurnContext turn, std::string tool, std::string arguments) {
    co_return HookAnswer::allow();
  }
  virtual Task<HookAnswer> after_tool(TurnContext turn, std::string tool, std::string arguments,
                                      ToolResult result) {
    co_return HookAnswer::allow();
  }
  virtual Task<HookAnswer> pre_compact(TurnContext turn) { co_return HookAnswer::allow(); }
  // Blocking lets the model go on, with the reason as what it is told; a bounded number of times.
  virtual Task<HookAnswer> stop(TurnContext turn, std::string answer) {
    co_return HookAnswer::allow();
  }

  // What is to be written of all this: it goes into the turn's next write, and kept() says that
  // the write holds. What the last write of a turn takes along comes by CloseParticipant.
  virtual std::vector<Statement> to_keep(const TurnContext& turn) { return {}; }
  virtual void kept(const TurnContext& turn) {}
  // The message of this session's turn could not be kept: what the hooks have noted of it is void.
  // If the turn asks once more, its beginning says so.
  virtual void never_was(const SessionId& session) {}
};

// The hooks that are plugged in, or none: then everything is allowed.
class HookSocket final : public TurnHooks {
 public:
  void plug_in(TurnHooks* hooks) { hooks_ = hooks; }

  Task<HookAnswer> before_agent(TurnContext turn, std::string message) override {
    return now().before_agent(std::move(turn), std::move(message));
  }
  Task<HookAnswer> before_tool(TurnContext turn, std::string tool, std::string arguments) override {
    return now().before_tool(std::move(turn), std::move(tool), std::move(arguments));
  }
  Task<HookAnswer> after_tool(TurnContext turn, std::string tool, std::string arguments,
                              ToolResult result) override {
    return now().after_tool(std::move(turn), std::move(tool), std::move(arguments),
                            std::move(result));
  }
  Task<HookAnswer> pre_compact(TurnContext turn) override {
    return now().pre_compact(std::move(turn));
  }
  Task<HookAnswer> stop(TurnContext turn, std::string answer) override {
    return now().stop(std::move(turn), std::move(answer));
  }
  std::vector<Statement> to_keep(const TurnContext& turn) override { return now().to_keep(turn); }
  void kept(const TurnContext& turn) override { now().kept(turn); }
  void never_was(const SessionId& session) override { now().never_was(session); }

 private:
  TurnHooks& now() { return hooks_ == nullptr ? none_ : *hooks_; }
  TurnHooks none_;
  TurnHooks* hooks_ = nullptr;
};

}  // namespace rouse
