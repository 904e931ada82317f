#include "store/sqlite/statement.h"

#include <charconv>

#include <fmt/format.h>

#include "base/text.h"
#include "store/sqlite/connection.h"

namespace rouse::sqlite {
namespace {

std::string shown(std::string_view sql) { return std::string(utf8_prefix(trim(sql), 200)); }

bool starts_a_change(std::string_view sql) {
  const auto word = trim(sql).substr(0, 6);
  return iequals_ascii(word, "INSERT") || iequals_ascii(word, "UPDATE") ||
         iequals_ascii(word, "DELETE");
}

// The n of "$n", or 0.
std::size_t parameter_number(const char* name) {
  if (name == nullptr || name[0] != '$') return 0;
  const std::string_view digits(name + 1);
  std::size_t n = 0;
  const auto [end, ec] = std::from_chars(digits.data(), digits.data() + digits.size(), n);
  return ec == std::errc{} && end == digits.data() + digits.size() ? n : 0;
}

}  // namespace

Result<PreparedStatement> PreparedStatement::prepare(sqlite3* db, std::string_view sql) {
  sqlite3_stmt* raw = nullptr;
  const char* tail = nullptr;
  const int code = sqlite3_prepare_v3(db, sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &raw, &tail);
  PreparedStatement statement(raw);
  if (code != SQLITE_OK) return fail(to_error(db, code, shown(sql)));
  const std::string_view rest(tail, static_cast<std::size_t>(sql.data() + sql.size() - tail));
  if (raw == nullptr || !trim(rest).empty()) {
    return fail(StoreErrc::kBadSql, fmt::format("not exactly one statement: {}", shown(sql)));
  }
  for (int i = 1; i <= sqlite3_bind_parameter_count(raw); ++i) {
    const std::size_t n = parameter_number(sqlite3_bind_parameter_name(raw, i));
    if (n == 0) {
      return fail(StoreErrc::kBadSql, fmt::format("parameters are $1, $2 …: {}", shown(sql)));
    }
    statement.numbers_.push_back(n);
    statement.highest_ = std::max(statement.highest_, n);
  }
  statement.changes_rows_ = starts_a_change(sql);
  return statement;
}

int PreparedStatement::bind_one(int index, const Value& value) {
  sqlite3_stmt* stmt = stmt_.get();
  if (const auto* n = std::get_if<std::int64_t>(&value)) return sqlite3_bind_int64(stmt, index, *n);
  if (const auto* d = std::get_if<double>(&value)) return sqlite3_bind_double(stmt, index, *d);
  if (const auto* text = std::get_if<std::string>(&value)) {
    return sqlite3_bind_text64(stmt, index, text->data(), text->size(), SQLITE_STATIC, SQLITE_UTF8);
  }
  if (const auto* blob = std::get_if<Blob>(&value)) {
    // A null pointer would bind NULL; an empty blob is not NULL.
    if (blob->bytes.empty()) return sqlite3_bind_zeroblob(stmt, index, 0);
    return sqlite3_bind_blob64(stmt, index, blob->bytes.data(), blob->bytes.size(), SQLITE_STATIC);
  }
  return sqlite3_bind_null(stmt, index);
}

Result<void> PreparedStatement::bind(std::span<const Value> params) {
  if (params.size() != highest_) {
    return fail(StoreErrc::kBadSql, fmt::format("{} parameters for ${}: {}", params.size(),
                                                highest_, shown(sqlite3_sql(stmt_.get()))));
  }
  for (std::size_t i = 0; i < numbers_.size(); ++i) {
    const int code = bind_one(static_cast<int>(i) + 1, params[numbers_[i] - 1]);
    if (code != SQLITE_OK) {
      return fail(to_error(sqlite3_db_handle(stmt_.get()), code, "a parameter can't be bound"));
    }
  }
  return {};
}

Row PreparedStatement::row() const {
  sqlite3_stmt* stmt = stmt_.get();
  const int count = sqlite3_column_count(stmt);
  std::vector<Value> columns;
  columns.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    switch (sqlite3_column_type(stmt, i)) {
      case SQLITE_INTEGER:
        columns.emplace_back(std::int64_t{sqlite3_column_int64(stmt, i)});
        break;
      case SQLITE_FLOAT:
        columns.emplace_back(sqlite3_column_double(stmt, i));
        break;
      case SQLITE_TEXT: {
        const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(stmt, i));
        columns.emplace_back(
            std::string(text, static_cast<std::size_t>(sqlite3_column_bytes(stmt, i))));
        break;
      }
      case SQLITE_BLOB: {
        const auto* bytes = static_cast<const char*>(sqlite3_column_blob(stmt, i));
        const auto size = static_cast<std::size_t>(sqlite3_column_bytes(stmt, i));
        columns.emplace_back(Blob{size == 0 ? std::string() : std::string(bytes, size)});
        break;
      }
      default:
        columns.emplace_back(std::monostate{});
    }
  }
  return Row(std::move(columns));
}

void PreparedStatement::reset() {
  sqlite3_reset(stmt_.get());
  sqlite3_clear_bindings(stmt_.get());
}

Result<PreparedStatement*> StatementCache::get(sqlite3* db, std::string_view sql) {
  if (const auto found = by_text_.find(sql); found != by_text_.end()) {
    by_age_.splice(by_age_.begin(), by_age_, found->second);
    return &by_age_.front().statement;
  }
  TRY(auto statement, PreparedStatement::prepare(db, sql));
  if (by_age_.size() >= capacity_) {
    by_text_.erase(by_age_.back().sql);
    by_age_.pop_back();
  }
  by_age_.push_front({std::string(sql), std::move(statement)});
  by_text_.emplace(by_age_.front().sql, by_age_.begin());
  return &by_age_.front().statement;
}

}  // namespace rouse::sqlite
