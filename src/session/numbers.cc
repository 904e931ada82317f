#include "session/numbers.h"

namespace rouse {
namespace {

Result<std::int64_t> highest(Database& database, std::string_view sql) {
  TRY(const Rows rows, database.read({sql, {}}));
  return rows.front().integer(0);
}

}  // namespace

Result<void> Numbers::load(Database& database) {
  TRY(inbound_, highest(database, "SELECT COALESCE(MAX(number), 0) FROM inbound"));
  TRY(message_, highest(database, "SELECT COALESCE(MAX(position), 0) FROM messages"));
  TRY(turn_, highest(database, "SELECT COALESCE(MAX(number), 0) FROM turns"));
  return {};
}

}  // namespace rouse
