// A database whose pages go to the disk a few at a time. A checkpoint writes some thousand pages,
// which stay in the kernel until the sync at its end; that sends them all at once, and a commit
// that comes now waits behind every one of them. With a sync now and then it waits behind a few:
// with a million conversations the p99 of a resolve was 54 ms and is 7.6 (`bench.ts --full
// resolve_stored`).
#pragma once

#include <cstddef>

#include <sqlite3.h>

namespace rouse::sqlite {

// What open_paced() needs beside the file below.
extern const std::size_t kPacedRoom;

int open_paced(sqlite3_vfs* below, sqlite3_filename name, sqlite3_file* out, int flags,
               int* out_flags);

}  // namespace rouse::sqlite
