// `rouse serve`: the server from its first line to its exit code.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace rouse {

struct ServeOptions {
  std::string data_dir;
  std::vector<std::string> listen;  // --listen, above all other layers
  std::optional<std::string> config_file;
};

// Runs until SIGTERM or SIGINT. 0 after a graceful stop, 1 when it could not start.
int run_server(const ServeOptions& options);

}  // namespace rouse
