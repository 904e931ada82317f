// Where a person's files of one name are: in the data folder for the owner, in workspaces/<id>/ for
// everybody else who has a folder there.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"

namespace rouse {

struct WorkspaceFile {
  WorkspaceId workspace;
  std::string path;  // the file may not be there
};

// The owner's first.
std::vector<WorkspaceFile> workspace_files(const std::string& data_dir, std::string_view name);

}  // namespace rouse
