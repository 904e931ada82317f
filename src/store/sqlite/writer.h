// The one writer: takes all writes that wait, runs them in one transaction, and answers them
// together after one fsync. While the disk is busy with one batch the next one gathers, so
// throughput grows with load and a lone write still costs one fsync.
//
// What is public is called on the loop; everything else happens where the runner runs.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/loop.h"
#include "store/database.h"
#include "store/sqlite/copy.h"
#include "store/sqlite/limits.h"
#include "store/sqlite/platform.h"
#include "store/sqlite/wal_keeper.h"

namespace rouse::sqlite {

class GroupWriter {
 public:
  GroupWriter(Connection db, std::string database, std::int64_t epoch, Loop& loop,
              Platform& platform, const StoreLimits& limits);
  ~GroupWriter();
  GroupWriter(const GroupWriter&) = delete;
  GroupWriter& operator=(const GroupWriter&) = delete;

  Task<Result<Written>> write(Write write);

  // Copies the database to a new file, a few pages between two batches. One copy at a time.
  Task<Result<void>> copy_to(std::string path);

  // Refuses new writes and copies, and returns when those that wait are answered.
  Task<void> drain();
  void release();  // leaves the file in good order and lets go of it; after drain() only

  [[nodiscard]] StoreHealth health() const;
  // How many batches were answered so far, as the loop has seen it.
  [[nodiscard]] std::uint64_t answered() const { return *answered_; }

 private:
  struct Pending {
    Write write;
    std::size_t bytes;
    Completer<Result<Written>> done;
  };
  using Batch = std::vector<Pending>;
  struct CopyJob {
    std::string path;
    Completer<Result<void>> done;
    std::optional<DatabaseCopy> copy;
  };

  // On the loop.
  void enqueue(Write write, Completer<Result<Written>> done);
  Result<void> admit(std::size_t bytes) const;  // the lock is held
  void wake(std::unique_lock<std::mutex> lock);

  // Where the runner runs.
  void pump();  // one batch, one step of a copy; then again if there is more to do
  Batch take_batch();
  void commit(Batch batch);
  enum class Guard : std::uint8_t { kNone, kSavepoints };
  std::vector<Result<Written>> run_batch(Batch& batch, Guard guard);
  std::vector<Result<Written>> run_one_by_one(const Batch& batch);
  bool wait_for_more(Batch& batch, std::int64_t no_longer_us);
  Result<void> check_place();
  Result<void> begin();
  Result<void> check_epoch();
  Result<Written> apply(const Write& write);
  Result<Written> run_statements(const Write& write);
  Result<std::int64_t> run_statement(const Statement& statement);
  int command(std::string_view sql);  // BEGIN, SAVEPOINT …: the code, SQLITE_DONE when it went well
  void roll_back();
  void care_for_log(std::size_t writes);
  void step_copy();
  void leave_in_good_order();
  void report(std::string problem);

  Loop& loop_;
  Platform& platform_;
  const StoreLimits limits_;
  const std::int64_t epoch_;
  // The loop's alone; shared with answers that may come after this writer is gone.
  std::shared_ptr<std::uint64_t> answered_ = std::make_shared<std::uint64_t>(0);
  std::optional<Connection> db_;
  std::optional<WalKeeper> wal_;
  std::unique_ptr<CopyJob> copy_;  // the runner's
  bool broken_ = false;            // the transaction is lost, not only the statement
  bool commit_refused_ = false;    // COMMIT found a constraint that was deferred

  mutable std::mutex mutex_;  // guards what follows
  std::deque<Pending> queue_;
  std::size_t queued_bytes_ = 0;
  std::unique_ptr<CopyJob> asked_copy_;
  std::vector<Completer<bool>> closers_;
  std::int64_t awaits_more_since_us_ = 0;  // when the last write came that awaits more
  bool more_comes_soon_ = false;           // as it did the last time
  bool pumping_ = false;
  bool closing_ = false;
  bool copying_ = false;
  std::string problem_;

  std::atomic<std::int64_t> wal_bytes_ = 0;
  std::atomic<std::uint64_t> commits_ = 0;
  std::atomic<std::uint64_t> writes_ = 0;

  std::unique_ptr<Runner> runner_;  // last: its thread ends before anything above goes away
};

}  // namespace rouse::sqlite
