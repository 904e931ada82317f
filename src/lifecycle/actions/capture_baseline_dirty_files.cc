#include "lifecycle/actions/all_actions.h"

namespace rouse::actions {
namespace {

constexpr std::size_t kPaths = 200;

Task<Result<void>> run(ActionCall& call) {
  const std::string& folder = call.event.turn.project_folder;
  boost::json::array paths;
  if (!folder.empty()) {
    CO_TRY(GitView * git, need(call.hands.git, "git"));
    if (git->is_repository(folder)) {
      CO_TRY(std::vector<std::string> dirty, co_await git->dirty_files(folder));
      std::ranges::sort(dirty);
      if (dirty.size() > kPaths) dirty.resize(kPaths);
      for (const std::string& path : dirty) paths.emplace_back(path);
    }
  }
  rouse::set_variable(call, "baseline_dirty_files", std::move(paths));
  co_return Result<void>{};
}

}  // namespace

ActionKind capture_baseline_dirty_files() {
  return {.name = "capture_baseline_dirty_files",
          .help =
              "Remembers in baseline_dirty_files which files of the project have uncommitted "
              "changes already, so that a session answers for its own only. Empty where the "
              "project is no git repository.",
          .arguments = {},
          .pure = false,
          .run = run};
}

}  // namespace rouse::actions
