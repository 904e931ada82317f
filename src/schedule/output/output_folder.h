// Where the output of isolated automations is kept as files: <data>/outputs for the owner's
// workspace, <data>/workspaces/<id>/outputs for the others, or the folder of a project. A name
// leads nowhere else: no "..", no link is followed, rouse's own data is out of reach
// (work_folder.h). A file is there whole or as it was before, readable for its owner only; writing
// it again changes nothing.
#pragma once

#include <string>

#include "base/blocking_pool.h"
#include "base/ids.h"

namespace rouse {

struct OutputFile {
  WorkspaceId workspace;
  std::string project_folder = {};  // "": the outputs folder. Of the owner's workspace only
  std::string name;                 // "reports/today.md"
  std::string text;
};

// Blocks.
Result<void> write_output(const std::string& data_dir, const OutputFile& file);

class OutputFolder {
 public:
  OutputFolder(std::string data_dir, BlockingPool& pool)
      : data_dir_(std::move(data_dir)), pool_(pool) {}
  Task<Result<void>> write(OutputFile file);

 private:
  std::string data_dir_;
  BlockingPool& pool_;
};

}  // namespace rouse
