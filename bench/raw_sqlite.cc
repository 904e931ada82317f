// What SQLite itself does on this disk, with nothing around it: raw_sqlite NEW_FILE ROWS. Writes
// rows of some 200 bytes with one index, a thousand a durable commit (WAL, synchronous=FULL), then
// looks rows up by their key, one after the other. Prints two numbers: rows written a second, rows
// found a second.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <sqlite3.h>

namespace {

[[noreturn]] void die(sqlite3* db, const char* doing) {
  std::fprintf(stderr, "raw_sqlite: %s: %s\n", doing, sqlite3_errmsg(db));
  std::exit(1);
}

void exec(sqlite3* db, const char* sql) {
  if (sqlite3_exec(db, sql, nullptr, nullptr, nullptr) != SQLITE_OK) die(db, sql);
}

sqlite3_stmt* prepare(sqlite3* db, const char* sql) {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(db, sql, -1, &statement, nullptr) != SQLITE_OK) die(db, sql);
  return statement;
}

template <class Work>
double per_second(long count, Work work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  return static_cast<double>(count) / took.count();
}

}  // namespace

int main(int argc, char** argv) {
  const long rows = argc == 3 ? std::atol(argv[2]) : 0;
  if (rows < 100) {
    std::fprintf(stderr, "usage: raw_sqlite NEW_FILE ROWS (at least 100)\n");
    return 2;
  }
  sqlite3* db = nullptr;
  if (sqlite3_open(argv[1], &db) != SQLITE_OK) die(db, argv[1]);
  exec(db, "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL");
  exec(db, "CREATE TABLE rows (id INTEGER PRIMARY KEY, at INTEGER NOT NULL, text TEXT NOT NULL)");
  exec(db, "CREATE INDEX rows_at ON rows (at)");
  sqlite3_stmt* insert = prepare(db, "INSERT INTO rows (id, at, text) VALUES (?1, ?2, ?3)");
  sqlite3_stmt* find = prepare(db, "SELECT at, text FROM rows WHERE id = ?1");
  const std::string text(180, 'x');
  const double written = per_second(rows, [&] {
    for (long i = 0; i < rows; ++i) {
      if (i % 1'000 == 0) exec(db, i == 0 ? "BEGIN" : "COMMIT; BEGIN");
      sqlite3_bind_int64(insert, 1, i);
      sqlite3_bind_int64(insert, 2, i * 7919 % rows);
      sqlite3_bind_text(insert, 3, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
      if (sqlite3_step(insert) != SQLITE_DONE) die(db, "insert");
      sqlite3_reset(insert);
    }
    exec(db, "COMMIT");
  });
  const double found = per_second(rows, [&] {
    for (long i = 0; i < rows; ++i) {
      sqlite3_bind_int64(find, 1, i * 104'729 % rows);
      if (sqlite3_step(find) != SQLITE_ROW) die(db, "find");
      sqlite3_reset(find);
    }
  });
  std::printf("%.0f %.0f\n", written, found);
}
