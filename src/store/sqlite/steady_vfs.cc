#include "store/sqlite/steady_vfs.h"

#include <algorithm>

#include <sqlite3.h>

#include "store/sqlite/gathered_log.h"
#include "store/sqlite/library.h"
#include "store/sqlite/paced_pages.h"

namespace rouse::sqlite {
namespace {

sqlite3_vfs* below_of(sqlite3_vfs* vfs) { return static_cast<sqlite3_vfs*>(vfs->pAppData); }

int open(sqlite3_vfs* vfs, sqlite3_filename name, sqlite3_file* out, int flags, int* out_flags) {
  sqlite3_vfs* below = below_of(vfs);
  if ((flags & SQLITE_OPEN_WAL) != 0) return open_gathered_log(below, name, out, flags, out_flags);
  if ((flags & SQLITE_OPEN_MAIN_DB) != 0) return open_paced(below, name, out, flags, out_flags);
  return below->xOpen(below, name, out, flags, out_flags);
}

}  // namespace

// Everything that has to do with names, time and chance is asked below, with its own VFS.
SteadyVfs::SteadyVfs(std::string name, const char* below) : name_(std::move(name)) {
  set_up_library();
  sqlite3_vfs* base = sqlite3_vfs_find(below);
  vfs_ = std::make_unique<sqlite3_vfs>();
  vfs_->iVersion = 2;
  vfs_->szOsFile = static_cast<int>(std::max(kGatheredLogRoom, kPacedRoom)) + base->szOsFile;
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

SteadyVfs::~SteadyVfs() { sqlite3_vfs_unregister(vfs_.get()); }

}  // namespace rouse::sqlite
