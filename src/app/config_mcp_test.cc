#include "app/config_mcp.h"

#include <algorithm>
#include <sys/stat.h>

#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

#include "app/config_keeper.h"
#include "base/files.h"
#include "base/temp_dir_for_tests.h"

namespace rouse {
namespace {

ConfigLoad load(const std::string& servers) {
  ConfigSources sources;
  sources.yaml = "mcp_servers:\n  " + servers + "\n";
  return load_config(sources);
}
std::string error_of(const std::string& servers) {
  const ConfigLoad loaded = load(servers);
  return loaded.errors.empty() ? "" : loaded.errors.front().message;
}
bool has(const std::vector<std::string>& list, std::string_view text) {
  return std::ranges::find(list, text) != list.end();
}

TEST(ConfigMcp, WhatIsWrongIsSaidForPeople) {
  EXPECT_EQ(error_of("a: {}"), "mcp_servers.a needs a command, like [npx, -y, name], or a url");
  EXPECT_EQ(error_of("a: {command: x, url: \"http://x\"}"),
            "mcp_servers.a has both command and url; keep one");
  EXPECT_EQ(error_of("a: {comand: x}"),
            "mcp_servers.a.comand is not known; did you mean 'command'?");
  EXPECT_EQ(error_of("a: {command: x, aprove: auto}"),
            "mcp_servers.a.aprove is not known; did you mean 'approve'?");
  EXPECT_EQ(error_of("a: {command: x, approve: yes}"), "mcp_servers.a.approve must be auto or ask");
  EXPECT_EQ(error_of("a: {command: x, headers: {X: y}}"),
            "mcp_servers.a.headers goes with url, not with command");
  EXPECT_EQ(error_of("a: {url: \"http://x\", cwd: /tmp}"),
            "mcp_servers.a.cwd goes with command, not with url");
  EXPECT_TRUE(error_of("a: {url: \"ftp://x\"}").starts_with("mcp_servers.a.url must"));
  EXPECT_TRUE(error_of("a: {command: []}").starts_with("mcp_servers.a.command must"));
  EXPECT_TRUE(error_of("a: {command: [x, 1.5]}").starts_with("mcp_servers.a.command must"));
  EXPECT_TRUE(error_of("a: {command: x, cwd: here}").contains("a path from / on"));
  EXPECT_TRUE(error_of("a: {command: x, timeout_seconds: 111}").contains("from 1 to 110"));
  EXPECT_TRUE(error_of("a: {command: x, enabled: maybe}").contains("true or false"));
  EXPECT_TRUE(error_of("a: {command: x, env: {\"a b\": c}}").contains("env.a b must be the name"));
  EXPECT_TRUE(error_of("a: {url: \"http://x\", headers: {Host: y}}").contains("set by rouse"));
  EXPECT_TRUE(
      error_of("a: {command: x, env: {A: {env: B, file: /c}}}").contains("{env: VARIABLE}"));
  EXPECT_TRUE(error_of("A: {command: x}").contains("must have a name"));
  EXPECT_TRUE(error_of("a: npx").contains("must be a section"));
}

TEST(ConfigMcp, TheLineOfTheMistakeIsNamed) {
  const ConfigLoad loaded = load("a:\n    command: x\n    timeout_seconds: 0");
  ASSERT_EQ(loaded.errors.size(), 1u);
  EXPECT_EQ(loaded.errors[0].line, 4);
}

// SC-10
TEST(ConfigMcp, ASecretInTheFileIsRefusedAndNotQuoted) {
  for (const char* servers : {"a: {command: x, env: {GITHUB_TOKEN: ghp_hidden123}}",
                              "a: {command: x, env: {OPENAI_API_KEY: ghp_hidden123}}",
                              "a: {url: \"http://x\", headers: {Authorization: ghp_hidden123}}"}) {
    const std::string error = error_of(servers);
    EXPECT_TRUE(error.contains("sounds like a secret")) << error;
    EXPECT_FALSE(error.contains("ghp_hidden123"));
  }
}

TEST(ConfigMcp, BecomesWhatIsStarted) {
  const ConfigLoad loaded = load(
      "files: {command: npx, args: [-y, name, 3000], env: {PORT: 8080, FLAG: true, PATH: /opt}, "
      "cwd: /srv, timeout_seconds: 5, read_only: [look], description: Mine}\n"
      "  far: {url: \"https://x/mcp?key=passw0rd-long\", headers: {Authorization: {env: T, prefix: "
      "\"Bearer \"}}, approve: auto}\n"
      "  off: {command: [x, \"postgres://u:passw0rd-two@h/db\"], enabled: false}");
  ASSERT_TRUE(loaded.ok()) << loaded.error_text();
  const McpSetup setup =
      mcp_setup(loaded.config, {{"HOME", "/home/me"}, {"T", "token-1234"}, {"OTHER", "x"}});
  ASSERT_EQ(setup.servers.size(), 3u);
  const McpServerSettings& far = setup.servers[0];
  EXPECT_EQ(far.name, "far");
  EXPECT_FALSE(far.is_program());
  EXPECT_FALSE(far.calls_ask);
  ASSERT_EQ(far.place.headers.size(), 1u);
  EXPECT_EQ(far.place.headers[0].second, "Bearer token-1234");
  const McpServerSettings& files = setup.servers[1];
  EXPECT_EQ(files.place.command, (std::vector<std::string>{"npx", "-y", "name", "3000"}));
  EXPECT_EQ(files.place.environment,
            (std::vector<std::string>{"FLAG=true", "HOME=/home/me", "PATH=/opt", "PORT=8080"}));
  EXPECT_EQ(files.place.folder, "/srv");
  EXPECT_EQ(files.timeout, seconds(5));
  EXPECT_TRUE(files.calls_ask);
  EXPECT_EQ(files.read_only, std::vector<std::string>{"look"});
  EXPECT_FALSE(setup.servers[2].enabled);
  for (const char* secret : {"token-1234", "passw0rd-long", "passw0rd-two"}) {
    EXPECT_TRUE(has(setup.secrets, secret)) << secret;
  }
  EXPECT_TRUE(setup.notices.empty());
}

TEST(ConfigMcp, AMissingSecretKeepsItsServerFromStartingAndNoOther) {
  const ConfigLoad loaded =
      load("a: {command: x, env: {API_KEY: {env: NOT_SET}}}\n  b: {command: x}");
  ASSERT_TRUE(loaded.ok()) << loaded.error_text();
  const McpSetup setup = mcp_setup(loaded.config, {});
  EXPECT_EQ(setup.servers[0].trouble, "the environment variable NOT_SET is not set");
  EXPECT_EQ(setup.servers[1].trouble, "");
  ASSERT_EQ(setup.notices.size(), 1u);
  EXPECT_EQ(setup.notices[0],
            "the MCP server a can't be started: the environment variable NOT_SET is not set");
}

TEST(ConfigMcp, TheSectionComesBackAsItStoodAndIsShownToNobody) {
  const ConfigLoad loaded = load("a: {command: [x, y], env: {A: {file: /k}}, enabled: true}");
  ASSERT_TRUE(loaded.ok());
  const SettingRow* row = find_setting("mcp_servers");
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(boost::json::serialize(row->get(loaded.config)),
            R"({"a":{"command":["x","y"],"env":{"A":{"file":"/k"}},"enabled":true}})");
  EXPECT_EQ(shown_value(*row, row->get(loaded.config)), "(hidden)");
}

TEST(ConfigMcp, AFileWithASecretIsWatchedAndItsValueKept) {
  TempDir dir;
  const std::string key = dir / "key";
  ASSERT_TRUE(write_file_atomic(key, "very-secret-value\n", 0600));
  ASSERT_TRUE(write_file_atomic(
      dir / "rouse.yaml", "mcp_servers: {a: {command: x, env: {K_TOKEN: {file: " + key + "}}}}\n"));
  ConfigPlace place;
  place.data_dir = dir / "";
  place.config_file = dir / "rouse.yaml";
  const auto keeper = ConfigKeeper::open(place);
  ASSERT_TRUE(keeper) << keeper.error().message;
  EXPECT_TRUE(has((*keeper)->watched_files(), key));
  EXPECT_TRUE(has((*keeper)->secret_values(), "very-secret-value"));
  ASSERT_TRUE(write_file_atomic(key, "another-secret\n", 0600));
  const auto what = (*keeper)->reload();
  EXPECT_TRUE(what.secrets_changed);
  EXPECT_TRUE(has((*keeper)->secrets().mcp.servers[0].place.environment, "K_TOKEN=another-secret"));
}

}  // namespace
}  // namespace rouse
