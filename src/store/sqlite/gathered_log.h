// A log whose writes are gathered. SQLite writes each page of a commit by two calls, its header and
// its content: some forty calls for a turn, each with its way into the kernel, before the fsync
// that counts.
//
// It changes nothing that anybody can see. A commit ends with a sync, which hands on first and then
// syncs, and only after that SQLite tells other connections of the new pages; so nobody looks for
// what is still here. (That is why every connection must run with synchronous=FULL or EXTRA.) What
// its own connection reads, and every other call, hands on first. A failure to hand on is the
// failure of the sync: the commit fails, as if its last write had.
//
// For the same reason a sync by a connection that wrote nothing since its last one has nothing to
// do, and the disk is spared it: what others wrote was synced before it could be seen. SQLite asks
// for one at the beginning of each checkpoint. The first sync of a connection is always done; it
// covers what a process that died has left behind.
#pragma once

#include <cstddef>

#include <sqlite3.h>

namespace rouse::sqlite {

// What open_gathered_log() needs beside the file below.
extern const std::size_t kGatheredLogRoom;

int open_gathered_log(sqlite3_vfs* below, sqlite3_filename name, sqlite3_file* out, int flags,
                      int* out_flags);

}  // namespace rouse::sqlite
