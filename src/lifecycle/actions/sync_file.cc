#include "lifecycle/actions/sync_file.h"

#include <cerrno>
#include <sys/file.h>
#include <sys/stat.h>

#include <fmt/format.h>

#include "base/files.h"
#include "tool/files/work_folder.h"

namespace rouse {
namespace {

WorkFolder folder_of(const SyncPlace& place) {
  ToolCall call;
  call.project_folder = place.project_folder;
  return WorkFolder(place.data_dir, call);
}

Result<std::string> path_in(const SyncPlace& place) {
  TRY(std::string path, normal_path(folder_of(place).root(), place.path));
  if (path.empty()) return fail(Errc::kInvalid, "'path' names the folder itself, not a file");
  return path;
}

// A descriptor as a path: whatever happens to the names on the way, it is that folder or file.
std::string path_of(const OpenFile& file) { return fmt::format("/proc/self/fd/{}", file.get()); }

// The mode of what is replaced. A link is not written through, nor replaced.
Result<mode_t> mode_of(const OpenFile& parent, const std::string& name, const std::string& path) {
  struct stat info{};
  if (::fstatat(parent.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return mode_t{0600};
    return fail(os_error(fmt::format("cannot look at '{}'", path), errno));
  }
  if (S_ISREG(info.st_mode)) return info.st_mode & 0777;
  return fail(Errc::kForbidden,
              fmt::format("'{}' is no ordinary file; nothing is written there", path));
}

Result<std::optional<std::string>> read_at(const WorkFolder& folder, const std::string& path) {
  const Result<OpenFile> file = folder.open_file(path);
  if (!file && file.error().is(Errc::kNotFound)) return std::nullopt;
  if (!file) return fail(file.error());
  auto content = read_file(path_of(*file), kSyncFileBytes);
  if (!content && content.error().is(Errc::kTooLarge)) {
    return fail(Errc::kTooLarge, fmt::format("'{}' is larger than {} MB; take lines out of it",
                                             path, kSyncFileBytes >> 20));
  }
  if (!content) return fail(std::move(content).error());
  return std::optional(std::move(*content));
}

}  // namespace

Result<std::optional<std::string>> read_sync_file(const SyncPlace& place) {
  TRY(const std::string path, path_in(place));
  return read_at(folder_of(place), path);
}

Result<bool> change_sync_file(
    const SyncPlace& place, const std::function<Result<std::string>(std::string before)>& change) {
  TRY(const std::string path, path_in(place));
  const WorkFolder folder = folder_of(place);
  TRY(const OpenFile parent, folder.make_parent(path));
  // Of the folder, because the file itself is replaced.
  if (::flock(parent.get(), LOCK_EX | LOCK_NB) != 0) {
    return fail(Errc::kConflict,
                fmt::format("somebody else is writing '{}' just now; try again later", path));
  }
  const std::string name = path.substr(path.rfind('/') + 1);
  TRY(const mode_t mode, mode_of(parent, name, path));
  TRY(const auto before, read_at(folder, path));
  TRY(const std::string after, change(before.value_or("")));
  if (after == before.value_or("")) return false;
  if (after.size() > kSyncFileBytes) {
    return fail(Errc::kTooLarge,
                fmt::format("'{}' would be larger than {} MB", path, kSyncFileBytes >> 20));
  }
  TRY_VOID(write_file_atomic(path_of(parent) + "/" + name, after, mode));
  return true;
}

}  // namespace rouse
