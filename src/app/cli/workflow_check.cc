#include "app/cli/workflow_check.h"

#include <algorithm>
#include <iostream>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/cli/readable.h"
#include "app/lifecycle_side.h"
#include "base/files.h"
#include "base/text.h"
#include "lifecycle/workflow/workflow_book.h"

namespace rouse::cli {
namespace {

constexpr std::size_t kReadBytes = kWorkflowBytes + 1;  // one more, so that the loader says it

std::string read_stdin() {
  std::string out(kReadBytes, '\0');
  std::cin.read(out.data(), static_cast<std::streamsize>(out.size()));
  out.resize(static_cast<std::size_t>(std::cin.gcount()));
  return out;
}

void add_problem(CheckedWorkflows& checked, const WorkflowProblem& problem) {
  checked.ok = false;
  checked.problems.push_back({problem.file, problem.line, problem.column, problem.message});
}

void add_fine(CheckedWorkflows& checked, const std::string& file, const Workflow& workflow) {
  FineWorkflow fine{.file = file, .name = workflow.name};
  for (const auto& [trigger, steps] : workflow.triggers) {
    fine.actions += static_cast<std::int64_t>(steps.size());
    ++fine.triggers;
  }
  checked.fine.push_back(std::move(fine));
}

void check_text(CheckedWorkflows& checked, const WorkflowText& given) {
  if (trim(given.text).empty()) {
    checked.fine.push_back({.file = given.file, .name = {}, .off = true});
    return;
  }
  const LoadedWorkflow loaded = load_workflow(given.file, given.text);
  for (const WorkflowProblem& problem : loaded.problems) add_problem(checked, problem);
  if (loaded.workflow) add_fine(checked, given.file, *loaded.workflow);
}

}  // namespace

Result<WorkflowText> read_workflow_file(const std::string& path) {
  if (path == "-") return WorkflowText{"stdin", read_stdin()};
  TRY(std::string text, read_file(path, kReadBytes));
  return WorkflowText{path, std::move(text)};
}

Result<WorkflowText> named_workflow(const std::string& data_dir, const std::string& name) {
  VirtualClock clock;
  WorkflowBook book(clock);
  book.use(read_workflow_folder(data_dir).files);
  std::vector<std::string_view> known;
  for (const WorkflowState& state : book.states()) {
    if (state.name == name) return WorkflowText{state.file, state.text};
    known.push_back(state.name);
  }
  const auto near = nearest(name, known);
  return fail(Errc::kNotFound,
              fmt::format("there is no file and no workflow '{}'; {}", name,
                          near ? fmt::format("did you mean '{}'?", *near)
                               : fmt::format("workflows are {}", fmt::join(known, ", "))));
}

CheckedWorkflows check_workflow_files(const std::vector<std::string>& files) {
  CheckedWorkflows checked;
  for (const std::string& path : files) {
    const auto given = read_workflow_file(path);
    if (given) {
      check_text(checked, *given);
    } else {
      add_problem(checked, {path, 1, 1, given.error().message});
    }
  }
  return checked;
}

CheckedWorkflows check_workflow_folder(const std::string& data_dir) {
  CheckedWorkflows checked;
  WorkflowFolder folder = read_workflow_folder(data_dir);
  for (const WorkflowProblem& problem : folder.problems) add_problem(checked, problem);
  VirtualClock clock;
  WorkflowBook book(clock);
  for (const WorkflowProblem& problem : book.use(std::move(folder.files))) {
    add_problem(checked, problem);
  }
  for (const WorkflowState& state : book.states()) {
    if (state.off) checked.fine.push_back({.file = state.file, .name = state.name, .off = true});
    if (!state.shipped && state.in_force()) add_fine(checked, state.file, *state.last_good);
  }
  return checked;
}

std::string checked_text(const CheckedWorkflows& checked) {
  std::string out;
  for (const FoundProblem& one : checked.problems) {
    out += safe_text(fmt::format("{}:{}:{}: {}\n", one.file, one.line, one.column, one.message));
  }
  for (const FineWorkflow& one : checked.fine) {
    out += one.off ? fmt::format("{}: empty, so the workflow of this name is off\n",
                                 safe_text(one.file))
                   : fmt::format("{}: fine, {} {} in {} {}\n", safe_text(one.file), one.actions,
                                 one.actions == 1 ? "action" : "actions", one.triggers,
                                 one.triggers == 1 ? "trigger" : "triggers");
  }
  if (out.empty()) {
    out = "There are no files in workflows/ of the data folder; rouse's own are in force.\n";
  }
  return out;
}

}  // namespace rouse::cli
