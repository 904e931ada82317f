#include "lifecycle/workflow/workflow_book.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace rouse {
namespace {

std::string without_ending(const std::string& name) { return name.substr(0, name.rfind('.')); }

}  // namespace

WorkflowState WorkflowBook::read(const WorkflowFile& file, bool shipped) {
  WorkflowState state;
  state.name = without_ending(file.name);
  state.file = "workflows/" + file.name;
  state.text = file.text;
  state.shipped = shipped;
  const auto before = std::ranges::find(states_, state.file, &WorkflowState::file);
  if (before != states_.end() && before->text == file.text && before->shipped == shipped) {
    return *before;
  }
  if (trim(file.text).empty()) {
    state.off = true;
    return state;
  }
  LoadedWorkflow loaded = load_workflow(state.file, file.text);
  state.problems = std::move(loaded.problems);
  if (loaded.workflow) {
    state.name = loaded.workflow->name;
    state.last_good = std::make_shared<const Workflow>(std::move(*loaded.workflow));
    state.loaded = clock_.wall_now();
  } else if (before != states_.end()) {
    state.name = before->name;
    state.last_good = before->last_good;
    state.loaded = before->loaded;
  }
  return state;
}

// Two files can't have the same name inside: of two, the first one's stays.
void WorkflowBook::name_only_once() {
  std::map<std::string, std::string, std::less<>> files;  // by the name inside
  for (WorkflowState& state : states_) {
    state.clash = std::nullopt;
    if (!state.in_force()) continue;
    const auto [first, is_first] = files.emplace(state.name, state.file);
    if (is_first) continue;
    state.clash = WorkflowProblem{
        state.file, 1, 1,
        fmt::format("{} is called '{}', too; this one is not in force", first->second, state.name)};
  }
}

std::vector<WorkflowProblem> WorkflowBook::use(std::vector<WorkflowFile> files) {
  if (files.empty() && !current_) return {};
  return arrange(std::move(files));
}

std::vector<WorkflowProblem> WorkflowBook::arrange(std::vector<WorkflowFile> files) {
  std::ranges::sort(files, {}, &WorkflowFile::name);
  std::vector<WorkflowProblem> problems;
  if (files.size() > kWorkflowFiles) {
    problems.push_back({"workflows", 1, 1,
                        fmt::format("there are {} files; only the first {} are read", files.size(),
                                    kWorkflowFiles)});
    files.resize(kWorkflowFiles);
  }
  std::vector<WorkflowState> now;
  for (const WorkflowFile& file : files) now.push_back(read(file, false));
  for (const WorkflowFile& own : shipped_workflows()) {
    const bool replaced =
        std::ranges::any_of(files, [&](const WorkflowFile& file) { return file.name == own.name; });
    if (!replaced) now.push_back(read(own, true));
  }
  std::ranges::sort(now, {}, &WorkflowState::file);
  states_ = std::move(now);
  name_only_once();
  auto set = std::make_shared<WorkflowSet>();
  for (const WorkflowState& state : states_) {
    problems.insert(problems.end(), state.problems.begin(), state.problems.end());
    if (state.clash) problems.push_back(*state.clash);
    if (state.in_force()) set->push_back(state.last_good);
  }
  std::ranges::stable_sort(*set, {}, [](const auto& one) { return one->priority; });
  current_ = std::move(set);
  ++version_;
  return problems;
}

}  // namespace rouse
