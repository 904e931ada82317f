// The section `mcp_servers` of the config: how an entry looks, what is wrong with one, and what the
// servers need in hand to be started. As strict as the models' section: a misspelt key would start
// something else than was meant, and a secret that somebody wrote right into the file must not be
// carried around (SC-10).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <boost/json/value.hpp>

#include "app/config.h"
#include "base/json.h"
#include "tool/mcp/mcp_settings.h"

namespace rouse {

inline auto shape(const Config::McpEntry*) {
  using Entry = Config::McpEntry;
  return fields(
      field("command", &Entry::command, ""), field("args", &Entry::args, ""),
      field("env", &Entry::env, ""), field("cwd", &Entry::cwd, ""), field("url", &Entry::url, ""),
      field("headers", &Entry::headers, ""), field("description", &Entry::description, ""),
      field("timeout_seconds", &Entry::timeout_seconds, ""), field("enabled", &Entry::enabled, ""),
      field("approve", &Entry::approve, ""), field("read_only", &Entry::read_only, ""));
}

// The first thing that is wrong; no value of env or headers is ever quoted.
std::optional<SettingFault> inspect_mcp_servers(const boost::json::value& section);

// The section as it stands in the file.
boost::json::value to_value(const std::map<std::string, Config::McpEntry>& servers);

struct McpSetup {
  std::vector<McpServerSettings> servers;  // in the order of their names
  std::vector<std::string> secrets;        // for Redactor::set_secrets()
  std::vector<std::string> files;          // a change of one should lead to a reload
  std::vector<std::string> notices;        // which can't be started and why, for people
  friend bool operator==(const McpSetup&, const McpSetup&) = default;
};
// A server whose secret can't be read is there, with its trouble.
McpSetup mcp_setup(const Config& config, const std::map<std::string, std::string>& environment);

}  // namespace rouse
