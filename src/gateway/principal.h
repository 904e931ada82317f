// Who is calling and what they may do.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/ids.h"

namespace rouse {

enum class Role : std::uint8_t { kUser, kAdmin };

std::string_view role_name(Role role);
std::optional<Role> parse_role(std::string_view text);

struct Principal {
  TokenId token;
  std::string name;
  Role role = Role::kUser;
  WorkspaceId workspace;

  [[nodiscard]] bool is_admin() const { return role == Role::kAdmin; }
};

// The workspace a request works on: an admin may name any, everybody else only their own (SC-2).
Result<WorkspaceId> choose_workspace(const Principal& principal,
                                     const std::optional<std::string>& wanted);

}  // namespace rouse
