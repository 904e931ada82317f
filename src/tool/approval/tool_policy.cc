#include "tool/approval/tool_policy.h"

#include <optional>

#include <fmt/format.h>

namespace rouse {
namespace {

std::optional<ToolSetting> setting_of(const PolicySettings& settings, const std::string& tool) {
  const auto found = settings.tools.find(tool);
  return found == settings.tools.end() ? std::nullopt : std::optional(found->second);
}

// Why a person must be asked, or "" if nobody need be.
std::string_view reason_to_ask(const Tool& tool, const ToolCall& call,
                               std::optional<ToolSetting> setting) {
  if (call.tainted && tool.changes(call)) return "tainted";
  if (setting == ToolSetting::kAsk) return "setting";
  const RiskTier tier = tool.risk_of(call);
  if (tier == RiskTier::kAuto) return "";
  if (tier == RiskTier::kUserConfigurable && setting == ToolSetting::kAllow) return "";
  return "tier";
}

}  // namespace

bool is_attended(std::string_view turn_kind) {
  return turn_kind == "user" || turn_kind == "approval" || turn_kind == "session_open";
}

std::string_view why_withheld(const ToolInfo& tool, bool stranger, const PolicySettings& settings) {
  if (setting_of(settings, tool.name) == ToolSetting::kOff) return "off";
  return stranger && tool.owner_only ? "owner_only" : "";
}

PolicyRuling rule_on_call(const Tool& tool, const ToolCall& call, bool stranger, bool permitted,
                          const PolicySettings& settings) {
  using enum PolicyRuling::Kind;
  const std::string& name = tool.info().name;
  const auto setting = setting_of(settings, name);
  const std::string_view withheld = why_withheld(tool.info(), stranger, settings);
  if (withheld == "off") {
    return {kDeny, "off",
            fmt::format("{} is switched off here by tools.policy in rouse.yaml. Do without it and "
                        "say so.",
                        name)};
  }
  if (!withheld.empty()) {
    return {kDeny, "owner_only",
            fmt::format("{} is for the owner's own people; this person came in over a bridge. Do "
                        "without it and say so.",
                        name)};
  }
  if (permitted && !call.tainted) return {kAllow, "permitted"};
  const std::string_view reason = reason_to_ask(tool, call, setting);
  if (reason.empty()) {
    return {kAllow, setting == ToolSetting::kAllow ? "setting" : "auto"};
  }
  if (!is_attended(call.turn_kind) && !settings.ask_when_unattended) {
    return {kDeny, "unattended",
            fmt::format("{} needs a person's yes and nobody is there to give it in a turn of kind "
                        "{}. It did not run and nobody was asked. Do without it and say what you "
                        "would have done.",
                        name, call.turn_kind)};
  }
  return {kAsk, std::string(reason)};
}

std::string why_asked(std::string_view reason, bool tainted) {
  std::string out = reason == "setting" ? "Your settings say that this tool asks first."
                    : reason == "tier"  ? "This call needs your word before it runs."
                                        : "This call would change something.";
  if (tainted) {
    out +=
        " The agent had read words from outside (a page, a file, somebody else's message) since "
        "you last wrote, and they may have led to it.";
  }
  return out;
}

}  // namespace rouse
