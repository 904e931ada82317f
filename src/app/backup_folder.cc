#include "app/backup_folder.h"

#include <algorithm>
#include <dirent.h>
#include <filesystem>
#include <memory>
#include <sys/stat.h>

#include <fmt/format.h>

namespace rouse {
namespace {

// A download stands here only until it is sent (backup_routes.cc).
constexpr std::string_view kPassing = "download-";

Result<std::vector<BackupFile>> list_since(const std::string& folder, WallTime time) {
  std::vector<BackupFile> out;
  const std::unique_ptr<DIR, int (*)(DIR*)> dir(::opendir(folder.c_str()), ::closedir);
  if (!dir && errno == ENOENT) return out;  // no backup was ever made
  if (!dir) return fail(os_error(fmt::format("cannot list {}", folder), errno));
  while (const dirent* entry = ::readdir(dir.get())) {
    const std::string name = entry->d_name;
    struct stat info{};
    if (::stat((folder + "/" + name).c_str(), &info) != 0 || !S_ISREG(info.st_mode)) continue;
    const std::int64_t written_ms =
        std::int64_t{info.st_mtim.tv_sec} * 1000 + info.st_mtim.tv_nsec / 1'000'000;
    if (name.starts_with(kPassing) || written_ms < time.unix_ms) continue;
    out.push_back({name, info.st_size});
  }
  std::ranges::sort(out, {}, &BackupFile::file);
  return out;
}

}  // namespace

Task<Result<std::vector<BackupFile>>> BackupFolder::since(WallTime time) {
  return pool_.run<std::vector<BackupFile>>(
      [folder = folder_, time] { return list_since(folder, time); });
}

void BackupFolder::remove_downloads() const {
  std::error_code ec;
  std::vector<std::filesystem::path> leftovers;
  std::filesystem::directory_iterator entry(folder_, ec);
  for (; !ec && entry != std::filesystem::directory_iterator(); entry.increment(ec)) {
    if (entry->path().filename().string().starts_with("download-")) {
      leftovers.push_back(entry->path());
    }
  }
  for (const auto& path : leftovers) std::filesystem::remove(path, ec);
}

}  // namespace rouse
