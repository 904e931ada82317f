// The workflows in force. Each event takes the set as it is then and keeps it to its end: a file
// that is edited meanwhile applies from the next event on, never half. A file with a problem leaves
// its last good version in force.
//
// Those that ship with rouse are part of the program; a file of the same name in workflows/ takes
// the place of one, and an empty file switches it off. Without any file they are read when somebody
// first asks: a start doesn't wait for them.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "lifecycle/workflow/workflow.h"

namespace rouse {

inline constexpr std::size_t kWorkflowFiles = 50;

using WorkflowSet = std::vector<std::shared_ptr<const Workflow>>;  // lower priority number first

struct WorkflowFile {
  std::string name;  // of the file, "headless-lifecycle.yaml"
  std::string text;
};

// Of every file, for people.
struct WorkflowState {
  std::string name;  // of the workflow; of the file where it can't be read
  std::string file;  // "workflows/….yaml"
  std::string text;
  bool shipped = false;  // this text is rouse's own
  bool off = false;
  std::shared_ptr<const Workflow> last_good = {};
  std::optional<WallTime> loaded = {};  // the last good one
  std::vector<WorkflowProblem> problems = {};
  std::optional<WorkflowProblem> clash = {};  // another file has the same name in it

  [[nodiscard]] bool in_force() const { return last_good && !off && !clash; }
};

// rouse's own.
const std::vector<WorkflowFile>& shipped_workflows();

class WorkflowBook {
 public:
  explicit WorkflowBook(Clock& clock) : clock_(clock) {}

  // The files of workflows/ as they are now. Answers with what is wrong.
  std::vector<WorkflowProblem> use(std::vector<WorkflowFile> files);

  [[nodiscard]] std::shared_ptr<const WorkflowSet> current() {
    if (!current_) (void)arrange({});
    return current_;
  }
  // Another number for every set that current() has given.
  [[nodiscard]] std::size_t version() const { return version_; }
  [[nodiscard]] const std::vector<WorkflowState>& states() {
    if (!current_) (void)arrange({});
    return states_;
  }

 private:
  std::vector<WorkflowProblem> arrange(std::vector<WorkflowFile> files);
  WorkflowState read(const WorkflowFile& file, bool shipped);
  void name_only_once();

  Clock& clock_;
  std::size_t version_ = 0;
  std::vector<WorkflowState> states_;           // in the order of their files
  std::shared_ptr<const WorkflowSet> current_;  // null: nobody asked yet, and there are no files
};

}  // namespace rouse
