// POST /api/chat/session_open: a page says that somebody opened it, and the agent speaks first or
// keeps silent (proactive/session_open.h). The same names lead to the same conversations as in
// POST /api/chat.
#pragma once

#include "gateway/chat_door.h"
#include "gateway/route.h"
#include "proactive/session_open.h"
#include "session/workspaces.h"

namespace rouse {

struct SessionOpenRequest {
  std::string agent_name, session_id;
};
inline auto shape(const SessionOpenRequest*) {
  return fields(
      field("agent_name", &SessionOpenRequest::agent_name, "Who answers, in a new conversation")
          .length(1, 128),
      field("session_id", &SessionOpenRequest::session_id,
            "The conversation, by any of its names; a new name begins one if the agent "
            "speaks")
          .length(1, 200));
}

struct SessionOpenAnswer {
  std::string session_id, response;
  bool is_new_user = false, silent = true;
  std::string reason, conversation_id, turn_id;
};
inline auto shape(const SessionOpenAnswer*) {
  using A = SessionOpenAnswer;
  return fields(field("session_id", &A::session_id, "As it was asked for"),
                field("response", &A::response, "What the agent said; empty if silent"),
                field("is_new_user", &A::is_new_user, "The agent knows nothing of them yet"),
                field("silent", &A::silent, "True: there is nothing to show"),
                field("reason", &A::reason, "Why it is silent, in a word"),
                field("conversation_id", &A::conversation_id, "Empty if there is none"),
                field("turn_id", &A::turn_id, "Empty if no turn was needed"));
}

class SessionOpenRoutes {
 public:
  SessionOpenRoutes(SessionOpen& opens, ChatDoor& door, Workspaces& workspaces)
      : opens_(opens), door_(door), workspaces_(workspaces) {}
  void add_to(RouteTable& table);

 private:
  Task<Result<SessionOpenAnswer>> open(Call& call, SessionOpenRequest request);

  SessionOpen& opens_;
  ChatDoor& door_;
  Workspaces& workspaces_;
};

}  // namespace rouse
