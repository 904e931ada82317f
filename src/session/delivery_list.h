// What became of the replies of a workspace, for people and pages: newest first, all or those in
// one state (DL-3). And what is not over yet, for whoever starts to send.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "session/outbox.h"

namespace rouse {

class DeliveryList {
 public:
  explicit DeliveryList(Database& database) : database_(database) {}

  static bool is_state(std::string_view word);

  // Of one state, or of all; older than the given one.
  Task<Result<std::vector<Delivery>>> page(WorkspaceId workspace, std::optional<std::string> state,
                                           std::optional<OutboxId> before, std::size_t limit);
  // Pending or being sent, oldest first, of all workspaces.
  Result<std::vector<Delivery>> unfinished(std::size_t limit);

 private:
  Database& database_;
};

}  // namespace rouse
