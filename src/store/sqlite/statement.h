// Prepared statements with $1, $2 … parameters bound by number, and a bounded cache of them.
#pragma once

#include <list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <sqlite3.h>

#include "store/database.h"

namespace rouse::sqlite {

class PreparedStatement {
 public:
  static Result<PreparedStatement> prepare(sqlite3* db, std::string_view sql);

  // The parameters must outlive the run: texts and blobs are not copied. Fails with kBadSql when
  // their number is not the highest $n.
  Result<void> bind(std::span<const Value> params);
  int step() { return sqlite3_step(stmt_.get()); }
  [[nodiscard]] Row row() const;
  void reset();  // ends the statement's read and forgets the parameters

  [[nodiscard]] bool changes_rows() const { return changes_rows_; }

 private:
  struct Finalizer {
    void operator()(sqlite3_stmt* stmt) const { sqlite3_finalize(stmt); }
  };
  explicit PreparedStatement(sqlite3_stmt* stmt) : stmt_(stmt) {}
  [[nodiscard]] int bind_one(int index, const Value& value);

  std::unique_ptr<sqlite3_stmt, Finalizer> stmt_;
  std::vector<std::size_t> numbers_;  // SQLite's index - 1 -> n of $n
  std::size_t highest_ = 0;
  bool changes_rows_ = false;  // INSERT, UPDATE, DELETE: sqlite3_changes() speaks of it
};

// Resets the statement at the end of a scope, so that no read transaction stays open behind it.
class StatementUse {
 public:
  explicit StatementUse(PreparedStatement& statement) : statement_(statement) {}
  ~StatementUse() { statement_.reset(); }
  StatementUse(const StatementUse&) = delete;
  StatementUse& operator=(const StatementUse&) = delete;

 private:
  PreparedStatement& statement_;
};

class StatementCache {
 public:
  explicit StatementCache(std::size_t capacity = 96) : capacity_(capacity) {}

  // Valid until the next get(), which may evict the one not used for longest.
  Result<PreparedStatement*> get(sqlite3* db, std::string_view sql);
  [[nodiscard]] std::size_t size() const { return by_age_.size(); }

 private:
  struct Entry {
    std::string sql;
    PreparedStatement statement;
  };
  std::size_t capacity_;
  std::list<Entry> by_age_;  // newest first
  std::unordered_map<std::string_view, std::list<Entry>::iterator> by_text_;
};

}  // namespace rouse::sqlite
