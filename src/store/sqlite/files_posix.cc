#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

#include "base/text.h"
#include "store/database.h"
#include "store/sqlite/files.h"

namespace rouse::sqlite {
namespace {

// A process that was killed while it began another lets go of the lock only when that one has
// taken its own name: a moment of patience, and a restart in that moment succeeds.
bool lock_soon(int fd) {
  constexpr int kTries = 25;
  constexpr int kPauseMs = 20;
  for (int i = 0; i < kTries; ++i) {
    if (::flock(fd, LOCK_EX | LOCK_NB) == 0) return true;
    if (errno != EWOULDBLOCK) return false;
    (void)::poll(nullptr, 0, kPauseMs);
  }
  errno = EWOULDBLOCK;
  return false;
}

class Fd {
 public:
  explicit Fd(int fd) : fd_(fd) {}
  ~Fd() {
    if (fd_ >= 0) ::close(fd_);
  }
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&&) = delete;
  [[nodiscard]] int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_;
};

class PosixLock final : public FileLock {
 public:
  explicit PosixLock(Fd fd) : fd_(std::move(fd)) {}

 private:
  Fd fd_;
};

Result<void> sync_dir(const std::string& path) {
  const Fd dir(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!dir || ::fsync(dir.get()) != 0) return fail(file_error("sync", path, errno));
  return {};
}

std::string read_note(int fd) {
  std::array<char, 128> buffer{};
  const ssize_t n = ::pread(fd, buffer.data(), buffer.size(), 0);
  return std::string(
      trim(std::string_view(buffer.data(), n > 0 ? static_cast<std::size_t>(n) : 0)));
}

Result<void> copy_bytes(int from, int to, const std::string& name) {
  std::vector<char> buffer(1 << 16);
  while (true) {
    const ssize_t n = ::read(from, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail(file_error("read", name, errno));
    if (n == 0) return {};
    for (ssize_t done = 0; done < n;) {
      const ssize_t w = ::write(to, buffer.data() + done, static_cast<std::size_t>(n - done));
      if (w < 0 && errno != EINTR) return fail(file_error("write", name, errno));
      if (w > 0) done += w;
    }
  }
}

class PosixFiles final : public Files {
 public:
  Result<void> make_private_dir(const std::string& path) override {
    if (::mkdir(path.c_str(), 0700) == 0) {
      if (::chmod(path.c_str(), 0700) != 0) return fail(file_error("protect", path, errno));
      return sync_dir(parent_of(path));
    }
    if (errno == ENOENT && parent_of(path) != path) {
      TRY_VOID(make_private_dir(parent_of(path)));
      return make_private_dir(path);
    }
    const int why = errno;
    struct stat info{};
    if (why == EEXIST && ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) return {};
    return fail(file_error("create the directory", path, why == EEXIST ? ENOTDIR : why));
  }

  Result<std::unique_ptr<FileLock>> lock(const std::string& path,
                                         const std::string& note) override {
    Fd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!fd) return fail(file_error("write", path, errno));
    if (!lock_soon(fd.get())) {
      if (errno == EWOULDBLOCK) return fail(StoreErrc::kOwned, read_note(fd.get()));
      return fail(file_error("lock", path, errno));
    }
    // The note only serves the other's message: a full disk must not keep us from starting here.
    if (::ftruncate(fd.get(), 0) == 0) {
      [[maybe_unused]] const ssize_t n = ::pwrite(fd.get(), note.data(), note.size(), 0);
    }
    return std::make_unique<PosixLock>(std::move(fd));
  }

  Result<std::optional<std::int64_t>> size(const std::string& path) override {
    struct stat info{};
    if (::stat(path.c_str(), &info) == 0) return std::optional<std::int64_t>(info.st_size);
    if (errno == ENOENT) return std::optional<std::int64_t>();
    return fail(file_error("look at", path, errno));
  }

  Result<std::vector<std::string>> list(const std::string& dir) override {
    std::vector<std::string> names;
    DIR* open = ::opendir(dir.c_str());
    if (open == nullptr) {
      if (errno == ENOENT) return names;
      return fail(file_error("list", dir, errno));
    }
    while (const dirent* entry = ::readdir(open)) {
      const std::string name = entry->d_name;
      if (name != "." && name != "..") names.push_back(name);
    }
    ::closedir(open);
    std::ranges::sort(names);
    return names;
  }

  Result<void> create_private(const std::string& path) override {
    const Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    // A umask may have taken bits away that we need; it can't add any.
    if (!fd || ::fchmod(fd.get(), 0600) != 0) return fail(file_error("create", path, errno));
    return sync_dir(parent_of(path));
  }

  Result<void> make_private(const std::string& path) override {
    struct stat info{};
    if (::stat(path.c_str(), &info) != 0) return fail(file_error("look at", path, errno));
    if ((info.st_mode & 0777) == 0600) return {};
    if (::chmod(path.c_str(), 0600) != 0) return fail(file_error("protect", path, errno));
    return {};
  }

  Result<void> remove(const std::string& path) override {
    if (::unlink(path.c_str()) == 0) return sync_dir(parent_of(path));
    if (errno == ENOENT) return {};
    return fail(file_error("remove", path, errno));
  }

  Result<void> move(const std::string& from, const std::string& to) override {
    int done = ::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE);
    if (done != 0 && errno == EINVAL) {  // a file system that doesn't know the flag
      done = ::link(from.c_str(), to.c_str());
      if (done == 0) done = ::unlink(from.c_str());
    }
    if (done != 0) return fail(file_error("move " + from + " to", to, errno));
    TRY_VOID(sync_dir(parent_of(to)));
    if (parent_of(from) != parent_of(to)) return sync_dir(parent_of(from));
    return {};
  }

  Result<void> copy(const std::string& from, const std::string& to) override {
    const Fd in(::open(from.c_str(), O_RDONLY | O_CLOEXEC));
    if (!in) return fail(file_error("read", from, errno));
    const Fd out(::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!out || ::fchmod(out.get(), 0600) != 0) return fail(file_error("create", to, errno));
    TRY_VOID(copy_bytes(in.get(), out.get(), to));
    if (::fsync(out.get()) != 0) return fail(file_error("sync", to, errno));
    return sync_dir(parent_of(to));
  }

  Result<void> sync(const std::string& path) override {
    const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd || ::fsync(fd.get()) != 0) return fail(file_error("sync", path, errno));
    return sync_dir(parent_of(path));
  }
};

}  // namespace

Files& posix_files() {
  static PosixFiles files;
  return files;
}

Error file_error(std::string_view doing, const std::string& path, int errno_value) {
  const std::string why = std::generic_category().message(errno_value);
  switch (errno_value) {
    case ENOSPC:
    case EDQUOT:
      return Error(StoreErrc::kFull, fmt::format("cannot {} {}: the disk is full. Free some space, "
                                                 "then try again",
                                                 doing, path));
    case EACCES:
    case EPERM:
    case EROFS:
      return Error(
          StoreErrc::kReadOnly,
          fmt::format("cannot {} {}: {}. Check who owns the directory and its permissions, or "
                      "start with another --data",
                      doing, path, why));
    case EEXIST:
      return Error(Errc::kConflict, fmt::format("{} exists already", path));
    case ENOENT:
      return Error(Errc::kNotFound, fmt::format("cannot {} {}: {}", doing, path, why));
    default:
      return Error(StoreErrc::kIo, fmt::format("cannot {} {}: {}", doing, path, why));
  }
}

Result<std::string> free_name(Files& files, const std::string& stem, const std::string& ending) {
  std::string name = stem + ending;
  for (int n = 2;; ++n) {
    TRY(const auto taken, files.size(name));
    if (!taken) return name;
    name = fmt::format("{}_{}{}", stem, n, ending);
  }
}

std::string parent_of(const std::string& path) {
  const auto slash = path.find_last_of('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace rouse::sqlite
