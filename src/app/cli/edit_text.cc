#include "app/cli/edit_text.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/files.h"

namespace rouse::cli {
namespace {

constexpr std::size_t kEditedBytes = 1024 * 1024;

std::string from_environment(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): one thread
  return value == nullptr ? "" : value;
}

// Where nobody chose one, what the machine has.
std::string editor() {
  for (const char* name : {"VISUAL", "EDITOR"}) {
    if (std::string chosen = from_environment(name); !chosen.empty()) return chosen;
  }
  for (const char* path : {"/usr/bin/editor", "/usr/bin/nano", "/usr/bin/vi"}) {
    if (::access(path, X_OK) == 0) return path;
  }
  return "";
}

// By way of the shell, because an editor may come with options: "code --wait".
Result<void> run_editor(const std::string& command, const std::string& path) {
  std::string shell = "sh", option = "-c", line = command + " \"$@\"", name = command, file = path;
  char* const arguments[] = {shell.data(), option.data(), line.data(),
                             name.data(),  file.data(),   nullptr};
  pid_t child = 0;
  const int failed = ::posix_spawn(&child, "/bin/sh", nullptr, nullptr, arguments, environ);
  if (failed != 0) return fail(Errc::kIo, fmt::format("cannot run {}", command));
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return fail(Errc::kIo, fmt::format("lost sight of {}", command));
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  return fail(Errc::kIo, fmt::format("'{}' ended with an error; nothing was changed", command));
}

}  // namespace

Result<TextCopy> TextCopy::make(std::string_view text, std::string_view suffix) {
  std::string folder = from_environment("TMPDIR");
  if (folder.empty()) folder = "/tmp";
  std::string path = fmt::format("{}/rouse-XXXXXX{}", folder, suffix);
  const int file = ::mkstemps(path.data(), static_cast<int>(suffix.size()));
  if (file < 0) {
    return fail(Errc::kIo, fmt::format("cannot make a file in {}: {}", folder,
                                       std::strerror(errno)));  // NOLINT(concurrency-mt-unsafe)
  }
  ::close(file);
  TextCopy copy(std::move(path));
  TRY_VOID(write_file_atomic(copy.path_, text));
  return copy;
}

TextCopy::TextCopy(TextCopy&& other) noexcept
    : path_(std::exchange(other.path_, {})), kept_(other.kept_) {}

TextCopy::~TextCopy() {
  if (!kept_ && !path_.empty()) ::unlink(path_.c_str());
}

Result<std::string> TextCopy::edit() {
  const std::string command = editor();
  if (command.empty()) {
    return fail(Errc::kInvalid,
                "there is no editor here; install one, or name it: EDITOR=nano rouse …");
  }
  TRY_VOID(run_editor(command, path_));
  return read_file(path_, kEditedBytes);
}

bool stdin_is_terminal() { return ::isatty(STDIN_FILENO) != 0; }

}  // namespace rouse::cli
