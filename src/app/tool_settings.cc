#include "app/tool_settings.h"

namespace rouse {

ShellSettings shell_settings(const Config& config) {
  const auto& shell = config.tools.shell;
  ShellSettings out;
  out.sandbox = shell.sandbox;
  out.network = shell.network;
  out.deadline = seconds(shell.deadline_seconds);
  return out;
}

FetchSettings fetch_settings(const Config& config) {
  return {.allow_hosts = config.tools.fetch_allow_hosts,
          .fake_ip_ranges = config.tools.fetch_fake_ip_ranges};
}

PolicySettings policy_settings(const Config& config) {
  PolicySettings out;
  out.ask_when_unattended = config.tools.ask_when_unattended;
  for (const auto& [tool, word] : config.tools.policy) {
    out.tools[tool] = word == "allow" ? ToolSetting::kAllow
                      : word == "off" ? ToolSetting::kOff
                                      : ToolSetting::kAsk;
  }
  return out;
}

}  // namespace rouse
