// A database whose pages go to the disk a few at a time. A checkpoint writes some thousand pages,
// which stay in the kernel until the sync at its end; that sends them all at once, and a commit
// that comes now waits behind every one of them. With a sync now and then it waits behind a few:
// with a million conversations the p99 of a resolve was 54 ms and is 7.6 (`bench.ts --full
// resolve_stored`).
//
// Whoever copies at leisure gives its connection a pace, which is asked before each page and
// returns when that may be written. A few such pages go with one sync, so that neither holds up the
// next commit for long.
#pragma once

#include <cstddef>
#include <cstdint>

#include <sqlite3.h>

namespace rouse::sqlite {

// What open_paced() needs beside the file below.
extern const std::size_t kPacedRoom;

class PagePace {
 public:
  static constexpr int kPagesAtLeisure = 8;  // with one sync
  enum class Haste : std::uint8_t { kAtLeisure, kInAHurry };
  virtual ~PagePace() = default;
  virtual Haste before_page() = 0;
};

// For the pages that this connection writes from now on; the pace outlives the connection. Without
// effect where the file is none of ours.
void set_pace(sqlite3* db, PagePace* pace);

int open_paced(sqlite3_vfs* below, sqlite3_filename name, sqlite3_file* out, int flags,
               int* out_flags);

}  // namespace rouse::sqlite
