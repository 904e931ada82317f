#include "store/sqlite/paced_pages.h"

#include <memory>

namespace rouse::sqlite {
namespace {

// Fewer are a shorter wait for others. With less than this the copies fall behind a busy writer.
constexpr int kWritesAtATime = 64;

// Numbers up to 100 are SQLite's own; it hands on what it doesn't know.
constexpr int kSetPace = 0x726f7573;

// The file is the one below; behind it stand its methods, some of them ours.
struct Paced {
  sqlite3_io_methods methods;
  const sqlite3_io_methods* below;
  int writes;  // since the last sync
  PagePace* pace;
};
static_assert(offsetof(Paced, methods) == 0);

// The methods of such a file are always part of a Paced that may be changed.
Paced& of(sqlite3_file* file) {
  return *reinterpret_cast<Paced*>(const_cast<sqlite3_io_methods*>(file->pMethods));
}

int sync(sqlite3_file* file, int flags) {
  of(file).writes = 0;
  return of(file).below->xSync(file, flags);
}

int write(sqlite3_file* file, const void* data, int size, sqlite3_int64 offset) {
  Paced& paced = of(file);
  const bool at_leisure =
      paced.pace != nullptr && paced.pace->before_page() == PagePace::Haste::kAtLeisure;
  const int code = paced.below->xWrite(file, data, size, offset);
  if (code != SQLITE_OK) return code;
  if (++paced.writes < (at_leisure ? PagePace::kPagesAtLeisure : kWritesAtATime)) return SQLITE_OK;
  return sync(file, SQLITE_SYNC_NORMAL | SQLITE_SYNC_DATAONLY);
}

int control(sqlite3_file* file, int what, void* argument) {
  if (what != kSetPace) return of(file).below->xFileControl(file, what, argument);
  of(file).pace = static_cast<PagePace*>(argument);
  return SQLITE_OK;
}

std::size_t place_behind(const sqlite3_vfs* below) {
  constexpr std::size_t kAlign = alignof(Paced);
  return (static_cast<std::size_t>(below->szOsFile) + kAlign - 1) / kAlign * kAlign;
}

}  // namespace

const std::size_t kPacedRoom = sizeof(Paced) + alignof(Paced);

void set_pace(sqlite3* db, PagePace* pace) {
  (void)sqlite3_file_control(db, "main", kSetPace, pace);
}

int open_paced(sqlite3_vfs* below, sqlite3_filename name, sqlite3_file* out, int flags,
               int* out_flags) {
  const int code = below->xOpen(below, name, out, flags, out_flags);
  if (code != SQLITE_OK) return code;
  auto* paced = reinterpret_cast<Paced*>(reinterpret_cast<char*>(out) + place_behind(below));
  std::construct_at(paced, *out->pMethods, out->pMethods, 0, nullptr);
  paced->methods.xWrite = write;
  paced->methods.xSync = sync;
  paced->methods.xFileControl = control;
  out->pMethods = &paced->methods;
  return SQLITE_OK;
}

}  // namespace rouse::sqlite
