// Whose things a request is about: the caller's own, or for an admin whatever ?workspace_id= names.
#pragma once

#include "gateway/route.h"
#include "session/workspaces.h"

namespace rouse {

inline Result<WorkspaceId> asked_workspace(const Call& call, Workspaces& workspaces) {
  const auto named = call.query("workspace_id");
  TRY(auto id, choose_workspace(call.principal, named));
  if (named) TRY_VOID(workspaces.get(id));
  return id;
}

inline QueryParameter workspace_parameter() {
  return {"workspace_id", "Whose; admins only, else your own"};
}

}  // namespace rouse
