// The lines of a JSONL export as structs. Their names and fields are a contract with whoever reads
// exports; a field may be added, none may go.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "session/content.h"

namespace rouse {

struct WorkspaceLine {
  std::string type = "workspace";
  std::string workspace_id, name, created_at;
};
inline auto shape(const WorkspaceLine*) {
  return fields(field("type", &WorkspaceLine::type, ""),
                field("workspace_id", &WorkspaceLine::workspace_id, ""),
                field("name", &WorkspaceLine::name, ""),
                field("created_at", &WorkspaceLine::created_at, ""));
}

struct ConversationLine {
  std::string type = "conversation";
  std::string conversation_id, session_key, title;
  std::optional<std::string> project, agent;
  std::string created_at, last_active_at;
  std::vector<std::string> aliases;
};
inline auto shape(const ConversationLine*) {
  return fields(field("type", &ConversationLine::type, ""),
                field("conversation_id", &ConversationLine::conversation_id, ""),
                field("session_key", &ConversationLine::session_key, ""),
                field("title", &ConversationLine::title, ""),
                field("project", &ConversationLine::project, "").or_null(),
                field("agent", &ConversationLine::agent, "").or_null(),
                field("created_at", &ConversationLine::created_at, ""),
                field("last_active_at", &ConversationLine::last_active_at, ""),
                field("aliases", &ConversationLine::aliases, ""));
}

struct SessionLine {
  std::string type = "session";
  std::string session_id;
  std::int64_t epoch = 0;
  std::string status, opened_reason;
  std::optional<std::string> close_reason;
  std::string created_at;
  std::optional<std::string> closed_at;
  std::string last_message_at;
  std::int64_t turn_count = 0;
  std::string context_summary;
};
inline auto shape(const SessionLine*) {
  return fields(field("type", &SessionLine::type, ""),
                field("session_id", &SessionLine::session_id, ""),
                field("epoch", &SessionLine::epoch, ""), field("status", &SessionLine::status, ""),
                field("opened_reason", &SessionLine::opened_reason, ""),
                field("close_reason", &SessionLine::close_reason, "").or_null(),
                field("created_at", &SessionLine::created_at, ""),
                field("closed_at", &SessionLine::closed_at, "").or_null(),
                field("last_message_at", &SessionLine::last_message_at, ""),
                field("turn_count", &SessionLine::turn_count, ""),
                field("context_summary", &SessionLine::context_summary, ""));
}

struct MessageLine {
  std::string type = "message";
  std::int64_t seq = 0;
  std::string session_id;
  std::optional<std::string> turn_id;
  std::string role, source;
  Content content;
  std::string created_at;
  std::optional<boost::json::value> meta = {};  // what made it, if nobody said it
};
inline auto shape(const MessageLine*) {
  return fields(
      field("type", &MessageLine::type, ""), field("seq", &MessageLine::seq, ""),
      field("session_id", &MessageLine::session_id, ""),
      field("turn_id", &MessageLine::turn_id, "").or_null(), field("role", &MessageLine::role, ""),
      field("source", &MessageLine::source, ""), field("content", &MessageLine::content, ""),
      field("created_at", &MessageLine::created_at, ""), field("meta", &MessageLine::meta, ""));
}

// The last line: an export without it is not whole. In the export of a workspace each conversation
// ends with "conversation_end", and "end" is only at the very end.
struct EndLine {
  std::string type = "end";
  std::optional<std::string> conversation_id = {};
  std::optional<std::int64_t> conversations = {};
  std::int64_t messages = 0;
};
inline auto shape(const EndLine*) {
  return fields(field("type", &EndLine::type, ""),
                field("conversation_id", &EndLine::conversation_id, ""),
                field("conversations", &EndLine::conversations, ""),
                field("messages", &EndLine::messages, ""));
}

}  // namespace rouse
