#include "app/cli/part_file.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "base/files.h"

namespace rouse::cli {

Result<PartFile> PartFile::create(const std::string& target) {
  PartFile out;
  out.target_ = target;
  out.part_ = target + ".part";
  out.fd_ = ::open(out.part_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (out.fd_ < 0) return fail(os_error(fmt::format("cannot create {}", out.part_), errno));
  if (::fchmod(out.fd_, 0600) != 0) {
    return fail(os_error(fmt::format("cannot protect {}", out.part_), errno));
  }
  return out;
}

PartFile::PartFile(PartFile&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      renamed_(other.renamed_),
      target_(std::move(other.target_)),
      part_(std::move(other.part_)),
      bytes_(other.bytes_) {}

PartFile::~PartFile() {
  if (fd_ < 0) return;
  ::close(fd_);
  if (!renamed_) ::unlink(part_.c_str());
}

Result<void> PartFile::write(std::string_view chunk) {
  while (!chunk.empty()) {
    const ssize_t n = ::write(fd_, chunk.data(), chunk.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail(os_error(fmt::format("cannot write {}", part_), errno));
    bytes_ += n;
    chunk.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

Result<void> PartFile::sync() {
  if (::fsync(fd_) != 0) return fail(os_error(fmt::format("cannot sync {}", part_), errno));
  return {};
}

Result<void> PartFile::sync_folder() {
  return sync_dir(std::filesystem::path(target_).parent_path().string());
}

Result<void> PartFile::publish_new() {
  TRY_VOID(sync());
  if (::link(part_.c_str(), target_.c_str()) != 0) {
    return fail(os_error(fmt::format("cannot create {}", target_), errno));
  }
  return sync_folder();
}

Result<void> PartFile::publish() {
  TRY_VOID(sync());
  if (::rename(part_.c_str(), target_.c_str()) != 0) {
    return fail(os_error(fmt::format("cannot create {}", target_), errno));
  }
  renamed_ = true;
  return sync_folder();
}

std::string absolute_path(const std::string& given) {
  std::error_code ec;
  return std::filesystem::absolute(given, ec).lexically_normal().string();
}

}  // namespace rouse::cli
