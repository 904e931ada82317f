// What doctor looks at. Each check reads only; a finding that can be mended carries the function
// that does it, and nothing calls it unless the person said --fix. Nothing is ever deleted (SE-14):
// what is in the way is moved or its mode is changed.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/cli/command.h"

namespace rouse::cli {

enum class Level : std::uint8_t { kFine, kWarn, kFail };

struct Finding {
  Level level = Level::kFine;
  std::string what;   // "the data folder /x can be read by others (mode 755)"
  std::string to_do;  // "chmod 700 /x"; empty when all is well
  std::function<Result<std::string>()> fix;  // mends it and says what it did; empty: nobody can
};

struct Patient {
  std::string data_dir;
  ServerOption server;
};

std::vector<Finding> check_data_folder(const Patient& patient);
std::vector<Finding> check_private_files(const Patient& patient);
std::vector<Finding> check_token(const Patient& patient);
std::vector<Finding> check_settings(const Patient& patient);
std::vector<Finding> check_models(const Patient& patient);
std::vector<Finding> check_server(const Patient& patient);
std::vector<Finding> check_disk(const Patient& patient);
std::vector<Finding> check_store(const Patient& patient);
std::vector<Finding> check_shell_sandbox(const Patient& patient);
std::vector<Finding> check_mcp_servers(const Patient& patient);
std::vector<Finding> check_web_app(const Patient& patient);
std::vector<Finding> check_tls(const Patient& patient);

}  // namespace rouse::cli
