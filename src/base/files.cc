#include "base/files.h"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "base/limits.h"
#include "base/text.h"

namespace rouse {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_;
};

Result<void> write_all(int fd, std::string_view content, const std::string& path) {
  while (!content.empty()) {
    const ssize_t n = ::write(fd, content.data(), content.size());
    if (n < 0) {
      if (errno == EINTR) continue;
      return fail(os_error(fmt::format("cannot write {}", path), errno));
    }
    content.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

}  // namespace

Result<std::string> read_file(const std::string& path, std::size_t max_bytes) {
  // A pipe or a device would keep whoever reads it waiting, so only files are read.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) return fail(os_error(fmt::format("cannot open {}", path), errno));
  struct stat info{};
  if (::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) {
    return fail(Errc::kIo, fmt::format("cannot read {}: it is not a regular file", path));
  }
  std::string out;
  std::string buffer(16 * 1024, '\0');
  while (true) {
    const ssize_t n = ::read(file.get(), buffer.data(), buffer.size());
    if (n < 0) {
      if (errno == EINTR) continue;
      return fail(os_error(fmt::format("cannot read {}", path), errno));
    }
    if (n == 0) return out;
    out.append(buffer, 0, static_cast<std::size_t>(n));
    if (out.size() > max_bytes) {
      return fail(Errc::kTooLarge, fmt::format("{} is larger than {} bytes", path, max_bytes));
    }
  }
}

Result<std::string> read_file_range(const std::string& path, std::uint64_t offset,
                                    std::size_t size) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return fail(os_error(fmt::format("cannot open {}", path), errno));
  std::string out(size, '\0');
  std::size_t have = 0;
  while (have < size) {
    const ssize_t n =
        ::pread(file.get(), out.data() + have, size - have, static_cast<off_t>(offset + have));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail(os_error(fmt::format("cannot read {}", path), errno));
    if (n == 0) break;
    have += static_cast<std::size_t>(n);
  }
  out.resize(have);
  return out;
}

Result<void> write_file_atomic(const std::string& path, std::string_view content, mode_t mode) {
  const std::string temporary = fmt::format("{}.new-{}", path, ::getpid());
  {
    const Descriptor file(
        ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, mode));
    if (file.get() < 0) return fail(os_error(fmt::format("cannot create {}", temporary), errno));
    auto done = write_all(file.get(), content, temporary);
    if (done && (::fchmod(file.get(), mode) != 0 || ::fsync(file.get()) != 0)) {
      done = fail(os_error(fmt::format("cannot write {}", temporary), errno));
    }
    if (!done) {
      ::unlink(temporary.c_str());
      return done;
    }
  }
  if (::rename(temporary.c_str(), path.c_str()) != 0) {
    const int error = errno;
    ::unlink(temporary.c_str());
    return fail(os_error(fmt::format("cannot replace {}", path), error));
  }
  return sync_dir(std::filesystem::path(path).parent_path().string());
}

Result<void> make_private_dir(const std::string& path) {
  struct stat info{};
  if (::stat(path.c_str(), &info) == 0) {
    if (!S_ISDIR(info.st_mode)) return fail(Errc::kIo, fmt::format("{} is not a folder", path));
    return {};
  }
  const auto parent = std::filesystem::path(path).parent_path();
  if (!parent.empty() && parent != path && !path_exists(parent.string())) {
    TRY_VOID(make_private_dir(parent.string()));
  }
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
    return fail(os_error(fmt::format("cannot make the folder {}", path), errno));
  }
  return {};
}

Result<void> sync_dir(const std::string& path) {
  const Descriptor folder(
      ::open(path.empty() ? "." : path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() < 0 || ::fsync(folder.get()) != 0) {
    return fail(os_error(fmt::format("cannot sync the folder {}", path), errno));
  }
  return {};
}

Result<std::string> read_secret_file(const std::string& path) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0)
    return fail(os_error(fmt::format("cannot open {}", path), errno));
  if ((info.st_mode & 077) != 0) {
    return fail(Errc::kForbidden,
                fmt::format("{} can be read by others (mode {:o}). Run: chmod 600 {}", path,
                            info.st_mode & 0777, path));
  }
  TRY(const std::string content, read_file(path, limits::kSecretFileBytes));
  return std::string(trim(content));
}

Result<std::uint64_t> file_size(const std::string& path) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0)
    return fail(os_error(fmt::format("cannot open {}", path), errno));
  return static_cast<std::uint64_t>(info.st_size);
}

bool path_exists(const std::string& path) {
  struct stat info{};
  return ::stat(path.c_str(), &info) == 0;
}

}  // namespace rouse
