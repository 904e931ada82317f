#include "app/workspace_files.h"

#include <filesystem>

#include "session/workspaces.h"

namespace rouse {

std::vector<WorkspaceFile> workspace_files(const std::string& data_dir, std::string_view name) {
  std::vector<WorkspaceFile> out;
  out.push_back({Workspaces::default_id(), data_dir + "/" + std::string(name)});
  std::error_code ec;
  std::filesystem::directory_iterator entry(data_dir + "/workspaces", ec);
  for (; !ec && entry != std::filesystem::directory_iterator(); entry.increment(ec)) {
    auto workspace = WorkspaceId::parse(entry->path().filename().string());
    if (!workspace || !entry->is_directory(ec)) continue;
    out.push_back({std::move(*workspace), (entry->path() / name).string()});
  }
  return out;
}

}  // namespace rouse
