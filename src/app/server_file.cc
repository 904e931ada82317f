#include "app/server_file.h"

#include <unistd.h>

#include "base/files.h"
#include "base/json.h"

namespace rouse {
namespace {

std::string path_of(const std::string& data_dir) { return data_dir + "/server.json"; }

}  // namespace

static auto shape(const ServerFile*) {
  return fields(field("url", &ServerFile::url, ""), field("pid", &ServerFile::pid, ""),
                field("boot_id", &ServerFile::boot_id, ""),
                field("started_at", &ServerFile::started_at, ""));
}

Result<void> write_server_file(const std::string& data_dir, const ServerFile& file) {
  return write_file_atomic(path_of(data_dir), encode_json(file) + "\n", 0600);
}

Result<ServerFile> read_server_file(const std::string& data_dir) {
  TRY(const std::string text, read_file(path_of(data_dir), 64 * 1024));
  return decode_json<ServerFile>(text);
}

void remove_server_file(const std::string& data_dir, const std::string& boot_id) {
  const auto file = read_server_file(data_dir);
  if (file && file->boot_id == boot_id) ::unlink(path_of(data_dir).c_str());
}

}  // namespace rouse
