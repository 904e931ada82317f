#include "tool/files/work_folder.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <fmt/format.h>

#include "base/files.h"
#include "base/text.h"

namespace rouse {
namespace {

constexpr std::size_t kPathBytes = 1024;
constexpr int kFolderFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

std::unexpected<Error> outside(std::string_view path) {
  return fail(Errc::kForbidden,
              fmt::format("'{}' leads out of the folder; use a path inside of it, like notes/a.md",
                          utf8_prefix(path, 200)));
}

std::unexpected<Error> cannot_open(std::string_view path, int code) {
  if (code == EXDEV || code == ELOOP) return outside(path);
  if (code == ENOENT || code == ENOTDIR) {
    return fail(Errc::kNotFound,
                fmt::format("there is no '{}'; list_files shows what there is", path));
  }
  return fail(os_error(fmt::format("cannot open '{}'", path), code));
}

int open_at2(int folder, const char* path, int flags) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags);
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  while (true) {
    const auto fd = static_cast<int>(::syscall(SYS_openat2, folder, path, &how, sizeof how));
    // The kernel asks for another try when something was renamed on the way.
    if (fd >= 0 || errno != EAGAIN) return fd;
  }
}

struct stat stat_of_folder(const std::string& path) {
  struct stat info{};
  ::stat(path.c_str(), &info);
  return info;
}

struct Steps {
  int flags = kFolderFlags;   // of the last one
  bool make_missing = false;  // folders on the way
  struct stat shut{};         // a folder that is not entered
};

bool is_shut(int folder, const Steps& steps) {
  struct stat info{};
  return ::fstat(folder, &info) != 0 ||
         (info.st_dev == steps.shut.st_dev && info.st_ino == steps.shut.st_ino);
}

// One name after the other, no link followed: for kernels without openat2, and for writing.
int open_stepwise(int folder, std::string_view path, const Steps& steps) {
  int at = ::fcntl(folder, F_DUPFD_CLOEXEC, 3);
  while (at >= 0 && !path.empty()) {
    const std::size_t slash = path.find('/');
    const std::string name(path.substr(0, slash));
    path = slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
    const int flags = (path.empty() ? steps.flags : kFolderFlags) | O_NOFOLLOW;
    int next = ::openat(at, name.c_str(), flags);
    if (next < 0 && errno == ENOENT && steps.make_missing &&
        ::mkdirat(at, name.c_str(), 0700) == 0) {
      next = ::openat(at, name.c_str(), flags);
    }
    int code = errno;
    if (next >= 0 && is_shut(next, steps)) {
      ::close(next);
      next = -1;
      code = EXDEV;
    }
    ::close(at);
    at = next;
    errno = code;
  }
  return at;
}

std::string real_or_given(const std::string& path) {
  std::array<char, PATH_MAX> real{};
  return ::realpath(path.c_str(), real.data()) == nullptr ? path : std::string(real.data());
}

}  // namespace

OpenFile::~OpenFile() {
  if (fd_ >= 0) ::close(fd_);
}

Result<std::string> OpenFile::real_path() const {
  std::array<char, PATH_MAX> out{};
  const std::string link = fmt::format("/proc/self/fd/{}", fd_);
  const ssize_t size = ::readlink(link.c_str(), out.data(), out.size());
  if (size < 0) return fail(os_error("cannot tell where a file is", errno));
  return std::string(out.data(), static_cast<std::size_t>(size));
}

bool lies_in(std::string_view path, std::string_view folder) {
  if (folder == "/") return true;
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

Result<std::string> normal_path(std::string_view root, std::string_view path) {
  if (path.size() > kPathBytes) return fail(Errc::kInvalid, "the path is longer than 1024 bytes");
  if (std::ranges::any_of(path, [](unsigned char c) { return c < 0x20 || c == 0x7F; })) {
    return fail(Errc::kInvalid, "the path has a control character in it");
  }
  std::string_view rest = path;
  if (rest.starts_with('/')) {
    if (!lies_in(rest, root)) return outside(path);
    rest.remove_prefix(root.size());
  }
  std::string out;
  for (const std::string_view name : split(rest, '/')) {
    if (name.empty() || name == ".") continue;
    if (name == "..") return outside(path);
    if (!out.empty()) out += '/';
    out += name;
  }
  return out;
}

WorkFolder::WorkFolder(std::string data_dir, const ToolCall& call)
    : data_dir_(std::move(data_dir)), project_(!call.project_folder.empty()) {
  if (project_) {
    root_ = call.project_folder;
    while (root_.size() > 1 && root_.ends_with('/')) root_.pop_back();
  } else if (call.workspace.str() == "ws_default") {
    root_ = data_dir_ + "/files";
  } else {
    root_ = fmt::format("{}/workspaces/{}/files", data_dir_, call.workspace.str());
  }
}

Result<OpenFile> WorkFolder::open_root(Missing missing) const {
  if (!project_ && missing == Missing::kIsMade) TRY_VOID(make_private_dir(root_));
  // A project's folder is where the person says; ours is never a link to elsewhere.
  OpenFile folder(::open(root_.c_str(), kFolderFlags | (project_ ? 0 : O_NOFOLLOW)));
  if (!folder && errno == ENOENT && !project_) {
    return fail(Errc::kNotFound, "the folder is empty: nothing was written yet");
  }
  if (!folder) return fail(os_error(fmt::format("cannot open the folder {}", root_), errno));
  if (project_) {
    TRY(const std::string real, folder.real_path());
    if (lies_in(real, real_or_given(data_dir_))) {
      return fail(Errc::kForbidden, "a project's folder must not lie in rouse's data folder");
    }
  }
  return folder;
}

struct stat WorkFolder::shut_folder() const {
  return project_ ? stat_of_folder(data_dir_) : Steps().shut;
}

// A project may be the home folder, which holds rouse's own: that stays shut.
Result<void> WorkFolder::check_place(const OpenFile& file) const {
  if (!project_) return {};
  TRY(const std::string real, file.real_path());
  if (!lies_in(real, real_or_given(data_dir_))) return {};
  return fail(Errc::kForbidden, "rouse's own data folder can't be read or written by tools");
}

Result<OpenFile> WorkFolder::open_beneath(const std::string& path, int flags) const {
  TRY(const OpenFile folder, open_root(Missing::kFails));
  const char* name = path.empty() ? "." : path.c_str();
  int fd = open_at2(folder.get(), name, flags);
  if (fd < 0 && (errno == ENOSYS || errno == EPERM)) {  // EPERM: an old container's filter
    fd = open_stepwise(folder.get(), path, {flags, false, shut_folder()});
  }
  if (fd < 0) return cannot_open(path, errno);
  OpenFile file(fd);
  TRY_VOID(check_place(file));
  return file;
}

Result<OpenFile> WorkFolder::open_file(const std::string& path) const {
  // Without waiting: a pipe would block until somebody writes into it.
  TRY(OpenFile file, open_beneath(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat info{};
  if (::fstat(file.get(), &info) != 0) return fail(os_error("cannot look at the file", errno));
  if (S_ISDIR(info.st_mode)) {
    return fail(Errc::kInvalid, fmt::format("'{}' is a folder; list_files shows it", path));
  }
  if (!S_ISREG(info.st_mode)) {
    return fail(Errc::kForbidden, fmt::format("'{}' is no ordinary file", path));
  }
  return file;
}

Result<OpenFile> WorkFolder::open_folder(const std::string& path) const {
  return open_beneath(path, kFolderFlags);
}

Result<OpenFile> WorkFolder::make_parent(const std::string& path) const {
  TRY(const OpenFile folder, open_root(Missing::kIsMade));
  const std::size_t slash = path.rfind('/');
  const std::string_view parent =
      slash == std::string::npos ? std::string_view() : std::string_view(path).substr(0, slash);
  OpenFile found(open_stepwise(folder.get(), parent, {kFolderFlags, true, shut_folder()}));
  if (!found) {
    const int code = errno;
    if (code == ENOTDIR || code == ELOOP) {
      return fail(
          Errc::kForbidden,
          fmt::format("'{}' is no folder, or a link; files are not written through links", parent));
    }
    return cannot_open(parent, code);
  }
  TRY_VOID(check_place(found));
  return found;
}

}  // namespace rouse
