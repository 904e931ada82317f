#include "store/sqlite/writer.h"

#include <algorithm>
#include <exception>
#include <iterator>

#include <fmt/format.h>

#include "base/fault.h"
#include "base/stopwatch.h"

namespace rouse::sqlite {
namespace {

// So long a turn may take from the write that begins it to the one that ends it, if they are to be
// made durable together: a model that answers at once.
constexpr std::int64_t kMomentUs = 400;

// Of a long write so many run before somebody else may have the processor: the loop and those who
// talk with it work on.
constexpr std::size_t kStatementsAtATime = 32;

// A write so large is freed where it ran: the loop has more urgent things to do.
constexpr std::size_t kMuchBytes = 64 << 10;

std::size_t size_of(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return text->size();
  if (const auto* blob = std::get_if<Blob>(&value)) return blob->bytes.size();
  return sizeof(std::int64_t);
}

std::size_t size_of(const Write& write) {
  std::size_t bytes = 64;
  for (const auto& statement : write.statements) {
    bytes += 64;
    for (const auto& value : statement.params) bytes += size_of(value) + 16;
  }
  return bytes;
}

// A lone statement is undone by SQLite itself when it fails. Anything else may have changed
// something by then.
bool can_fail_halfway(const Write& write) {
  return write.statements.size() > 1 || std::ranges::any_of(write.statements, [](const auto& s) {
           return s.expect_rows.has_value();
         });
}

}  // namespace

GroupWriter::GroupWriter(Connection db, std::string database, std::int64_t epoch, Loop& loop,
                         Platform& platform, const StoreLimits& limits)
    : loop_(loop),
      platform_(platform),
      limits_(limits),
      epoch_(epoch),
      db_(std::move(db)),
      runner_(platform.make_runner("rouse-writer")) {
  wal_.emplace(*db_, limits_, std::move(database), platform);
}

GroupWriter::~GroupWriter() { runner_.reset(); }

Task<Result<Written>> GroupWriter::write(Write write) {
  return complete_later<Result<Written>>(
      [this, w = std::move(write)](Completer<Result<Written>> done) mutable {
        enqueue(std::move(w), std::move(done));
      });
}

Result<void> GroupWriter::admit(std::size_t bytes) const {
  if (closing_) return fail(StoreErrc::kClosed, "the store is shutting down");
  if (bytes > limits_.max_write_bytes) {
    return fail(Errc::kTooLarge, fmt::format("one write holds {} bytes, the limit is {}", bytes,
                                             limits_.max_write_bytes));
  }
  if (queue_.size() >= limits_.max_queued_writes ||
      queued_bytes_ + bytes > limits_.max_queued_bytes) {
    return fail(StoreErrc::kOverloaded,
                fmt::format("{} writes are waiting for the disk; try again later", queue_.size()));
  }
  return {};
}

void GroupWriter::enqueue(Write write, Completer<Result<Written>> done) {
  const std::size_t bytes = size_of(write);
  std::unique_lock lock(mutex_);
  if (auto admitted = admit(bytes); !admitted) {
    lock.unlock();
    done(std::unexpected(std::move(admitted).error()));
    return;
  }
  if (write.awaited) loop_.stay_awake(kCommitUs);
  if (write.awaits_more) {
    awaits_more_since_us_ = real_microseconds();
  } else if (write.awaited && real_microseconds() - awaits_more_since_us_ < kMomentUs) {
    more_comes_soon_ = true;
  }
  queue_.push_back({std::move(write), bytes, std::move(done)});
  queued_bytes_ += bytes;
  wake(std::move(lock));
}

void GroupWriter::wake(std::unique_lock<std::mutex> lock) {
  const bool start = !std::exchange(pumping_, true);
  lock.unlock();
  if (start) runner_->run([this] { pump(); });
}

Task<Result<void>> GroupWriter::copy_to(std::string path) {
  return complete_later<Result<void>>(
      [this, path = std::move(path)](Completer<Result<void>> done) mutable {
        std::unique_lock lock(mutex_);
        if (closing_ || copying_) {
          auto refused = closing_ ? Error(StoreErrc::kClosed, "the store is shutting down")
                                  : Error(Errc::kConflict, "another backup is being made");
          lock.unlock();
          done(std::unexpected(std::move(refused)));
          return;
        }
        copying_ = true;
        asked_copy_ = std::make_unique<CopyJob>(std::move(path), std::move(done), std::nullopt);
        wake(std::move(lock));
      });
}

Task<void> GroupWriter::drain() {
  co_await complete_later<bool>([this](Completer<bool> done) {
    std::unique_lock lock(mutex_);
    closing_ = true;
    closers_.push_back(std::move(done));
    wake(std::move(lock));
  });
}

void GroupWriter::release() {
  runner_.reset();
  copy_.reset();
  wal_.reset();
  leave_in_good_order();
  db_.reset();
}

// Everything goes back into the main file, so that it is whole by itself. Then one small commit
// begins a new log: the next start only appends to it and needs a single sync instead of three (new
// file, its directory, its header). If any of this fails, the log is as good as after a crash:
// complete.
void GroupWriter::leave_in_good_order() {
  const int code =
      sqlite3_wal_checkpoint_v2(db_->raw(), nullptr, SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
  if (code != SQLITE_OK) return;
  (void)db_->exec(
      fmt::format("UPDATE rouse_store SET clean_stops = clean_stops + 1 "
                  "WHERE id = 1 AND epoch = {}",
                  epoch_));
}

StoreHealth GroupWriter::health() const {
  const std::lock_guard lock(mutex_);
  return {.ok = problem_.empty(),
          .problem = problem_,
          .wal_bytes = wal_bytes_.load(std::memory_order_relaxed),
          .queued_writes = static_cast<std::int64_t>(queue_.size()),
          .commits = commits_.load(std::memory_order_relaxed),
          .writes = writes_.load(std::memory_order_relaxed)};
}

void GroupWriter::report(std::string problem) {
  const std::lock_guard lock(mutex_);
  if (problem_ != problem) problem_ = std::move(problem);
}

void GroupWriter::pump() {
  if (auto batch = take_batch(); !batch.empty()) commit(std::move(batch));
  step_copy();
  std::unique_lock lock(mutex_);
  if (!queue_.empty() || copying_) {
    lock.unlock();
    runner_->run([this] { pump(); });
    return;
  }
  pumping_ = false;
  auto closers = std::exchange(closers_, {});
  lock.unlock();
  for (auto& done : closers) done(true);
}

GroupWriter::Batch GroupWriter::take_batch() {
  Batch batch;
  std::size_t bytes = 0;
  const std::lock_guard lock(mutex_);
  while (!queue_.empty() && batch.size() < limits_.max_batch_writes &&
         (batch.empty() || bytes + queue_.front().bytes <= limits_.max_batch_bytes)) {
    bytes += queue_.front().bytes;
    batch.push_back(std::move(queue_.front()));
    queue_.pop_front();
  }
  queued_bytes_ -= bytes;
  return batch;
}

void GroupWriter::commit(Batch batch) {
  std::vector<Result<Written>> results;
  try {
    results = run_batch(batch, Guard::kNone);
    if (commit_refused_ && batch.size() > 1) results = run_one_by_one(batch);
  } catch (const std::exception& e) {
    // Only a fault point or exhausted memory comes here. Nobody can say how far it got.
    roll_back();
    results.assign(batch.size(),
                   fail(StoreErrc::kIo, fmt::format("the write's outcome is not known: "
                                                    "{}",
                                                    e.what())));
  }
  const std::size_t writes = batch.size();
  for (Pending& pending : batch) {
    if (pending.bytes > kMuchBytes) pending.write = {};
  }
  loop_.post([batch = std::move(batch), results = std::move(results), answered = answered_,
              loop = &loop_]() mutable {
    ++*answered;
    for (std::size_t i = 0; i < batch.size(); ++i) batch[i].done(std::move(results[i]));
    // What the loop made goes back where it came from, after those who waited have their answers:
    // to free it from another thread costs both a lock.
    loop->post([batch = std::move(batch)] {});
    loop->rest();
  });
  care_for_log(writes);
}

void GroupWriter::care_for_log(std::size_t writes) {
  try {
    wal_->after_commit(writes);
  } catch (const std::exception& e) {  // a fault point; the log simply stays as long as it is
    report(e.what());
  }
  wal_bytes_ = wal_->bytes();
  if (!wal_->problem().empty()) report(wal_->problem());
}

// Nearly every write holds, and a savepoint for each costs a copy of every page that two of them
// change. So none is guarded at first; when one fails halfway, all are undone and run again, each
// in its savepoint.
std::vector<Result<Written>> GroupWriter::run_batch(Batch& batch, Guard guard) {
  broken_ = false;
  commit_refused_ = false;
  std::vector<Result<Written>> results;
  results.reserve(batch.size());
  const auto all_fail = [&](Error error) {
    roll_back();
    // A fault of the world stays visible in health until a commit succeeds again.
    if (!commit_refused_) report(error.message);
    results.assign(batch.size(), std::unexpected(std::move(error)));
    return std::move(results);
  };
  if (auto begun = begin(); !begun) return all_fail(std::move(begun).error());
  const std::int64_t no_longer_us = real_microseconds() + kMomentUs;
  do {
    for (std::size_t i = results.size(); i < batch.size(); ++i) {
      const Write& write = batch[i].write;
      results.push_back(guard == Guard::kNone ? run_statements(write) : apply(write));
      if (broken_) return all_fail(std::move(results.back()).error());
      if (results.back() || guard != Guard::kNone || batch.size() == 1) continue;
      if (!can_fail_halfway(write)) continue;
      roll_back();
      return run_batch(batch, Guard::kSavepoints);
    }
    if (batch.size() == 1 && !results.front()) {
      roll_back();
      return results;
    }
  } while (guard == Guard::kNone && wait_for_more(batch, no_longer_us));
  FAULT_POINT("store.before_commit");
  if (const int code = command("COMMIT"); code != SQLITE_DONE) {
    commit_refused_ = (code & 0xff) == SQLITE_CONSTRAINT;
    return all_fail(to_error(db_->raw(), code, "the commit failed"));
  }
  FAULT_POINT("store.after_commit");
  commits_.fetch_add(1, std::memory_order_relaxed);
  writes_.fetch_add(batch.size(), std::memory_order_relaxed);
  report({});
  return results;
}

// Those that are not in a hurry wait for a moment, with their statements done, for one that is:
// then one sync serves all. Only where such a one came soon the last time. False: nothing more
// came.
bool GroupWriter::wait_for_more(Batch& batch, std::int64_t no_longer_us) {
  const bool none_hurries =
      std::ranges::all_of(batch, [](const Pending& pending) { return pending.write.awaits_more; });
  if (!none_hurries) return false;
  const auto something_came = [this] {
    const std::lock_guard lock(mutex_);
    return !queue_.empty() || closing_ || !more_comes_soon_;
  };
  const bool came = runner_->linger(no_longer_us, something_came);
  Batch more = take_batch();
  if (!came) {
    const std::lock_guard lock(mutex_);
    more_comes_soon_ = false;
  }
  std::ranges::move(more, std::back_inserter(batch));
  return !more.empty();
}

// A constraint checked only by COMMIT doesn't say whose fault it is. So each gets its own.
std::vector<Result<Written>> GroupWriter::run_one_by_one(const Batch& batch) {
  std::vector<Result<Written>> results;
  for (const auto& pending : batch) {
    Batch alone;
    alone.push_back({pending.write, pending.bytes, {}});
    alone.front().write.awaits_more = false;
    results.push_back(std::move(run_batch(alone, Guard::kNone).front()));
  }
  return results;
}

// A file that was deleted or moved away still takes writes, and they would be gone with it.
Result<void> GroupWriter::check_place() {
  int moved = 0;
  const int code = sqlite3_file_control(db_->raw(), "main", SQLITE_FCNTL_HAS_MOVED, &moved);
  if (code != SQLITE_OK || moved == 0) return {};
  return fail(StoreErrc::kIo,
              "the store's file was moved or deleted under the running server; nothing more is "
              "written. What it holds can still be saved with: rouse backup FILE");
}

Result<void> GroupWriter::begin() {
  TRY_VOID(check_place());
  TRY_VOID(wal_->make_room());
  if (const int code = command("BEGIN IMMEDIATE"); code != SQLITE_DONE) {
    return fail(to_error(db_->raw(), code, "cannot begin to write"));
  }
  return check_epoch();
}

// CR-19: whoever opened the store after us has raised the epoch, and we are no longer the owner.
Result<void> GroupWriter::check_epoch() {
  TRY(PreparedStatement * statement, db_->prepare("SELECT epoch FROM rouse_store WHERE id = 1"));
  const StatementUse use(*statement);
  const int code = statement->step();
  if (code != SQLITE_ROW) return fail(to_error(db_->raw(), code, "cannot read the owner's epoch"));
  const std::int64_t now = statement->row().integer(0);
  if (now == epoch_) return {};
  return fail(StoreErrc::kFenced,
              fmt::format("another rouse has taken over this store (its epoch is {}, ours {}); "
                          "nothing more is written here. Restart this one",
                          now, epoch_));
}

Result<Written> GroupWriter::apply(const Write& write) {
  if (!can_fail_halfway(write)) return run_statements(write);
  if (const int code = command("SAVEPOINT one_write"); code != SQLITE_DONE) {
    broken_ = true;
    return fail(to_error(db_->raw(), code, "cannot set a savepoint"));
  }
  auto result = run_statements(write);
  if (broken_) return result;
  if ((!result && command("ROLLBACK TO one_write") != SQLITE_DONE) ||
      command("RELEASE one_write") != SQLITE_DONE) {
    broken_ = true;
    return fail(to_error(db_->raw(), sqlite3_errcode(db_->raw()), "cannot end a savepoint"));
  }
  return result;
}

Result<Written> GroupWriter::run_statements(const Write& write) {
  Written written;
  for (const auto& statement : write.statements) {
    TRY(const std::int64_t rows, run_statement(statement));
    if (statement.expect_rows && *statement.expect_rows != rows) {
      return fail(StoreErrc::kConflict, fmt::format("{} rows changed, {} expected: {}", rows,
                                                    *statement.expect_rows, statement.sql));
    }
    written.rows_changed.push_back(rows);
    if (written.rows_changed.size() % kStatementsAtATime == 0) runner_->give_way();
  }
  return written;
}

Result<std::int64_t> GroupWriter::run_statement(const Statement& statement) {
  TRY(PreparedStatement * prepared, db_->prepare(statement.sql));
  const StatementUse use(*prepared);
  TRY_VOID(prepared->bind(statement.params));
  int code = SQLITE_ROW;
  while (code == SQLITE_ROW) code = prepared->step();
  if (code != SQLITE_DONE) {
    broken_ = breaks_transaction(code) || !db_->in_transaction();
    return fail(to_error(db_->raw(), code, statement.sql));
  }
  if (!db_->in_transaction()) {
    broken_ = true;
    return fail(StoreErrc::kBadSql,
                fmt::format("a write must not end the transaction: {}", statement.sql));
  }
  return prepared->changes_rows() ? std::int64_t{sqlite3_changes64(db_->raw())} : 0;
}

int GroupWriter::command(std::string_view sql) {
  auto statement = db_->prepare(sql);
  if (!statement) return sqlite3_extended_errcode(db_->raw());
  const StatementUse use(**statement);
  return (*statement)->step();
}

void GroupWriter::roll_back() {
  // SQLite has already rolled back after some failures; then there is nothing to do.
  if (db_->in_transaction()) command("ROLLBACK");
}

void GroupWriter::step_copy() {
  bool closing = false;
  {
    const std::lock_guard lock(mutex_);
    if (copy_ == nullptr) copy_ = std::move(asked_copy_);
    closing = closing_;
  }
  if (copy_ == nullptr) return;
  Result<bool> whole = false;
  if (closing) {  // a stop must not wait for a large copy
    whole = fail(StoreErrc::kClosed, "the store is shutting down; the copy was given up");
  } else if (copy_->copy) {
    whole = copy_->copy->step(limits_.backup_step_pages);
  } else {
    auto begun = DatabaseCopy::begin(*db_, platform_.files(), copy_->path, platform_.vfs());
    if (begun) {
      copy_->copy = std::move(*begun);
    } else {
      whole = std::unexpected(std::move(begun).error());
    }
  }
  if (whole && !*whole) return;
  auto done = std::move(copy_->done);
  copy_.reset();
  {
    const std::lock_guard lock(mutex_);
    copying_ = false;
  }
  done(whole ? Result<void>{} : std::unexpected(std::move(whole).error()));
}

}  // namespace rouse::sqlite
