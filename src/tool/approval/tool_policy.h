// May this call run? One place decides it, after the lifecycle rules and before anything runs, the
// same for every kind of turn (U16). It looks at values only: the tool, the call with its
// arguments, where the turn came from, what people have allowed before. Nothing here waits or
// writes.
//
// The order, first match wins:
//   1. a tool the person switched off, or one for the owner's people called by somebody else:
//      denied
//   2. a permission that covers exactly this call, given for the conversation or for always:
//      allowed, but not in a tainted turn: words from outside never ride on a person's earlier yes
//   3. a call that needs nobody's word (tier auto, and not made by a tainted turn that would change
//      something): allowed
//   4. nobody is there to ask (automation, heartbeat, session open): denied, never left hanging
//      (AP-3)
//   5. otherwise a person is asked
//
// A tool of the tier user_configurable asks until rouse.yaml allows it. One that requires approval
// always asks: `allow` doesn't reach it, only a permission for the very call does.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "tool/tool.h"

namespace rouse {

// What rouse.yaml says about a tool: `tools: {policy: {shell: ask}}`.
enum class ToolSetting : std::uint8_t { kAllow, kAsk, kOff };

struct PolicySettings {
  std::map<std::string, ToolSetting, std::less<>> tools;  // by name
  // Turns nobody watches: "deny", or "ask" to leave an approval behind for later.
  bool ask_when_unattended = false;
};

struct PolicyRuling {
  enum class Kind : std::uint8_t { kAllow, kAsk, kDeny };
  Kind kind = Kind::kAllow;
  std::string reason;  // a word for the record: "auto", "permitted", "setting", "tier", "tainted",
                       // "unattended", "off", "owner_only", "too_many"
  std::string words = {};  // for the model, if it may not run: what, why, what to do instead
};

// `permitted`: a stored permission covers ask_for(call).covers in this conversation.
PolicyRuling rule_on_call(const Tool& tool, const ToolCall& call, bool stranger, bool permitted,
                          const PolicySettings& settings);

// Why nobody may call it here, whatever the call: "off", "owner_only", or "" if it is offered.
std::string_view why_withheld(const ToolInfo& tool, bool stranger, const PolicySettings& settings);

bool is_attended(std::string_view turn_kind);

// Why a person was asked, in words they understand.
std::string why_asked(std::string_view reason, bool tainted);

}  // namespace rouse
