#include "store/sqlite/gathered_log.h"

#include <new>
#include <string>

namespace rouse::sqlite {
namespace {

// Of a commit of many pages so much at a time: SQLite's own VFS takes less than 128 KiB by a call.
constexpr std::size_t kMostBytes = 120 * 1024;

// SQLite gives us room for this and, behind it, for the file below.
struct Gathering : sqlite3_file {
  sqlite3_file* below;
  std::string bytes;     // written and not handed on
  sqlite3_int64 at = 0;  // where they begin
  bool synced = false;   // once, and nothing was written here since

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
  log.synced = false;
  return SQLITE_OK;
}

int log_truncate(sqlite3_file* file, sqlite3_int64 size) {
  of(file).synced = false;
  return after_handing_on(
      file, [&](sqlite3_file* below) { return below->pMethods->xTruncate(below, size); });
}

int log_sync(sqlite3_file* file, int flags) {
  if (of(file).synced) return SQLITE_OK;
  const int code = after_handing_on(
      file, [&](sqlite3_file* below) { return below->pMethods->xSync(below, flags); });
  of(file).synced = code == SQLITE_OK;
  return code;
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

}  // namespace

const std::size_t kGatheredLogRoom = kOwnRoom;

int open_gathered_log(sqlite3_vfs* below, sqlite3_filename name, sqlite3_file* out, int flags,
                      int* out_flags) {
  auto* file = reinterpret_cast<sqlite3_file*>(reinterpret_cast<char*>(out) + kOwnRoom);
  const int code = below->xOpen(below, name, file, flags, out_flags);
  if (code != SQLITE_OK) {
    if (file->pMethods != nullptr) file->pMethods->xClose(file);
    out->pMethods = nullptr;
    return code;
  }
  new (out) Gathering{{&kLogMethods}, file, {}};
  return SQLITE_OK;
}

}  // namespace rouse::sqlite
