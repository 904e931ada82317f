// A tool: something an agent can call. Each says what it is (ToolInfo) and does one call at a time;
// who may call it and when is decided above (registry, approvals, hooks), never in the tool.
//
// Adding a tool is one file and one line: a class here or in its domain's room, one
// `tools.add(…)` in app/tool_side.cc.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "base/task.h"
#include "base/time.h"

namespace rouse {

// What a tool touches; lifecycle rules and approvals speak of these.
enum class ToolClass : std::uint8_t { kRead, kEdit, kShell, kAsk, kPlan, kTask, kNetwork };
std::string_view tool_class_name(ToolClass tool_class);

enum class RiskTier : std::uint8_t {
  kAuto,              // runs without asking
  kUserConfigurable,  // as the person has set it
  kRequiresApproval,
};
std::string_view risk_tier_name(RiskTier tier);

struct ToolInfo {
  std::string name;  // [a-z0-9_]{1,64}
  std::string description;
  std::string schema;  // JSON schema of the arguments: an object, no oneOf/anyOf/allOf at its root
  ToolClass tool_class = ToolClass::kRead;
  RiskTier risk = RiskTier::kAuto;
  // Does a call change anything outside of the turn? Then its intent is durable before it runs,
  // and after a crash it is never run again (design.md, 2).
  bool side_effects = false;
  std::string prompt_section = {};  // what the agent should know beyond the description, or ""
  // Shell and files: never for somebody who merely came in over a bridge (design.md, 8).
  bool owner_only = false;
};

// The call as the tool sees it. Who asks is a value of the turn, not of the process (AP-5).
struct ToolCall {
  std::string id;         // unique in its turn: an idempotency key for what it does outside
  std::string arguments;  // a JSON object that fits the schema
  WorkspaceId workspace;
  ConversationId conversation;
  SessionId session;
  TurnId turn;
  std::string turn_kind;            // "user", "automation" …
  std::string zone;                 // IANA zone of the workspace
  bool tainted = false;             // untrusted text entered the turn's prompt (design.md, rule 8)
  std::string agent = {};           // the profile that acts; "" is the default one
  std::string project_folder = {};  // of the conversation's project, or ""
  bool stranger = false;            // somebody who merely came in over a bridge
};

// What a person is asked before a call may run, and what their "always" would cover: the very thing
// that runs, never a prefix or a pattern of it (AP-4). Two calls with the same `covers` do the
// same.
struct ApprovalAsk {
  std::string summary;  // one line for a person: "run `make test` in the project folder"
  std::string covers;
};

struct ToolResult {
  std::string text;
  bool failed = false;     // the model is told, and may try otherwise
  bool untrusted = false;  // fetched pages and the like: taints the turn
};

class Tool {
 public:
  virtual ~Tool() = default;
  [[nodiscard]] virtual const ToolInfo& info() const = 0;
  // What can't work here now is not offered, as if it were not there.
  [[nodiscard]] virtual bool available() const { return true; }
  // A call may change nothing although its tool can: a list.
  [[nodiscard]] virtual bool changes(const ToolCall& call) const { return info().side_effects; }
  // A call may be riskier or tamer than its tool: a fetch from a host the person has allowed.
  [[nodiscard]] virtual RiskTier risk_of(const ToolCall& call) const;
  // The default: the tool's name and its arguments, whose canonical form is what is covered.
  [[nodiscard]] virtual ApprovalAsk ask_for(const ToolCall& call) const;
  // Never throws for what the arguments or the world can cause: that is a failed result. A stop
  // or a deadline ends it; what was under way then is "outcome unknown", said by the caller.
  virtual Task<ToolResult> run(ToolCall call, std::stop_token stop) = 0;
};

// Arguments as JSON with sorted members: equal for equal arguments.
std::string canonical_arguments(const std::string& arguments);

}  // namespace rouse
