// The event that tells open pages how a conversation is called and set up now.
#pragma once

#include <optional>
#include <string>

#include "base/json.h"
#include "session/conversation.h"
#include "session/event_log.h"

namespace rouse {

struct ConversationChangedBody {
  std::string title;
  std::optional<std::string> project, agent, model;
  bool pinned = false;
  std::int64_t seen_seq = 0;
};
inline auto shape(const ConversationChangedBody*) {
  using B = ConversationChangedBody;
  return fields(field("title", &B::title, ""), field("project", &B::project, "").or_null(),
                field("agent", &B::agent, "").or_null(), field("model", &B::model, "").or_null(),
                field("pinned", &B::pinned, ""), field("seen_seq", &B::seen_seq, ""));
}

inline Event conversation_changed(const Conversation& c, WallTime now) {
  return {.workspace = c.workspace,
          .type = "conversation_changed",
          .conversation = c.id.str(),
          .body = encode_json(ConversationChangedBody{c.title, c.project, c.agent, c.model,
                                                      c.pinned.has_value(), c.seen_seq}),
          .created = now};
}

}  // namespace rouse
