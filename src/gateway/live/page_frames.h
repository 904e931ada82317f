// What pages send, and the answers meant for one page alone. A frame is one JSON object with a
// `type`; fields that a type doesn't know are ignored.
#pragma once

#include <optional>
#include <string>

#include "base/json.h"
#include "gateway/live/live_parts.h"

namespace rouse {

struct PageAsk {
  std::string type;
  std::optional<std::string> session_id, conversation_id, turn_id, client_message_id, agent_name;
  std::optional<boost::json::value> message;  // text, or a list of blocks
};
inline auto shape(const PageAsk*) {
  return fields(
      field("type", &PageAsk::type, "What is asked"),
      field("session_id", &PageAsk::session_id, "A conversation by any of its names"),
      field("conversation_id", &PageAsk::conversation_id, "The same"),
      field("turn_id", &PageAsk::turn_id, "A turn"),
      field("client_message_id", &PageAsk::client_message_id, "Makes a retry safe").length(1, 200),
      field("agent_name", &PageAsk::agent_name, "Who answers, in a new conversation")
          .length(1, 128),
      field("message", &PageAsk::message, "Text, or a list of blocks"));
}

// The name of the conversation a frame is about, if it has one.
[[nodiscard]] std::optional<std::string> conversation_named(const PageAsk& ask);

// Which failure, and which of the page's frames it answers. Of a failure inside the house a page is
// told no details.
[[nodiscard]] LiveFrame error_frame(const Error& error, const PageAsk& about = {});

struct AcceptedFrame {
  std::string type = "accepted";
  std::optional<std::string> client_message_id;
  std::string turn_id, conversation_id, session_id;
  std::optional<bool> redelivered;
};
inline auto shape(const AcceptedFrame*) {
  return fields(field("type", &AcceptedFrame::type, ""),
                field("client_message_id", &AcceptedFrame::client_message_id, ""),
                field("turn_id", &AcceptedFrame::turn_id, ""),
                field("conversation_id", &AcceptedFrame::conversation_id, ""),
                field("session_id", &AcceptedFrame::session_id, ""),
                field("redelivered", &AcceptedFrame::redelivered, ""));
}

struct ClearedFrame {
  std::string type = "chat_cleared";
  std::string conversation_id;  // as the page called it
  std::optional<std::string> client_message_id;
  std::optional<std::string> cleared;  // conv_…, if there was one
  std::optional<std::string> closed_session_id;
  bool cancelled = false;
};
inline auto shape(const ClearedFrame*) {
  return fields(field("type", &ClearedFrame::type, ""),
                field("conversation_id", &ClearedFrame::conversation_id, ""),
                field("client_message_id", &ClearedFrame::client_message_id, ""),
                field("cleared", &ClearedFrame::cleared, ""),
                field("closed_session_id", &ClearedFrame::closed_session_id, ""),
                field("cancelled", &ClearedFrame::cancelled, ""));
}

struct CompactedFrame {
  std::string type = "chat_compacted";
  std::string conversation_id;  // as the page called it
  std::optional<std::string> client_message_id;
  std::string message;  // for a person
};
inline auto shape(const CompactedFrame*) {
  return fields(field("type", &CompactedFrame::type, ""),
                field("conversation_id", &CompactedFrame::conversation_id, ""),
                field("client_message_id", &CompactedFrame::client_message_id, ""),
                field("message", &CompactedFrame::message, ""));
}

struct CancelledFrame {
  std::string type = "cancelled";
  std::string turn_id, state;
  std::optional<std::string> verdict;
};
inline auto shape(const CancelledFrame*) {
  return fields(
      field("type", &CancelledFrame::type, ""), field("turn_id", &CancelledFrame::turn_id, ""),
      field("state", &CancelledFrame::state, ""), field("verdict", &CancelledFrame::verdict, ""));
}

}  // namespace rouse
