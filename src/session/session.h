// A session: one epoch of a conversation, from the message that opened it to the reason that closed
// it. Closed never becomes active again; what comes next is a new epoch of the same conversation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "session/session_key.h"

namespace rouse {

enum class SessionErrc : std::uint8_t {
  kNotFound,           // "session_not_found"
  kWorkspaceMismatch,  // "workspace_mismatch": it belongs to another workspace
};
ErrorInfo error_info(SessionErrc code);

// Why a session ended (U10). The first two cut the conversation's prompt history as well.
inline constexpr std::string_view kClosedByReset = "explicit_reset";
inline constexpr std::string_view kClosedByClear = "cleared";
inline constexpr std::string_view kClosedByTimeout = "timeout";
inline constexpr std::string_view kClosedByDrift = "topic_drift";
inline constexpr std::string_view kClosedByApi = "api_close";
inline constexpr std::string_view kClosedByPause = "idle_paused";

inline bool is_hard_boundary(std::string_view close_reason) {
  return close_reason == kClosedByReset || close_reason == kClosedByClear;
}

struct Session {
  SessionId id;
  WorkspaceId workspace;
  SessionKey key;
  bool active = true;
  std::int64_t turn_count = 0;
  std::string context_summary = {};
  WallTime created;
  WallTime last_message;  // of the last visible turn (U2)
  ConversationId conversation = {};
  std::int64_t epoch = 1;  // 1 for the conversation's first session
  std::string opened_reason;
  std::int64_t opened_by = 0;  // the number of the inbound row that opened it: grows, never repeats
  std::optional<std::string> close_reason = {};
  std::optional<WallTime> closed = {};
  std::optional<WallTime> last_user = {};
  std::optional<std::int64_t> last_inbound =
      {};  // the end of the conversation's chain of inbound rows
  std::optional<std::string> close_summary = {};  // what is worth keeping of it, if it was cleared
  friend bool operator==(const Session&, const Session&) = default;

  [[nodiscard]] std::string_view status() const { return active ? "active" : "closed"; }
  // The same in the words of lifecycle workflows (U10).
  [[nodiscard]] std::string_view lifecycle_status() const {
    if (active) return "active";
    return close_reason == kClosedByPause ? "paused" : "completed";
  }
};

}  // namespace rouse
