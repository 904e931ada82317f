#include "tool/tool.h"

#include <algorithm>
#include <array>
#include <vector>

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"

namespace rouse {
namespace {

constexpr std::size_t kSummaryBytes = 200;

// Members in the order of their names, at every level: the same arguments always look the same.
boost::json::value sorted(const boost::json::value& value) {
  if (value.is_array()) {
    boost::json::array out;
    for (const auto& item : value.get_array()) out.push_back(sorted(item));
    return out;
  }
  if (!value.is_object()) return value;
  std::vector<std::string_view> names;
  for (const auto& member : value.get_object()) names.push_back(member.key());
  std::ranges::sort(names);
  boost::json::object out;
  for (const std::string_view name : names) out[name] = sorted(value.get_object().at(name));
  return out;
}

}  // namespace

std::string canonical_arguments(const std::string& arguments) {
  const auto parsed = parse_json(arguments);
  return parsed ? boost::json::serialize(sorted(*parsed)) : arguments;
}

RiskTier Tool::risk_of(const ToolCall& call) const { return info().risk; }

ApprovalAsk Tool::ask_for(const ToolCall& call) const {
  std::string all = canonical_arguments(call.arguments);
  std::string shown(utf8_prefix(all, kSummaryBytes));
  return {
      .summary = fmt::format("{} {}{}", info().name, shown, shown.size() < all.size() ? "…" : ""),
      .covers = std::move(all)};
}

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
