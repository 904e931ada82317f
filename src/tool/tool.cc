#include "tool/tool.h"

#include <array>

namespace rouse {

std::string_view tool_class_name(ToolClass tool_class) {
  constexpr std::array<std::string_view, 7> kNames{"read", "edit", "shell",  "ask",
                                                   "plan", "task", "network"};
  return kNames.at(static_cast<std::size_t>(tool_class));
}

std::string_view risk_tier_name(RiskTier tier) {
  constexpr std::array<std::string_view, 3> kNames{"auto", "user_configurable",
                                                   "requires_approval"};
  return kNames.at(static_cast<std::size_t>(tier));
}

}  // namespace rouse
