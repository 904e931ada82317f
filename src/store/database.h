// The store as the house sees it: a database that takes writes as values and answers reads. It
// knows no SQL dialect of its own; every backend proves itself by the contract suite
// (contract_for_tests.h).
//
// - A Write is a value: statements, parameters, expected row counts. No domain code runs inside a
//   transaction. Many writes share one fsync; each stands alone: one bad write fails alone, a
//   failed COMMIT fails the whole batch. When write() answers, the rows are durable.
// - read() is for bounded point reads on the loop. read_page() is for scans, search and export: it
//   runs beside the loop, one page a call, never with a transaction over a second.
// - SQL is the common subset of SQLite and PostgreSQL with $1, $2 … for parameters. Column types in
//   migrations are TEXT, BIGINT, DOUBLE PRECISION, BYTEA; a backend translates. Times are int64 ms
//   UTC. A CLUSTERED TABLE keeps its rows in the order of its primary key, where a backend can.
// - Every backend has one owner at a time. The owner's epoch is checked inside each transaction, so
// a
//   process that lost its ownership can't write any more ("store_fenced").
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/task.h"

namespace rouse {

enum class StoreErrc : std::uint8_t {
  kConflict,     // a statement touched another number of rows than expected, or broke a constraint
  kBadSql,       // a bug: the statement doesn't compile or bind
  kTooManyRows,  // a point read went over its bound
  kFull,         // the disk is full; nothing was changed
  kIo,           // the disk refused to read or write
  kReadOnly,     // the data directory can't be written
  kCorrupt,      // the file is damaged or not a database; never treated as empty
  kOwned,        // another process owns this data directory
  kFenced,       // this process no longer owns the store
  kNewer,        // made by a newer rouse; downgrade is refused
  kOverloaded,   // the write queue is full
  kClosed,       // the store is shutting down
};
ErrorInfo error_info(StoreErrc code);

struct Blob {
  std::string bytes;
  friend bool operator==(const Blob&, const Blob&) = default;
};
using Value = std::variant<std::monostate, std::int64_t, double, std::string, Blob>;

// One row of an answer. The getters assert the column's type: asking for another type is a bug.
class Row {
 public:
  explicit Row(std::vector<Value> columns) : columns_(std::move(columns)) {}
  [[nodiscard]] std::size_t size() const { return columns_.size(); }
  [[nodiscard]] const Value& value(std::size_t i) const { return columns_.at(i); }
  [[nodiscard]] bool is_null(std::size_t i) const {
    return std::holds_alternative<std::monostate>(value(i));
  }
  [[nodiscard]] std::int64_t integer(std::size_t i) const {
    return std::get<std::int64_t>(value(i));
  }
  [[nodiscard]] double real(std::size_t i) const { return std::get<double>(value(i)); }
  [[nodiscard]] const std::string& text(std::size_t i) const {
    return std::get<std::string>(value(i));
  }
  [[nodiscard]] const std::string& blob(std::size_t i) const {
    return std::get<Blob>(value(i)).bytes;
  }
  [[nodiscard]] std::size_t bytes() const;  // of its texts and blobs
  friend bool operator==(const Row&, const Row&) = default;

 private:
  std::vector<Value> columns_;
};
using Rows = std::vector<Row>;

// What stands for $1, $2 …: written as {a, b, c}, each taken over and not copied.
class Params : public std::vector<Value> {
 public:
  struct One {
    One() = default;  // {}: NULL
    template <class T>
      requires std::constructible_from<Value, T>
    One(T&& given) : value(std::forward<T>(given)) {}
    mutable Value value;
  };
  Params() = default;
  Params(std::vector<Value> all) : std::vector<Value>(std::move(all)) {}
  Params(std::initializer_list<One> all);
};

struct Query {
  std::string_view sql;  // static storage: statements are prepared once and cached by text
  Params params;
  std::size_t max_rows = 1000;
  std::size_t max_bytes = 0;  // the answer ends after the row that passes this; 0: no bound
};

struct Statement {
  std::string_view sql;  // static storage, as above
  Params params;
  std::optional<std::int64_t> expect_rows;  // the write fails with kConflict if it differs
};

// So long a write takes where it is worth staying awake for: a disk that syncs in a moment.
inline constexpr std::int64_t kCommitUs = 400;

struct Write {
  std::vector<Statement> statements;
  // Somebody outside waits for this and for nothing else: the answer is worth a little CPU.
  bool awaited = false;
  // A write that is awaited is likely to follow within a moment, and nobody outside is told of this
  // one before: both may become durable together.
  bool awaits_more = false;
};

struct Written {
  std::vector<std::int64_t> rows_changed;  // one a statement
};

struct StoreHealth {
  bool ok = true;
  std::string problem;  // for a person, empty when ok
  std::int64_t wal_bytes = 0;
  std::int64_t queued_writes = 0;
  std::uint64_t commits = 0;  // transactions, each with one fsync
  std::uint64_t writes = 0;   // writes inside them
};

class Database {
 public:
  virtual ~Database() = default;

  // Durable when it answers with a value. Rejected at once with kOverloaded when the queue is full.
  // Parameters are taken by value; the write is applied in the order of the calls.
  virtual Task<Result<Written>> write(Write write) = 0;

  // A bounded read on the loop's own connection: sees every write that was answered before.
  virtual Result<Rows> read(const Query& query) = 0;

  // A read beside the loop. Bring your own paging (… WHERE id > $1 ORDER BY id LIMIT $2).
  virtual Task<Result<Rows>> read_page(Query query) = 0;

  // A consistent copy of the whole store in a new file, made while the server works.
  virtual Task<Result<void>> backup(std::string path) = 0;

  // Reads the whole store beside the loop and says what is damaged, if anything (`rouse doctor`).
  // Needs as much free space as the store takes.
  virtual Task<Result<void>> verify() = 0;

  [[nodiscard]] virtual std::int64_t owner_epoch() const = 0;
  [[nodiscard]] virtual StoreHealth health() const = 0;

  // Lets queued writes commit, then stops taking more. Called once, at the end.
  virtual Task<void> close() = 0;
};

// Convenience for the common case of one statement.
inline Write one(std::string_view sql, std::vector<Value> params,
                 std::optional<std::int64_t> expect_rows = std::nullopt) {
  Write write;
  write.statements.push_back({sql, std::move(params), expect_rows});
  return write;
}

}  // namespace rouse
