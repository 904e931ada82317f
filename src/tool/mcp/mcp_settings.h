// One MCP server as the owner configured it: a program that is started and spoken to over its
// pipes, or an address. Values only; secrets are resolved by whoever reads the config.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/time.h"

namespace rouse {

struct McpServerSettings {
  std::string name;         // [a-z0-9_-]
  std::string description;  // in the owner's words, or ""

  // What is started or reached: a change of any of these needs a new connection.
  struct Place {
    std::vector<std::string> command;      // the program and its arguments; empty: url
    std::vector<std::string> environment;  // "NAME=value"; all it gets
    std::string folder;                    // where it runs; "" is "/"
    std::string url;
    std::vector<std::pair<std::string, std::string>> headers;
    friend bool operator==(const Place&, const Place&) = default;
  } place;

  Millis timeout = seconds(60);  // of one call, the start of the server included
  bool enabled = true;
  bool calls_ask = true;               // a person's yes comes before a call
  std::vector<std::string> read_only;  // tools of which the owner says that they change nothing
  std::string trouble;                 // why it can't be started: a secret that isn't there

  [[nodiscard]] bool is_program() const { return !place.command.empty(); }
  friend bool operator==(const McpServerSettings&, const McpServerSettings&) = default;
};

}  // namespace rouse
