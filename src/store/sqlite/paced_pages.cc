#include "store/sqlite/paced_pages.h"

#include <memory>

namespace rouse::sqlite {
namespace {

// Fewer are a shorter wait for others. With less than this the copies fall behind a busy writer.
constexpr int kWritesAtATime = 64;

// The file is the one below; behind it stand its methods, one of them ours.
struct Paced {
  sqlite3_io_methods methods;
  const sqlite3_io_methods* below;
  int writes;  // since the last sync
};
static_assert(offsetof(Paced, methods) == 0);

int write(sqlite3_file* file, const void* data, int size, sqlite3_int64 offset) {
  // The methods of such a file are always part of a Paced that may be changed.
  auto& paced = *reinterpret_cast<Paced*>(const_cast<sqlite3_io_methods*>(file->pMethods));
  const int code = paced.below->xWrite(file, data, size, offset);
  if (code != SQLITE_OK || ++paced.writes < kWritesAtATime) return code;
  paced.writes = 0;
  return paced.below->xSync(file, SQLITE_SYNC_NORMAL | SQLITE_SYNC_DATAONLY);
}

std::size_t place_behind(const sqlite3_vfs* below) {
  constexpr std::size_t kAlign = alignof(Paced);
  return (static_cast<std::size_t>(below->szOsFile) + kAlign - 1) / kAlign * kAlign;
}

}  // namespace

const std::size_t kPacedRoom = sizeof(Paced) + alignof(Paced);

int open_paced(sqlite3_vfs* below, sqlite3_filename name, sqlite3_file* out, int flags,
               int* out_flags) {
  const int code = below->xOpen(below, name, out, flags, out_flags);
  if (code != SQLITE_OK) return code;
  auto* paced = reinterpret_cast<Paced*>(reinterpret_cast<char*>(out) + place_behind(below));
  std::construct_at(paced, *out->pMethods, out->pMethods, 0);
  paced->methods.xWrite = write;
  out->pMethods = &paced->methods;
  return SQLITE_OK;
}

}  // namespace rouse::sqlite
