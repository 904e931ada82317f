#include "store/sqlite/connection.h"

#include <cerrno>

#include <fmt/format.h>

#include "base/text.h"
#include "store/sqlite/library.h"

namespace rouse::sqlite {
namespace {

bool out_of_space(sqlite3* db, int code) {
  if ((code & 0xff) == SQLITE_FULL) return true;
  const int os = db == nullptr ? 0 : sqlite3_system_errno(db);
  return (code & 0xff) == SQLITE_IOERR && (os == ENOSPC || os == EDQUOT);
}

// A file name as SQLite's URI wants it: '/' stays, what it would read as syntax is escaped.
std::string to_uri(const std::string& path) {
  std::string uri = "file:";
  for (const char c : path) uri += c == '/' ? "/" : percent_encode(std::string_view(&c, 1));
  return uri;
}

// Interrupts a read that takes too long: a reader pins the WAL while it runs (PF-5).
class TimeLimit {
 public:
  TimeLimit(sqlite3* db, const Clock& clock, Millis limit)
      : db_(db), clock_(clock), end_(clock.mono_now() + limit) {
    sqlite3_progress_handler(
        db_, 2000,
        [](void* self) {
          const auto* limit_ = static_cast<TimeLimit*>(self);
          return limit_->clock_.mono_now() >= limit_->end_ ? 1 : 0;
        },
        this);
  }
  ~TimeLimit() { sqlite3_progress_handler(db_, 0, nullptr, nullptr); }
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;

 private:
  sqlite3* db_;
  const Clock& clock_;
  MonoTime end_;
};

}  // namespace

Error to_error(sqlite3* db, int code, std::string_view doing) {
  const char* words = db == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(db);
  const std::string text = fmt::format("{}: {}", doing, words);
  if (out_of_space(db, code)) {
    return Error(
        StoreErrc::kFull,
        fmt::format("the disk is full; nothing was changed. Free some space, then try again "
                    "({})",
                    text));
  }
  switch (code & 0xff) {
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
      return Error(StoreErrc::kConflict, text);
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return Error(StoreErrc::kCorrupt, text);
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return Error(StoreErrc::kReadOnly, text);
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
      return Error(StoreErrc::kIo, text);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return Error(StoreErrc::kOverloaded,
                   fmt::format("another program holds the database, try again later ({})", text));
    case SQLITE_TOOBIG:
      return Error(Errc::kTooLarge, text);
    case SQLITE_NOMEM:
      return Error(Errc::kUnavailable, text);
    case SQLITE_INTERRUPT:
      return Error(Errc::kTimeout, text);
    default:
      return Error(StoreErrc::kBadSql, text);
  }
}

bool breaks_transaction(int code) {
  switch (code & 0xff) {
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_NOMEM:
    case SQLITE_BUSY:
      return true;
    default:
      return false;
  }
}

Result<Connection> Connection::open(const std::string& path, Access access,
                                    const ConnectionOptions& options) {
  int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  flags |= access == Access::kReadWrite ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
  std::string name = path;
  if (access == Access::kImmutable) {
    flags |= SQLITE_OPEN_URI;
    name = to_uri(path) + "?immutable=1";
  }
  set_up_library();
  sqlite3* raw = nullptr;
  const int code = sqlite3_open_v2(name.c_str(), &raw, flags, options.vfs);
  Connection connection(raw);
  if (code != SQLITE_OK) return fail(to_error(raw, code, "cannot open " + path));
  TRY_VOID(connection.configure(options));
  return connection;
}

Result<void> Connection::configure(const ConnectionOptions& options) {
  sqlite3_busy_timeout(raw(), static_cast<int>(options.busy_wait.count));
  sqlite3_db_config(raw(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, options.checkpoint_on_close ? 0 : 1,
                    nullptr);
  sqlite3_db_config(raw(), SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(raw(), SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(raw(), SQLITE_DBCONFIG_ENABLE_FKEY, 1, nullptr);
  // A plan depends on the query alone. Else one whose LIMIT is a parameter is made anew each time.
  sqlite3_db_config(raw(), SQLITE_DBCONFIG_ENABLE_QPSG, 1, nullptr);
  return exec(fmt::format("PRAGMA cache_size=-{}; PRAGMA mmap_size=0; PRAGMA temp_store=MEMORY",
                          options.cache_kib));
}

Result<void> Connection::exec(const std::string& sql) {
  const int code = sqlite3_exec(raw(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return fail(to_error(raw(), code, sql));
  return {};
}

Result<std::string> Connection::text(const std::string& sql) {
  TRY(auto statement, PreparedStatement::prepare(raw(), sql));
  const int code = statement.step();
  if (code != SQLITE_ROW) return fail(to_error(raw(), code, sql));
  const Row row = statement.row();
  if (row.is_null(0)) return std::string();
  if (const auto* n = std::get_if<std::int64_t>(&row.value(0))) return std::to_string(*n);
  return row.text(0);
}

Result<std::int64_t> Connection::integer(const std::string& sql) {
  TRY(auto statement, PreparedStatement::prepare(raw(), sql));
  const int code = statement.step();
  if (code != SQLITE_ROW) return fail(to_error(raw(), code, sql));
  return statement.row().integer(0);
}

Result<Rows> Connection::query(const Query& query, const Clock& clock, Millis time_limit) {
  TRY(PreparedStatement * statement, prepare(query.sql));
  const StatementUse use(*statement);
  TRY_VOID(statement->bind(query.params));
  const TimeLimit limit(raw(), clock, time_limit);
  Rows rows;
  std::size_t bytes = 0;
  int code = SQLITE_ROW;
  while ((code = statement->step()) == SQLITE_ROW) {
    if (rows.size() >= query.max_rows) {
      return fail(StoreErrc::kTooManyRows,
                  fmt::format("more than {} rows for: {}", query.max_rows, trim(query.sql)));
    }
    rows.push_back(statement->row());
    if (query.max_bytes > 0 && (bytes += rows.back().bytes()) >= query.max_bytes) return rows;
  }
  if (code == SQLITE_DONE) return rows;
  if (code == SQLITE_INTERRUPT) {
    return fail(Errc::kTimeout, fmt::format("the read took longer than {}; ask for less at a time",
                                            to_words(time_limit)));
  }
  return fail(to_error(raw(), code, trim(query.sql)));
}

}  // namespace rouse::sqlite
