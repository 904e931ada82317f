#include "app/tool_settings.h"

#include <gtest/gtest.h>

namespace rouse {
namespace {

ConfigLoad load(const std::string& yaml) {
  ConfigSources sources;
  sources.yaml = yaml;
  return load_config(sources);
}

TEST(ToolSettings, AreSafeWithoutASettingOfTheirOwn) {
  const Config config;
  EXPECT_TRUE(shell_settings(config).sandbox);
  EXPECT_FALSE(shell_settings(config).network);
  EXPECT_EQ(shell_settings(config).deadline, seconds(60));
  EXPECT_TRUE(fetch_settings(config).allow_hosts.empty());
  EXPECT_FALSE(policy_settings(config).ask_when_unattended);
}

TEST(ToolSettings, AreReadAsTheyAreWritten) {
  const ConfigLoad read = load(
      "tools:\n  shell: {sandbox: off, network: true, deadline_seconds: 30}\n"
      "  fetch: {allow_hosts: [docs.example.com, \"127.0.0.1:8080\", \"[::1]:81\"]}\n"
      "  policy: {shell: off, write_file: allow, http_fetch: ask}\n"
      "  unattended: ask\n  approval_expires_minutes: 5\n");
  ASSERT_TRUE(read.ok()) << read.error_text();
  EXPECT_TRUE(read.warnings.empty());
  const ShellSettings shell = shell_settings(read.config);
  EXPECT_FALSE(shell.sandbox);
  EXPECT_TRUE(shell.network);
  EXPECT_EQ(shell.deadline, seconds(30));
  EXPECT_EQ(fetch_settings(read.config).allow_hosts.size(), 3U);
  const PolicySettings policy = policy_settings(read.config);
  EXPECT_TRUE(policy.ask_when_unattended);
  EXPECT_EQ(policy.tools.at("shell"), ToolSetting::kOff);
  EXPECT_EQ(policy.tools.at("write_file"), ToolSetting::kAllow);
  EXPECT_EQ(policy.tools.at("http_fetch"), ToolSetting::kAsk);
  EXPECT_EQ(read.config.tools.approval_expires_minutes, 5);
}

TEST(ToolSettings, AMistakeIsNamedWithItsLine) {
  const ConfigLoad policy = load("tools:\n  policy:\n    shell: never\n");
  ASSERT_EQ(policy.errors.size(), 1U);
  EXPECT_EQ(policy.errors[0].line, 3);
  EXPECT_EQ(policy.errors[0].message, "tools.policy.shell must be allow, ask or off");
  EXPECT_FALSE(load("tools: {shell: {sandbox: maybe}}").ok());
  for (const char* host : {"\"*\"", "http://a.example/", "a.example/path", "\"a b\"", "\"::1\""}) {
    EXPECT_FALSE(load(std::string("tools: {fetch: {allow_hosts: [") + host + "]}}").ok()) << host;
  }
}

}  // namespace
}  // namespace rouse
