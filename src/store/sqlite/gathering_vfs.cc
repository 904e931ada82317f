#include "store/sqlite/gathering_vfs.h"

#include <new>

#include <sqlite3.h>

namespace rouse::sqlite {
namespace {

// Of a commit of many pages so much at a time: SQLite's own VFS takes less than 128 KiB by a call.
constexpr std::size_t kMostBytes = 120 * 1024;

// SQLite gives us room for this and, behind it, for the file below.
struct Gathering : sqlite3_file {
  sqlite3_file* below;
  std::string bytes;     // written and not handed on
  sqlite3_int64 at = 0;  // where they begin

  [[nodiscard]] sqlite3_int64 end() const { return at + static_cast<sqlite3_int64>(bytes.size()); }

  int hand_on() {
    if (bytes.empty()) return SQLITE_OK;
    const int code =
        below->pMethods->xWrite(below, bytes.data(), static_cast<int>(bytes.size()), at);
    bytes.clear();  // after a failure, too: the commit that they are part of fails with it
    return code;
  }
};
constexpr std::size_t kOwnRoom = (sizeof(Gathering) + 15) / 16 * 16;

Gathering& of(sqlite3_file* file) { return *static_cast<Gathering*>(file); }

// For calls that only need everything to be there.
template <class Call>
int after_handing_on(sqlite3_file* file, Call call) {
  Gathering& log = of(file);
  const int code = log.hand_on();
  return code == SQLITE_OK ? call(log.below) : code;
}

int log_close(sqlite3_file* file) {
  Gathering& log = of(file);
  const int handed = log.hand_on();
  const int closed = log.below->pMethods->xClose(log.below);
  log.~Gathering();
  return handed == SQLITE_OK ? closed : handed;
}

int log_read(sqlite3_file* file, void* out, int size, sqlite3_int64 offset) {
  return after_handing_on(
      file, [&](sqlite3_file* below) { return below->pMethods->xRead(below, out, size, offset); });
}

int log_write(sqlite3_file* file, const void* data, int size, sqlite3_int64 offset) {
  Gathering& log = of(file);
  const auto more = static_cast<std::size_t>(size);
  const bool goes_on = offset == log.end() && log.bytes.size() + more <= kMostBytes;
  if (!goes_on) {
    if (const int code = log.hand_on(); code != SQLITE_OK) return code;
    log.at = offset;
  }
  log.bytes.append(static_cast<const char*>(data), more);
  return SQLITE_OK;
}

int log_truncate(sqlite3_file* file, sqlite3_int64 size) {
  return after_handing_on(
      file, [&](sqlite3_file* below) { return below->pMethods->xTruncate(below, size); });
}

int log_sync(sqlite3_file* file, int flags) {
  return after_handing_on(
      file, [&](sqlite3_file* below) { return below->pMethods->xSync(below, flags); });
}

int log_size(sqlite3_file* file, sqlite3_int64* size) {
  return after_handing_on(
      file, [&](sqlite3_file* below) { return below->pMethods->xFileSize(below, size); });
}

int log_lock(sqlite3_file* file, int level) {
  return of(file).below->pMethods->xLock(of(file).below, level);
}
int log_unlock(sqlite3_file* file, int level) {
  return of(file).below->pMethods->xUnlock(of(file).below, level);
}
int log_check_lock(sqlite3_file* file, int* out) {
  return of(file).below->pMethods->xCheckReservedLock(of(file).below, out);
}
int log_control(sqlite3_file* file, int what, void* argument) {
  return of(file).below->pMethods->xFileControl(of(file).below, what, argument);
}
int log_sector(sqlite3_file* file) { return of(file).below->pMethods->xSectorSize(of(file).below); }
int log_characteristics(sqlite3_file* file) {
  return of(file).below->pMethods->xDeviceCharacteristics(of(file).below);
}

// Shared memory and memory maps belong to the database's file, never to the log's.
constexpr sqlite3_io_methods kLogMethods = {
    .iVersion = 1,
    .xClose = log_close,
    .xRead = log_read,
    .xWrite = log_write,
    .xTruncate = log_truncate,
    .xSync = log_sync,
    .xFileSize = log_size,
    .xLock = log_lock,
    .xUnlock = log_unlock,
    .xCheckReservedLock = log_check_lock,
    .xFileControl = log_control,
    .xSectorSize = log_sector,
    .xDeviceCharacteristics = log_characteristics,
    .xShmMap = nullptr,
    .xShmLock = nullptr,
    .xShmBarrier = nullptr,
    .xShmUnmap = nullptr,
    .xFetch = nullptr,
    .xUnfetch = nullptr,
};

sqlite3_vfs* below_of(sqlite3_vfs* vfs) { return static_cast<sqlite3_vfs*>(vfs->pAppData); }

// Every file but a log is the file below, without a way around through us.
int open(sqlite3_vfs* vfs, sqlite3_filename name, sqlite3_file* out, int flags, int* out_flags) {
  sqlite3_vfs* below = below_of(vfs);
  if ((flags & SQLITE_OPEN_WAL) == 0) return below->xOpen(below, name, out, flags, out_flags);
  auto* file = reinterpret_cast<sqlite3_file*>(reinterpret_cast<char*>(out) + kOwnRoom);
  const int code = below->xOpen(below, name, file, flags, out_flags);
  if (code != SQLITE_OK) {
    if (file->pMethods != nullptr) file->pMethods->xClose(file);
    out->pMethods = nullptr;
    return code;
  }
  new (out) Gathering{{&kLogMethods}, file, {}, 0};
  return SQLITE_OK;
}

}  // namespace

// Everything that has to do with names, time and chance is asked below, with its own VFS.
GatheringVfs::GatheringVfs(std::string name, const char* below) : name_(std::move(name)) {
  sqlite3_vfs* base = sqlite3_vfs_find(below);
  vfs_ = std::make_unique<sqlite3_vfs>();
  vfs_->iVersion = 2;
  vfs_->szOsFile = static_cast<int>(kOwnRoom) + base->szOsFile;
  vfs_->mxPathname = base->mxPathname;
  vfs_->zName = name_.c_str();
  vfs_->pAppData = base;
  vfs_->xOpen = open;
  vfs_->xDelete = [](sqlite3_vfs* v, const char* file, int sync) {
    return below_of(v)->xDelete(below_of(v), file, sync);
  };
  vfs_->xAccess = [](sqlite3_vfs* v, const char* file, int flags, int* out) {
    return below_of(v)->xAccess(below_of(v), file, flags, out);
  };
  vfs_->xFullPathname = [](sqlite3_vfs* v, const char* file, int size, char* out) {
    return below_of(v)->xFullPathname(below_of(v), file, size, out);
  };
  vfs_->xRandomness = [](sqlite3_vfs* v, int size, char* out) {
    return below_of(v)->xRandomness(below_of(v), size, out);
  };
  vfs_->xSleep = [](sqlite3_vfs* v, int micros) {
    return below_of(v)->xSleep(below_of(v), micros);
  };
  vfs_->xCurrentTime = [](sqlite3_vfs* v, double* out) {
    return below_of(v)->xCurrentTime(below_of(v), out);
  };
  vfs_->xGetLastError = [](sqlite3_vfs* v, int size, char* out) {
    return below_of(v)->xGetLastError(below_of(v), size, out);
  };
  vfs_->xCurrentTimeInt64 = [](sqlite3_vfs* v, sqlite3_int64* out) {
    return below_of(v)->xCurrentTimeInt64(below_of(v), out);
  };
  sqlite3_vfs_register(vfs_.get(), 0);
}

GatheringVfs::~GatheringVfs() { sqlite3_vfs_unregister(vfs_.get()); }

}  // namespace rouse::sqlite
