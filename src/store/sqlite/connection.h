// A thin layer over the raw API: one connection, its settings and its prepared statements, closed
// when it goes away. Not thread-safe (SQLITE_OPEN_NOMUTEX): one thread at a time uses a connection.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <sqlite3.h>

#include "base/clock.h"
#include "store/database.h"
#include "store/sqlite/statement.h"

namespace rouse::sqlite {

enum class Access : std::uint8_t {
  kReadWrite,  // the file must exist; creating is the opener's decision, with the opener's modes
  kReadOnly,   // a reader beside the writer
  kImmutable,  // a finished copy that nobody changes: no locks, no -wal, no -shm
};

struct ConnectionOptions {
  const char* vfs = nullptr;  // null: the system's
  int cache_kib = 1024;
  // When the last connection closes, SQLite copies the log back. A start that is going to be
  // refused must not: it leaves the file as it found it.
  bool checkpoint_on_close = true;
  Millis busy_wait = {2000};  // for a stranger's lock; our own connections never block each other
};

// The failure of a call as our error: which class, and SQLite's own words.
Error to_error(sqlite3* db, int code, std::string_view doing);

// True for failures of the world (disk, memory) rather than of one statement: SQLite may have
// rolled the whole transaction back.
bool breaks_transaction(int code);

class Connection {
 public:
  static Result<Connection> open(const std::string& path, Access access,
                                 const ConnectionOptions& options);

  [[nodiscard]] sqlite3* raw() const { return db_.get(); }
  [[nodiscard]] bool in_transaction() const { return sqlite3_get_autocommit(raw()) == 0; }

  // For statements made here, not by callers. Values are ignored by exec, the first is returned by
  // integer() and text().
  Result<void> exec(const std::string& sql);
  Result<std::int64_t> integer(const std::string& sql);
  Result<std::string> text(const std::string& sql);

  // A cached statement, ready to bind. Valid until the next call.
  Result<PreparedStatement*> prepare(std::string_view sql) { return statements_.get(raw(), sql); }

  // A bounded read in a transaction of its own, over when it returns.
  Result<Rows> query(const Query& query, const Clock& clock, Millis time_limit);

 private:
  struct Closer {
    void operator()(sqlite3* db) const { sqlite3_close(db); }
  };
  explicit Connection(sqlite3* db) : db_(db) {}
  Result<void> configure(const ConnectionOptions& options);

  std::unique_ptr<sqlite3, Closer> db_;
  StatementCache statements_;  // after db_: finalized before it closes
};

}  // namespace rouse::sqlite
