// The last good text of each workflow file, kept in the data folder: a file that is broken when the
// server starts leaves its last good version in force, as it does while it runs.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "lifecycle/workflow/workflow_book.h"

namespace rouse {

class KeptWorkflows {
 public:
  explicit KeptWorkflows(std::string folder) : folder_(std::move(folder)) {}

  [[nodiscard]] std::vector<WorkflowFile> read() const;
  // Exactly these from now on.
  Result<void> keep(const std::vector<WorkflowFile>& good);

 private:
  std::string folder_;
};

// The files, put into force: each that is broken with its last good version, this start's or an
// earlier one's. Answers with what is wrong.
std::vector<WorkflowProblem> put_into_force(WorkflowBook& book,
                                            const std::vector<WorkflowFile>& files,
                                            KeptWorkflows& kept);

}  // namespace rouse
