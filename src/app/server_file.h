// <data>/server.json: where the running server can be reached, for the commands of the same
// machine.
#pragma once

#include <string>
#include <sys/types.h>

#include "base/result.h"

namespace rouse {

struct ServerFile {
  std::string url;
  pid_t pid = 0;
  std::string boot_id, started_at;
};

Result<void> write_server_file(const std::string& data_dir, const ServerFile& file);
Result<ServerFile> read_server_file(const std::string& data_dir);  // kNotFound: not running
// Only if it is still the file of this boot: another server may have taken the folder's name.
void remove_server_file(const std::string& data_dir, const std::string& boot_id);

}  // namespace rouse
