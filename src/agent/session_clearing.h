// The end of a session by /clear: it is closed at once with a plain summary of what was said, so
// that whoever writes next starts fresh however slow a model is; a model's better words follow.
#pragma once

#include <optional>

#include "agent/running_turn.h"

namespace rouse {

// What was said in a session, as far back as a summary of its end looks (the last 100 turns).
Result<SummaryInput> said_in(SessionKernel& kernel, const Session& session);

class SessionClearing {
 public:
  explicit SessionClearing(const TurnParts& parts) : parts_(parts) {}

  // None: somebody else had closed it.
  Task<Result<std::optional<SessionId>>> close(Session session);

 private:
  Task<Result<bool>> close_now(Session session, SummaryInput said);
  Task<void> improve(SessionId session, SummaryInput said);

  const TurnParts& parts_;
};

}  // namespace rouse
