// The rows of approvals and of what people have allowed for longer: reads, pages, and the
// statements others put into their own writes. It decides nothing (tool_policy.h, the desk do).
//
// A permission covers one very call: a tool and what exactly it would do. For a conversation, or
// for all of its workspace; never for another workspace.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/database.h"
#include "tool/approval/approval.h"

namespace rouse {

struct PermissionTag {
  static constexpr std::string_view prefix = "perm_";
  static constexpr std::string_view noun = "permission";
};
using PermissionId = Id<PermissionTag>;

struct Permission {
  PermissionId id;
  WorkspaceId workspace;
  std::optional<ConversationId> conversation = {};  // none: in all of the workspace
  std::string tool, covers;
  ApprovalId approval;  // by which it was given
  WallTime created;
};

class ApprovalBook {
 public:
  explicit ApprovalBook(Database& database) : database_(database) {}

  static bool is_state(std::string_view word);

  static Statement insert(const Approval& approval);
  // What became of it, as in `after`; fails with kConflict if it doesn't wait any more.
  static Statement settle(const Approval& after);
  static Statement permit(const Permission& permission);  // twice is once

  Result<std::optional<Approval>> get(const ApprovalId& id);
  // Those of a conversation that wait, newest first.
  Result<std::vector<Approval>> pending_in(const ConversationId& conversation, std::size_t limit);
  Result<std::vector<Approval>> pending_of(const TurnId& turn, std::size_t limit);
  Result<std::int64_t> count_pending(const ConversationId& conversation);
  // The one that asks for the same call, if it waits already.
  Result<std::optional<Approval>> pending_for(const Approval& same);
  // The one that this very answer has decided ("whatsapp:3EB0…").
  Result<std::optional<Approval>> decided_by(const ConversationId& conversation,
                                             const std::string& by);
  // Waiting ones whose time is over, in the order it ran out, after the given one.
  Result<std::vector<Approval>> overdue(WallTime now, const std::optional<Approval>& after,
                                        std::size_t limit);
  Result<std::optional<WallTime>> next_expiry();

  struct Wanted {
    WorkspaceId workspace;
    std::optional<std::string> state = {};
    std::optional<ConversationId> conversation = {};
    std::optional<ApprovalId> before = {};
    std::size_t limit = 50;
  };
  Task<Result<std::vector<Approval>>> page(Wanted wanted);  // newest first

  Result<bool> permits(const WorkspaceId& workspace, const ConversationId& conversation,
                       const std::string& tool, const std::string& covers);
  Task<Result<std::vector<Permission>>> permissions(WorkspaceId workspace,
                                                    std::optional<PermissionId> before,
                                                    std::size_t limit);  // newest first
  Task<Result<bool>> forget(WorkspaceId workspace, PermissionId id);     // false: there is none

 private:
  Result<std::vector<Approval>> read(const Query& query);
  Result<std::optional<Approval>> first(const Query& query);

  Database& database_;
};

}  // namespace rouse
