// GitView by the git that is installed. Each question is one run of the program, beside the loop,
// with a deadline and a bounded answer.
//
// The repository is somebody else's word: an agent may have written its config. So whatever lets
// git start another program is shut off: hooks, the file system monitor, pagers, prompts,
// signatures, fetching of missing objects, submodules, and the filters that the repository defines
// (asked for first, then overridden by name). Config of the machine and of the person is not read.
// A server that has a sandbox puts git in it as well (GitSettings::before): what is in there can
// read and can't write.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/blocking_pool.h"
#include "base/clock.h"
#include "lifecycle/engine/hands.h"

namespace rouse {

// Where git usually lies; "" if it isn't there.
std::string find_git();

// Puts a command in front of which it stands into a world that it can't change: everything
// read-only, no network, no capabilities.
std::vector<std::string> read_only_sandbox(const std::string& bwrap);

struct GitSettings {
  std::string program = find_git();      // "": git is not installed
  std::vector<std::string> before = {};  // what git is run by: read_only_sandbox()
  Millis deadline = seconds(5);
};

class ProgramGitView final : public GitView {
 public:
  ProgramGitView(Loop& loop, Clock& clock, BlockingPool& pool, GitSettings settings = {})
      : loop_(loop), clock_(clock), pool_(pool), settings_(std::move(settings)) {}

  [[nodiscard]] bool is_repository(const std::string& folder) const override;
  Task<Result<std::vector<std::string>>> dirty_files(std::string folder) override;
  Task<Result<std::vector<Commit>>> commits_since(std::string folder, WallTime since) override;
  Task<Result<std::string>> branch(std::string folder) override;

 private:
  struct Answer {
    std::string output;
    int exit_code = 0;
  };
  struct Known {
    bool repository = false;
    MonoTime at;
  };
  // However it ended, unless it could not be started or was too slow.
  Task<Result<Answer>> ask(std::string folder, std::vector<std::string> words,
                           std::vector<std::string> variables = {});
  // Variables of the environment that turn them off.
  Task<Result<std::vector<std::string>>> without_filters(std::string folder);

  Loop& loop_;
  Clock& clock_;
  BlockingPool& pool_;
  GitSettings settings_;
  mutable std::map<std::string, Known> known_;
};

}  // namespace rouse
