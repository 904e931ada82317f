// An approval: a call of a tool that waits for a person's word. It is a row, so it outlives the
// turn that asked and the process that ran it; it never suspends anything (design.md, 2). The first
// answer wins; no answer in time is an answer, too. What becomes of it enters the conversation as a
// turn of kind `approval`.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "base/time.h"

namespace rouse {

inline constexpr std::string_view kApprovalPending = "pending";
inline constexpr std::string_view kApprovalApproved = "approved";
inline constexpr std::string_view kApprovalDenied = "denied";
inline constexpr std::string_view kApprovalExpired = "expired";
inline constexpr std::string_view kApprovalWithdrawn = "withdrawn";  // its conversation was cleared

struct Approval {
  ApprovalId id;
  WorkspaceId workspace;
  ConversationId conversation;
  SessionId session;
  TurnId turn;  // that asked
  std::string call_id, tool, arguments;
  std::string agent = {}, project_folder = {};  // the call as it was to run
  std::string covers, summary;                  // ApprovalAsk
  std::string reason;                           // PolicyRuling::reason
  bool tainted = false;
  std::string state = std::string(kApprovalPending);
  std::optional<std::string> scope = {};  // approved: "once", "conversation", "always"
  // "api", "web", "cli", "timeout" …; over a channel with the id of the message that said so:
  // "whatsapp:3EB0…"
  std::optional<std::string> decided_by = {};
  std::optional<std::string> note = {};  // what the person said with it
  WallTime created, expires;
  std::optional<WallTime> decided = {};
};

// The door its answer came through, without the message; "" while it waits.
inline std::string_view decided_through(const Approval& approval) {
  if (!approval.decided_by) return {};
  const std::string_view by = *approval.decided_by;
  return by.substr(0, by.find(':'));
}

}  // namespace rouse
