#include "lifecycle/git/program_git_view.h"

#include <array>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "base/files.h"
#include "base/text.h"
#include "lifecycle/git/git_output.h"
#include "tool/shell/child_process.h"

namespace rouse {
namespace {

constexpr std::size_t kOutputBytes = 512 * 1024;
constexpr Millis kRemembered = seconds(5);
constexpr std::size_t kFoldersKnown = 256;
constexpr int kNothingFound = 1;  // git's exit code for a question without an answer

constexpr std::array<std::string_view, 4> kPlaces{"/usr/bin/git", "/usr/local/bin/git", "/bin/git",
                                                  "/run/current-system/sw/bin/git"};

constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kNoFilter{
    {{"clean", ""}, {"smudge", ""}, {"process", ""}, {"required", "false"}}};

const std::vector<std::string>& environment() {
  static const std::vector<std::string> all{
      "PATH=/usr/bin:/bin:/usr/local/bin",
      "HOME=/nonexistent",
      "LC_ALL=C",
      "GIT_TERMINAL_PROMPT=0",
      "GIT_ASKPASS=/bin/false",
      "GIT_OPTIONAL_LOCKS=0",
      "GIT_CONFIG_NOSYSTEM=1",
      "GIT_CONFIG_GLOBAL=/dev/null",
      "GIT_PAGER=cat",
      "GIT_ALLOW_PROTOCOL=none",
      "GIT_NO_LAZY_FETCH=1",
      "GIT_NO_REPLACE_OBJECTS=1",
  };
  return all;
}

const std::vector<std::string>& harmless() {
  static const std::vector<std::string> all{
      "--no-pager",
      "-c",
      "core.fsmonitor=false",
      "-c",
      "core.hooksPath=/dev/null",
      "-c",
      "log.showSignature=false",
      "-c",
      "submodule.recurse=false",
      "-c",
      "protocol.allow=never",
  };
  return all;
}

Task<void> pull_later(Clock& clock, Millis deadline, std::shared_ptr<KillSwitch> kill,
                      std::stop_token stop) {
  if (co_await clock.wait_for(deadline, std::move(stop))) kill->pull();
}

bool has_git_above(const std::string& folder) {
  if (folder.empty() || folder.front() != '/') return false;
  std::filesystem::path at = std::filesystem::path(folder).lexically_normal();
  while (true) {
    if (path_exists((at / ".git").string())) return true;
    if (at == at.parent_path()) return false;
    at = at.parent_path();
  }
}

// KeptOutput leaves out the middle; what stands before it is whole up to its last entry.
std::string_view uncut(std::string_view output) {
  return output.size() <= kOutputBytes ? output : output.substr(0, kOutputBytes / 2 - 8);
}

Error said_no(const std::string& folder, const std::string& output) {
  const std::string why = complaint_of(output);
  if (why.contains("dubious ownership")) {
    return Error(Errc::kForbidden,
                 fmt::format("git does not look into {}: it belongs to another user than the one "
                             "rouse runs as; give it to that user (chown -R)",
                             folder));
  }
  if (why.contains("not a git repository")) {
    return Error(Errc::kNotFound, fmt::format("{} is no git repository", folder));
  }
  return Error(Errc::kUnavailable, fmt::format("git could not look into {}: {}", folder,
                                               why.empty() ? "it did not say why" : why));
}

}  // namespace

std::string find_git() {
  for (const std::string_view place : kPlaces) {
    if (path_exists(std::string(place))) return std::string(place);
  }
  return {};
}

std::vector<std::string> read_only_sandbox(const std::string& bwrap) {
  return {bwrap,
          "--ro-bind",
          "/",
          "/",
          "--dev",
          "/dev",
          "--proc",
          "/proc",
          "--unshare-all",
          "--new-session",
          "--die-with-parent",
          "--cap-drop",
          "ALL"};
}

bool ProgramGitView::is_repository(const std::string& folder) const {
  const MonoTime now = clock_.mono_now();
  const auto known = known_.find(folder);
  if (known != known_.end() && now - known->second.at < kRemembered) {
    return known->second.repository;
  }
  if (known_.size() >= kFoldersKnown) known_.clear();
  const bool found = has_git_above(folder);
  known_.insert_or_assign(folder, Known{found, now});
  return found;
}

Task<Result<ProgramGitView::Answer>> ProgramGitView::ask(std::string folder,
                                                         std::vector<std::string> words,
                                                         std::vector<std::string> variables) {
  if (settings_.program.empty()) {
    co_return fail(Errc::kUnavailable,
                   "git is not installed here; install it to use what depends on it");
  }
  ChildSpec spec{.command = settings_.before,
                 .environment = environment(),
                 .folder = folder,
                 .limits = {.cpu_seconds = 30}};
  spec.environment.insert(spec.environment.end(), variables.begin(), variables.end());
  spec.command.push_back(settings_.program);
  spec.command.insert(spec.command.end(), harmless().begin(), harmless().end());
  spec.command.insert(spec.command.end(), words.begin(), words.end());
  const auto kill = std::make_shared<KillSwitch>();
  std::stop_source timer;
  loop_.spawn("git deadline", pull_later(clock_, settings_.deadline, kill, timer.get_token()));
  auto end = co_await pool_.run<ChildEnd>(
      [spec = std::move(spec), kill] { return run_child(spec, *kill, kOutputBytes); });
  timer.request_stop();
  if (!end) co_return std::unexpected(std::move(end).error());
  if (end->killed) {
    co_return fail(Errc::kTimeout, fmt::format("git did not answer for {} within {}", folder,
                                               to_words(settings_.deadline)));
  }
  if (end->signal != 0) {
    co_return fail(Errc::kUnavailable,
                   fmt::format("git was ended by signal {} in {}", end->signal, folder));
  }
  co_return Answer{std::move(end->output), end->exit_code};
}

// `git status` reads files through the filters of the repository, and those are programs.
Task<Result<std::vector<std::string>>> ProgramGitView::without_filters(std::string folder) {
  CO_TRY(const Answer answer, co_await ask(folder, {"config", "--includes", "--null", "--name-only",
                                                    "--get-regexp", R"(^filter\.)"}));
  if (answer.exit_code != 0 && answer.exit_code != kNothingFound) {
    co_return fail(said_no(folder, answer.output));
  }
  const auto filters = filters_of_config(answer.output);
  if (!filters) {
    co_return fail(Errc::kUnavailable,
                   fmt::format("the filters that {} defines for git can't be understood", folder));
  }
  // By variables and not by -c: a name may have a '=' in it.
  std::vector<std::string> out;
  std::size_t count = 0;
  for (const std::string& name : *filters) {
    for (const auto& [key, value] : kNoFilter) {
      out.push_back(fmt::format("GIT_CONFIG_KEY_{}=filter.{}.{}", count, name, key));
      out.push_back(fmt::format("GIT_CONFIG_VALUE_{}={}", count++, value));
    }
  }
  out.push_back(fmt::format("GIT_CONFIG_COUNT={}", count));
  co_return out;
}

Task<Result<std::vector<std::string>>> ProgramGitView::dirty_files(std::string folder) {
  CO_TRY(std::vector<std::string> variables, co_await without_filters(folder));
  CO_TRY(const Answer answer,
         co_await ask(folder,
                      {"status", "--porcelain=v1", "-z", "--untracked-files=normal",
                       "--ignore-submodules=all", "--", "."},
                      std::move(variables)));
  if (answer.exit_code != 0) co_return fail(said_no(folder, answer.output));
  co_return paths_of_status(uncut(answer.output));
}

// With its zone the time is exact; without one git guesses, and reads a small number as "now".
Task<Result<std::vector<GitView::Commit>>> ProgramGitView::commits_since(std::string folder,
                                                                         WallTime since) {
  CO_TRY(const Answer answer,
         co_await ask(folder,
                      {"log", fmt::format("--since=@{} +0000", since.unix_ms / 1000),
                       "--format=%H%x00%s", "--no-mailmap", "-n", std::to_string(kGitCommits)}));
  if (answer.exit_code != 0 && answer.output.contains("does not have any commits yet")) {
    co_return std::vector<Commit>{};
  }
  if (answer.exit_code != 0) co_return fail(said_no(folder, answer.output));
  co_return commits_of_log(uncut(answer.output));
}

Task<Result<std::string>> ProgramGitView::branch(std::string folder) {
  CO_TRY(const Answer answer, co_await ask(folder, {"symbolic-ref", "--short", "-q", "HEAD"}));
  if (answer.exit_code == kNothingFound) co_return std::string("(no branch)");
  if (answer.exit_code != 0) co_return fail(said_no(folder, answer.output));
  const std::string_view name = trim(answer.output);
  co_return is_utf8(name) ? std::string(utf8_prefix(name, 200)) : std::string("(not in UTF-8)");
}

}  // namespace rouse
