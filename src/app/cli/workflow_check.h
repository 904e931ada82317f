// Workflow files as a person has them: read from where they are, found by name, and checked exactly
// as the server would load them.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace rouse::cli {

struct WorkflowText {
  std::string file, text;
};
// "-" is standard input.
Result<WorkflowText> read_workflow_file(const std::string& path);
// A workflow of the data folder, or one of rouse's own, by the name in it or that of its file.
Result<WorkflowText> named_workflow(const std::string& data_dir, const std::string& name);

struct FoundProblem {
  std::string file;
  std::int64_t line = 1, column = 1;
  std::string message;
};
inline auto shape(const FoundProblem*) {
  return fields(field("file", &FoundProblem::file, "Which"),
                field("line", &FoundProblem::line, "Where, from 1"),
                field("column", &FoundProblem::column, "Where in the line, from 1"),
                field("message", &FoundProblem::message, "What is wrong"));
}

struct FineWorkflow {
  std::string file, name;
  std::int64_t actions = 0, triggers = 0;
  bool off = false;
};
inline auto shape(const FineWorkflow*) {
  return fields(field("file", &FineWorkflow::file, "Which"),
                field("name", &FineWorkflow::name, "The name in it"),
                field("actions", &FineWorkflow::actions, "How many"),
                field("triggers", &FineWorkflow::triggers, "In how many"),
                field("off", &FineWorkflow::off, "It is empty: it switches its name off"));
}

struct CheckedWorkflows {
  bool ok = true;
  std::vector<FoundProblem> problems;
  std::vector<FineWorkflow> fine;
};
inline auto shape(const CheckedWorkflows*) {
  return fields(field("ok", &CheckedWorkflows::ok, "Whether there is no problem"),
                field("problems", &CheckedWorkflows::problems, "What is wrong"),
                field("fine", &CheckedWorkflows::fine, "What is good"));
}

CheckedWorkflows check_workflow_files(const std::vector<std::string>& files);
// All of workflows/, also for what they are together: no two with the same name.
CheckedWorkflows check_workflow_folder(const std::string& data_dir);
std::string checked_text(const CheckedWorkflows& checked);

}  // namespace rouse::cli
