// Keeps the write-ahead log small. SQLite's own automatic checkpoint runs inside the commit and
// gives up silently when a reader is in the way; here the writer asks after it has answered,
// lets the bulk be copied beside it, insists when the log gets long, and says so when somebody
// keeps it from shrinking (PF-5).
#pragma once

#include <cstdint>
#include <string>

#include "store/sqlite/connection.h"
#include "store/sqlite/limits.h"
#include "store/sqlite/wal_copier.h"

namespace rouse::sqlite {

class WalKeeper {
 public:
  WalKeeper(Connection& db, const StoreLimits& limits, std::string database, Platform& platform);
  ~WalKeeper();
  WalKeeper(const WalKeeper&) = delete;
  WalKeeper& operator=(const WalKeeper&) = delete;

  // To be called after each commit of so many writes, once their answers are on the way.
  void after_commit(std::size_t writes);

  // To be called before each batch: kOverloaded when the log is at its bound and can't be cut.
  Result<void> make_room();

  [[nodiscard]] std::int64_t bytes() const { return bytes_; }
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  bool copy_beside();
  [[nodiscard]] bool crowded() const;
  void checkpoint(int mode);
  void truncate();

  Connection& db_;
  const StoreLimits& limits_;
  std::int64_t page_bytes_ = 4096;
  std::int64_t bytes_ = 0;      // of the log's live part
  std::int64_t copied_at_ = 0;  // its length when the last copy beside the writer began
  std::size_t commits_ = 0;     // since the last round, and the writes in them
  std::size_t writes_ = 0;
  std::int64_t next_try_ = 0;  // no new attempt before the log has grown to this
  std::string problem_;
  WalCopier copier_;
};

}  // namespace rouse::sqlite
