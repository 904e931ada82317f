// Every bound of the SQLite backend, named in one place. Tests make them small.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/time.h"

namespace rouse::sqlite {

// What a clean stop leaves in the log: its header and one frame (GroupWriter::leave_in_good_order).
// The database file is complete without it.
inline constexpr std::uint64_t kCleanLogBytes = 32 + 24 + 4096;

struct StoreLimits {
  std::size_t max_queued_writes = 8192;
  std::size_t max_queued_bytes = 64 << 20;
  std::size_t max_write_bytes = 16 << 20;  // one write: statements' parameters together
  std::size_t max_batch_writes = 512;      // in one transaction
  std::size_t max_batch_bytes = 4 << 20;
  std::size_t max_queued_pages = 256;
  Millis max_read{1000};  // no read transaction is longer (PF-5)

  // The WAL never grows over 64 MiB (PF-5). Each time it has grown by the first mark, or has
  // reached the second where few wait for a commit, what is in it is copied back beside the writer;
  // from the third on the writer copies the little that is left, so that the log begins anew; from
  // the fourth it is cut to nothing, and from the fifth on writes wait until it could be cut. The
  // rest up to 64 MiB is room for one batch. Small copies keep the p99 low where many wait, rare
  // ones where few do; a late new beginning makes the writer's own part rare (`make bench`, resolve
  // and turn_latency). What comes during the last copy should still fit into the length that the
  // file keeps: to grow costs each sync a change of the file's size.
  std::int64_t wal_copy_bytes = 3 << 20;
  std::int64_t wal_leisure_bytes = 24 << 20;
  std::int64_t wal_restart_bytes = 11 << 20;
  std::int64_t wal_truncate_bytes = 36 << 20;
  std::int64_t wal_refuse_bytes = 44 << 20;
  std::int64_t wal_kept_bytes = 36 << 20;  // the file's length between two rounds

  int backup_step_pages = 128;  // copied between two batches
  int writer_cache_kib = 1024;
  int reader_cache_kib = 512;
};

}  // namespace rouse::sqlite
