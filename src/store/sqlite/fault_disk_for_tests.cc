#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "base/random.h"
#include "store/database.h"
#include "store/sqlite/fault_state_for_tests.h"

namespace rouse::sqlite {
namespace {

void put_at(std::string& content, std::int64_t offset, std::string_view data) {
  const auto end = static_cast<std::size_t>(offset) + data.size();
  if (content.size() < end) content.resize(end);
  content.replace(static_cast<std::size_t>(offset), data.size(), data);
}

// The part of a write up to the next sector border.
std::size_t first_sector(std::int64_t offset, std::size_t size) {
  return std::min(size, static_cast<std::size_t>(kSector - offset % kSector));
}

}  // namespace

// ---- faults
// ---------------------------------------------------------------------------------------

std::int64_t FaultDisk::changes() const {
  const std::lock_guard lock(mutex_);
  return changes_;
}
void FaultDisk::kill_at(std::int64_t nth_change) {
  const std::lock_guard lock(mutex_);
  kill_at_ = nth_change;
}
void FaultDisk::fail_at(std::int64_t nth_change) {
  const std::lock_guard lock(mutex_);
  fail_at_ = nth_change;
}
void FaultDisk::fail_next_sync() {
  const std::lock_guard lock(mutex_);
  fail_next_sync_ = true;
}
void FaultDisk::lie_about_syncs(bool lies) {
  const std::lock_guard lock(mutex_);
  lies_about_syncs_ = lies;
}
void FaultDisk::kill_now() {
  const std::lock_guard lock(mutex_);
  killed_ = true;
}
bool FaultDisk::killed() const {
  const std::lock_guard lock(mutex_);
  return killed_;
}
void FaultDisk::set_quota(std::optional<std::int64_t> bytes) {
  const std::lock_guard lock(mutex_);
  quota_ = bytes;
}
void FaultDisk::set_read_only(bool read_only) {
  const std::lock_guard lock(mutex_);
  read_only_ = read_only;
}
void FaultDisk::short_read_at(std::int64_t nth_read) {
  const std::lock_guard lock(mutex_);
  short_read_at_ = reads_ + nth_read;
}
void FaultDisk::observe(Observer observer) {
  const std::lock_guard lock(mutex_);
  observer_ = std::move(observer);
}

int FaultDisk::change(const std::string& what) {
  if (killed_) return SQLITE_IOERR;
  if (read_only_) return SQLITE_READONLY;
  ++changes_;
  if (changes_ == kill_at_) {
    killed_ = true;
    return SQLITE_IOERR;
  }
  if (changes_ == fail_at_) return SQLITE_IOERR;
  if (observer_) observer_(what);
  return SQLITE_OK;
}

void FaultDisk::power_cycle(Unsynced unsynced, std::uint64_t seed) {
  const std::lock_guard lock(mutex_);
  SeededRandom random(seed);
  const auto survives = [&] {
    if (unsynced == Unsynced::kKeepSome) return random.below(2) == 0;
    return unsynced == Unsynced::kKeepAll;
  };
  const auto next = std::make_shared<State>();
  next->dirs = state_->dirs;
  const auto keep = [&](const std::string& name, const File& file) {
    auto kept = std::make_shared<File>();
    kept->durable = std::make_shared<std::string>(*file.durable);
    for (const auto& change : file.unsynced) {
      if (!change.data) {
        if (survives()) kept->durable->resize(static_cast<std::size_t>(change.offset));
        continue;
      }
      std::string_view rest = *change.data;
      std::int64_t offset = change.offset;
      while (!rest.empty()) {
        const std::size_t n = first_sector(offset, rest.size());
        if (survives()) put_at(*kept->durable, offset, rest.substr(0, n));
        rest.remove_prefix(n);
        offset += static_cast<std::int64_t>(n);
      }
    }
    kept->live = std::make_shared<std::string>(*kept->durable);
    next->names[name] = kept;
    next->durable_names[name] = kept;
  };
  // A name is sure if both sides agree; a creation, deletion or replacement may be lost otherwise.
  std::set<std::string> all;
  for (const auto& [name, file] : state_->names) all.insert(name);
  for (const auto& [name, file] : state_->durable_names) all.insert(name);
  for (const auto& name : all) {
    const auto now = state_->names.find(name);
    const auto sure = state_->durable_names.find(name);
    const bool same = now != state_->names.end() && sure != state_->durable_names.end() &&
                      now->second == sure->second;
    const bool take_now = same || survives();
    if (take_now && now != state_->names.end()) keep(name, *now->second);
    if (!take_now && sure != state_->durable_names.end()) keep(name, *sure->second);
  }
  state_ = next;
  ++boot_;
  changes_ = reads_ = kill_at_ = fail_at_ = short_read_at_ = 0;
  killed_ = fail_next_sync_ = false;
  held_.clear();
}

// ---- content
// --------------------------------------------------------------------------------------

FaultDisk::Image FaultDisk::snapshot() const {
  const std::lock_guard lock(mutex_);
  auto copy = std::make_shared<State>();
  copy->dirs = state_->dirs;
  std::map<const File*, std::shared_ptr<File>> copies;  // a file may have a name on both sides
  const auto copy_of = [&](const std::shared_ptr<File>& file) {
    auto& made = copies[file.get()];
    if (!made) {
      made = std::make_shared<File>();
      made->live = file->live;
      made->durable = file->durable;
      made->unsynced = file->unsynced;
    }
    return made;
  };
  for (const auto& [name, file] : state_->names) copy->names[name] = copy_of(file);
  for (const auto& [name, file] : state_->durable_names) copy->durable_names[name] = copy_of(file);
  return copy;
}

void FaultDisk::restore(const Image& image) {
  const std::lock_guard lock(mutex_);
  state_ = std::const_pointer_cast<State>(image);
  state_ = std::const_pointer_cast<State>(snapshot());  // the image stays as it is
  ++boot_;
  changes_ = reads_ = kill_at_ = fail_at_ = short_read_at_ = 0;
  killed_ = fail_next_sync_ = false;
  held_.clear();
}

std::optional<std::string> FaultDisk::content(const std::string& path) const {
  const std::lock_guard lock(mutex_);
  const auto file = find(path);
  return file ? std::optional(*file->live) : std::nullopt;
}

void FaultDisk::put(const std::string& path, std::string content) {
  const std::lock_guard lock(mutex_);
  auto file = std::make_shared<File>();
  file->durable = std::make_shared<std::string>(content);
  file->live = std::make_shared<std::string>(std::move(content));
  state_->names[path] = file;
  state_->durable_names[path] = file;
}

std::int64_t FaultDisk::bytes_used() const {
  const std::lock_guard lock(mutex_);
  std::int64_t bytes = 0;
  for (const auto& [name, file] : state_->names)
    bytes += static_cast<std::int64_t>(file->live->size());
  return bytes;
}

std::shared_ptr<FaultDisk::File> FaultDisk::find(const std::string& name) const {
  const auto found = state_->names.find(name);
  return found == state_->names.end() ? nullptr : found->second;
}

int FaultDisk::write(File& file, std::int64_t offset, std::string_view data,
                     const std::string& name) {
  const auto end = offset + static_cast<std::int64_t>(data.size());
  const auto growth = end - static_cast<std::int64_t>(file.live->size());
  if (quota_ && growth > 0 && bytes_used() + growth > *quota_ && !killed_) return SQLITE_FULL;
  if (const int code = change(fmt::format("write {} {} {}", name, offset, data.size())); code) {
    return code;
  }
  put_at(own_copy(file.live), offset, data);
  file.unsynced.push_back({offset, std::string(data)});
  return SQLITE_OK;
}

int FaultDisk::truncate(File& file, std::int64_t size, const std::string& name) {
  if (const int code = change(fmt::format("truncate {} {}", name, size)); code) return code;
  own_copy(file.live).resize(static_cast<std::size_t>(size));
  file.unsynced.push_back({size, std::nullopt});
  return SQLITE_OK;
}

int FaultDisk::sync_file(const std::shared_ptr<File>& file, const std::string& name) {
  if (std::exchange(fail_next_sync_, false)) return SQLITE_IOERR_FSYNC;
  if (const int code = change("sync " + name); code) return code;
  if (lies_about_syncs_) return SQLITE_OK;
  for (const auto& change : file->unsynced) {
    std::string& durable = own_copy(file->durable);
    if (change.data) {
      put_at(durable, change.offset, *change.data);
    } else {
      durable.resize(static_cast<std::size_t>(change.offset));
    }
  }
  file->unsynced.clear();
  // Like SQLite's own VFS, the first sync of a new file syncs its directory too.
  const auto sure = state_->durable_names.find(name);
  const bool is_sure = sure != state_->durable_names.end() && sure->second == file;
  if (find(name) == file && !is_sure) sync_dir(parent_of(name));
  return SQLITE_OK;
}

void FaultDisk::sync_dir(const std::string& dir) {
  const auto inside = [&](const auto& entry) { return parent_of(entry.first) == dir; };
  std::erase_if(state_->durable_names, inside);
  for (const auto& entry : state_->names) {
    if (inside(entry)) state_->durable_names.insert(entry);
  }
}

int FaultDisk::create(const std::string& name, std::shared_ptr<File>& made) {
  if (const int code = change("create " + name); code) return code;
  made = std::make_shared<File>();
  state_->names[name] = made;
  return SQLITE_OK;
}

int FaultDisk::erase(const std::string& name, bool and_sync) {
  if (const int code = change("delete " + name); code) return code;
  state_->names.erase(name);
  if (and_sync) sync_dir(parent_of(name));
  return SQLITE_OK;
}

int FaultDisk::read(const File& file, std::int64_t offset, char* out, std::int64_t size) {
  if (killed_) return SQLITE_IOERR_READ;
  const auto there = static_cast<std::int64_t>(file.live->size());
  auto n = std::clamp<std::int64_t>(there - offset, 0, size);
  if (++reads_ == short_read_at_) n /= 2;
  std::memset(out, 0, static_cast<std::size_t>(size));
  if (n > 0) std::memcpy(out, file.live->data() + offset, static_cast<std::size_t>(n));
  return n == size ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
}

// ---- Files
// ----------------------------------------------------------------------------------------

Result<void> FaultDisk::as_result(int code, std::string_view doing, const std::string& path) {
  switch (code) {
    case SQLITE_OK:
      return {};
    case SQLITE_FULL:
      return fail(file_error(doing, path, ENOSPC));
    case SQLITE_READONLY:
      return fail(file_error(doing, path, EROFS));
    default:
      return fail(file_error(doing, path, EIO));
  }
}

Result<void> FaultDisk::usable(std::string_view doing, const std::string& path) const {
  return as_result(killed_ ? SQLITE_IOERR : SQLITE_OK, doing, path);
}

Result<void> FaultDisk::make_private_dir(const std::string& path) {
  const std::lock_guard lock(mutex_);
  TRY_VOID(usable("create the directory", path));
  if (state_->dirs.contains(path)) return {};
  TRY_VOID(as_result(change("mkdir " + path), "create the directory", path));
  state_->dirs.insert(path);
  return {};
}

// Lets go when destroyed, unless the power went away in between.
class FaultDisk::Held final : public FileLock {
 public:
  Held(FaultDisk& disk, std::string path)
      : disk_(disk), path_(std::move(path)), boot_(disk.boot_) {}
  ~Held() override {
    const std::lock_guard lock(disk_.mutex_);
    if (boot_ == disk_.boot_) disk_.held_.erase(path_);
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

 private:
  FaultDisk& disk_;
  std::string path_;
  std::uint64_t boot_;
};

Result<std::unique_ptr<FileLock>> FaultDisk::lock(const std::string& path,
                                                  const std::string& note) {
  const std::lock_guard lock(mutex_);
  TRY_VOID(usable("lock", path));
  if (read_only_) return fail(file_error("write", path, EROFS));
  if (!held_.insert(path).second) return fail(StoreErrc::kOwned, "1 " + note);
  return std::make_unique<Held>(*this, path);
}

Result<std::optional<std::int64_t>> FaultDisk::size(const std::string& path) {
  const std::lock_guard lock(mutex_);
  TRY_VOID(usable("look at", path));
  if (state_->dirs.contains(path)) return std::optional<std::int64_t>(0);
  const auto file = find(path);
  if (!file) return std::optional<std::int64_t>();
  return std::optional(static_cast<std::int64_t>(file->live->size()));
}

Result<std::vector<std::string>> FaultDisk::list(const std::string& dir) {
  const std::lock_guard lock(mutex_);
  TRY_VOID(usable("list", dir));
  std::set<std::string> names;
  const std::string prefix = dir + "/";
  const auto add = [&](const std::string& path) {
    if (path.starts_with(prefix)) {
      names.insert(path.substr(prefix.size(), path.find('/', prefix.size()) - prefix.size()));
    }
  };
  for (const auto& [name, file] : state_->names) add(name);
  for (const auto& name : state_->dirs) add(name);
  return std::vector(names.begin(), names.end());
}

Result<void> FaultDisk::create_private(const std::string& path) {
  const std::lock_guard lock(mutex_);
  if (find(path)) return fail(file_error("create", path, EEXIST));
  std::shared_ptr<File> made;
  TRY_VOID(as_result(create(path, made), "create", path));
  sync_dir(parent_of(path));
  return {};
}

Result<void> FaultDisk::make_private(const std::string& path) {
  const std::lock_guard lock(mutex_);
  TRY_VOID(usable("protect", path));
  return find(path) ? Result<void>{} : fail(file_error("protect", path, ENOENT));
}

Result<void> FaultDisk::remove(const std::string& path) {
  const std::lock_guard lock(mutex_);
  TRY_VOID(usable("remove", path));
  return find(path) ? as_result(erase(path, true), "remove", path) : Result<void>{};
}

Result<void> FaultDisk::move(const std::string& from, const std::string& to) {
  const std::lock_guard lock(mutex_);
  TRY_VOID(usable("move", from));
  const auto file = find(from);
  if (!file) return fail(file_error("move", from, ENOENT));
  if (find(to)) return fail(file_error("move", to, EEXIST));
  TRY_VOID(as_result(change(fmt::format("move {} {}", from, to)), "move", from));
  state_->names.erase(from);
  state_->names[to] = file;
  sync_dir(parent_of(to));
  sync_dir(parent_of(from));
  return {};
}

Result<void> FaultDisk::copy(const std::string& from, const std::string& to) {
  const std::lock_guard lock(mutex_);
  const auto source = find(from);
  if (!source) return fail(file_error("read", from, ENOENT));
  TRY_VOID(create_private(to));
  const auto target = find(to);
  TRY_VOID(as_result(write(*target, 0, *source->live, to), "write", to));
  return as_result(sync_file(target, to), "sync", to);
}

Result<void> FaultDisk::sync(const std::string& path) {
  const std::lock_guard lock(mutex_);
  const auto file = find(path);
  if (!file) return fail(file_error("sync", path, ENOENT));
  return as_result(sync_file(file, path), "sync", path);
}

}  // namespace rouse::sqlite
