// Whose workspace is somebody who writes over a channel? `people:` in rouse.yaml says it for those
// the owner knows; everybody else a bridge vouches for gets a workspace of their own with their
// first message (S1-03). Two senders never share one unless the owner said so (SE-10).
#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/random.h"
#include "session/session_key.h"
#include "session/workspaces.h"

namespace rouse {

class People {
 public:
  People(Database& database, Clock& clock, Random& random, Workspaces& workspaces)
      : database_(database), clock_(clock), random_(random), workspaces_(workspaces) {}

  // What rouse.yaml says now, by "channel:peer"; checked by whoever read it.
  void configure(std::map<std::string, WorkspaceId> known) { known_ = std::move(known); }

  // The file's word first, then who was given one before, else nobody.
  Result<std::optional<WorkspaceId>> find(const SessionKey& sender);
  // The same, but makes a fresh workspace for somebody new: one write, and whoever asks for the
  // same sender at the same instant gets the same answer. Fails with workspace_not_found when
  // rouse.yaml names a workspace that is not there.
  Task<Result<WorkspaceId>> ensure(SessionKey sender);

 private:
  Database& database_;
  Clock& clock_;
  Random& random_;
  Workspaces& workspaces_;
  std::map<std::string, WorkspaceId> known_;
};

}  // namespace rouse
