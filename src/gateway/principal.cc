#include "gateway/principal.h"

namespace rouse {

std::string_view role_name(Role role) { return role == Role::kAdmin ? "admin" : "user"; }

std::optional<Role> parse_role(std::string_view text) {
  if (text == "admin") return Role::kAdmin;
  if (text == "user") return Role::kUser;
  return std::nullopt;
}

Result<WorkspaceId> choose_workspace(const Principal& principal,
                                     const std::optional<std::string>& wanted) {
  if (!wanted) return principal.workspace;
  TRY(auto id, WorkspaceId::parse(*wanted));
  if (id != principal.workspace && !principal.is_admin()) {
    return fail(Errc::kForbidden, fmt::format("this token belongs to {}, not to {}",
                                              principal.workspace.str(), id.str()));
  }
  return id;
}

}  // namespace rouse
