#include "app/kept_workflows.h"

#include <algorithm>
#include <filesystem>

#include "base/files.h"
#include "base/text.h"

namespace rouse {
namespace {

namespace fs = std::filesystem;

const WorkflowState* state_of(WorkflowBook& book, const WorkflowFile& file) {
  const auto found =
      std::ranges::find(book.states(), "workflows/" + file.name, &WorkflowState::file);
  return found == book.states().end() ? nullptr : &*found;
}

// Nobody in this life has seen it in order.
bool is_lost(const WorkflowState* state) {
  return state != nullptr && !state->last_good && !state->problems.empty();
}
bool is_good(const WorkflowState* state) {
  return state != nullptr && state->last_good && state->problems.empty() && !state->off;
}

}  // namespace

std::vector<WorkflowFile> KeptWorkflows::read() const {
  std::vector<WorkflowFile> out;
  std::error_code failed;
  for (fs::directory_iterator at(folder_, failed), end; !failed && at != end;
       at.increment(failed)) {
    if (auto text = read_file(at->path().string(), kWorkflowBytes + 1)) {
      out.push_back({at->path().filename().string(), std::move(*text)});
    }
  }
  return out;
}

Result<void> KeptWorkflows::keep(const std::vector<WorkflowFile>& good) {
  std::vector<WorkflowFile> before = read();
  if (before.empty() && good.empty()) return {};
  TRY_VOID(make_private_dir(folder_));
  for (const WorkflowFile& file : good) {
    const auto same = std::ranges::find(before, file.name, &WorkflowFile::name);
    if (same == before.end() || same->text != file.text) {
      TRY_VOID(write_file_atomic(folder_ + "/" + file.name, file.text));
    }
    if (same != before.end()) before.erase(same);
  }
  std::error_code ignored;
  for (const WorkflowFile& gone : before) fs::remove(folder_ + "/" + gone.name, ignored);
  return {};
}

std::vector<WorkflowProblem> put_into_force(WorkflowBook& book,
                                            const std::vector<WorkflowFile>& files,
                                            KeptWorkflows& kept) {
  std::vector<WorkflowProblem> problems = book.use(files);
  const std::vector<WorkflowFile> before = kept.read();
  std::vector<WorkflowFile> good, once_good = files;
  bool some_were_lost = false;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const auto old = std::ranges::find(before, files[i].name, &WorkflowFile::name);
    const WorkflowState* state = state_of(book, files[i]);
    if (is_good(state)) {
      good.push_back(files[i]);
    } else if (old != before.end() && !trim(files[i].text).empty()) {
      good.push_back(*old);
      if (is_lost(state)) {
        once_good[i] = *old;
        some_were_lost = true;
      }
    }
  }
  if (some_were_lost) {
    (void)book.use(std::move(once_good));
    problems = book.use(files);
  }
  if (const auto done = kept.keep(good); !done) {
    problems.push_back({"last-good/workflows", 1, 1, done.error().message});
  }
  return problems;
}

}  // namespace rouse
