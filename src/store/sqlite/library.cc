#include "store/sqlite/library.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <sqlite3.h>

namespace rouse::sqlite {
namespace {

// Only the owner of a file may ask for this.
int open_without_atime(const char* path, int flags, int mode) {
  const int file = ::open(path, flags | O_NOATIME, mode);
  return file >= 0 || errno != EPERM ? file : ::open(path, flags, mode);
}

// All that SQLite wants to know of a file, which is not its times.
int stat_without_times(int dir, const char* path, int flags, struct stat* out) {
  constexpr unsigned kWanted = STATX_BASIC_STATS & ~(STATX_ATIME | STATX_MTIME | STATX_CTIME);
  struct statx now{};
  if (::statx(dir, path, flags, kWanted, &now) != 0) return -1;
  *out = {};
  out->st_dev = makedev(now.stx_dev_major, now.stx_dev_minor);
  out->st_ino = now.stx_ino;
  out->st_mode = now.stx_mode;
  out->st_nlink = now.stx_nlink;
  out->st_uid = now.stx_uid;
  out->st_gid = now.stx_gid;
  out->st_size = static_cast<off_t>(now.stx_size);
  out->st_blksize = now.stx_blksize;
  out->st_blocks = static_cast<blkcnt_t>(now.stx_blocks);
  return 0;
}
int stat_path(const char* path, struct stat* out) {
  return stat_without_times(AT_FDCWD, path, 0, out);
}
int stat_file(int file, struct stat* out) {
  return stat_without_times(file, "", AT_EMPTY_PATH, out);
}

template <class Call>
void replace(sqlite3_vfs* posix, const char* name, Call call) {
  posix->xSetSystemCall(posix, name, reinterpret_cast<sqlite3_syscall_ptr>(call));
}

int set_up() {
  const int code = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  sqlite3_vfs* posix = sqlite3_vfs_find(nullptr);
  if (posix != nullptr && posix->xSetSystemCall != nullptr) {
    replace(posix, "open", open_without_atime);
    replace(posix, "stat", stat_path);
    replace(posix, "fstat", stat_file);
  }
  return code;
}

}  // namespace

void set_up_library() { [[maybe_unused]] static const int kCode = set_up(); }

}  // namespace rouse::sqlite
