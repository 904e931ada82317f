#include "store/sqlite/library.h"

#include <cerrno>
#include <fcntl.h>

#include <sqlite3.h>

namespace rouse::sqlite {
namespace {

// Only the owner of a file may ask for this.
int open_without_atime(const char* path, int flags, int mode) {
  const int file = ::open(path, flags | O_NOATIME, mode);
  return file >= 0 || errno != EPERM ? file : ::open(path, flags, mode);
}

int set_up() {
  const int code = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  sqlite3_vfs* posix = sqlite3_vfs_find(nullptr);
  if (posix != nullptr && posix->xSetSystemCall != nullptr) {
    posix->xSetSystemCall(posix, "open", reinterpret_cast<sqlite3_syscall_ptr>(open_without_atime));
  }
  return code;
}

}  // namespace

void set_up_library() { [[maybe_unused]] static const int kCode = set_up(); }

}  // namespace rouse::sqlite
