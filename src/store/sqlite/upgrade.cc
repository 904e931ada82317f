#include "store/sqlite/upgrade.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/fault.h"
#include "base/text.h"
#include "store/sqlite/copy.h"
#include "store/sqlite/dialect.h"

namespace rouse::sqlite {
namespace {

constexpr std::string_view kOwnTables = R"sql(
CREATE TABLE rouse_store (
  id          BIGINT PRIMARY KEY CHECK (id = 1),
  epoch       BIGINT NOT NULL,
  clean_stops BIGINT NOT NULL,
  fingerprint BYTEA NOT NULL
);
CREATE TABLE rouse_steps (
  number     BIGINT PRIMARY KEY,
  name       TEXT NOT NULL,
  hash       BYTEA NOT NULL,
  version    TEXT NOT NULL,
  applied_ms BIGINT NOT NULL
);
INSERT INTO rouse_store VALUES (1, 0, 0, x'')
)sql";

Result<Rows> rows_of(Connection& db, std::string_view sql, std::vector<Value> params = {}) {
  TRY(auto statement, PreparedStatement::prepare(db.raw(), sql));
  TRY_VOID(statement.bind(params));
  Rows rows;
  int code = SQLITE_ROW;
  while ((code = statement.step()) == SQLITE_ROW) rows.push_back(statement.row());
  if (code != SQLITE_DONE) return fail(to_error(db.raw(), code, sql));
  return rows;
}

Result<void> run_script(Connection& db, std::string_view script) {
  for (const auto& sql : to_sqlite(script)) TRY_VOID(db.exec(sql));
  return {};
}

std::string quoted(std::string_view name) {
  std::string text = "\"";
  for (const char c : name) text += c == '"' ? "\"\"" : std::string(1, c);
  return text + "\"";
}

// Changes when any table or index does.
Result<std::string> fingerprint(Connection& db) {
  TRY(const Rows rows, rows_of(db,
                               "SELECT type, name, coalesce(sql, '') FROM sqlite_schema "
                               "WHERE name NOT LIKE 'sqlite~_%' ESCAPE '~' ORDER BY type, name"));
  std::string all;
  for (const Row& row : rows)
    all += fmt::format("{}\n{}\n{}\n", row.text(0), row.text(1), row.text(2));
  return sha256(all);
}

Result<Census> take_census(Connection& db) {
  TRY(const Rows tables,
      rows_of(db,
              "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' "
              "AND name NOT LIKE 'sqlite~_%' ESCAPE '~' AND name NOT LIKE 'rouse~_%' ESCAPE '~'"));
  Census census;
  for (const Row& table : tables) {
    TRY(const Rows columns, rows_of(db, "SELECT name FROM pragma_table_info($1)", {table.text(0)}));
    std::string sql = "SELECT count(*)";
    for (const Row& column : columns) sql += fmt::format(", count({})", quoted(column.text(0)));
    TRY(const Rows counts, rows_of(db, fmt::format("{} FROM {}", sql, quoted(table.text(0)))));
    TableCount& count = census[table.text(0)];
    count.rows = counts[0].integer(0);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      count.filled[columns[i].text(0)] = counts[0].integer(i + 1);
    }
  }
  return census;
}

Result<std::vector<AppliedStep>> applied_steps(Connection& db) {
  TRY(const Rows rows,
      rows_of(db, "SELECT number, hash, version FROM rouse_steps ORDER BY number"));
  std::vector<AppliedStep> applied;
  for (const Row& row : rows) {
    applied.push_back({static_cast<int>(row.integer(0)), row.blob(1), row.text(2)});
  }
  return applied;
}

// True if there is nothing in it yet. Somebody else's database is refused, never taken over.
Result<bool> is_new(Connection& db) {
  TRY(const std::int64_t id, db.integer("PRAGMA application_id"));
  if (id == kApplicationId) return false;
  TRY(const std::int64_t objects, db.integer("SELECT count(*) FROM sqlite_schema"));
  if (id == 0 && objects == 0) return true;
  return fail(StoreErrc::kCorrupt, "it is a database of another program");
}

Result<void> check_fingerprint(Connection& db) {
  TRY(const Rows rows, rows_of(db, "SELECT fingerprint FROM rouse_store WHERE id = 1"));
  TRY(const std::string now, fingerprint(db));
  if (rows.size() == 1 && rows[0].blob(0) == now) return {};
  return fail(StoreErrc::kCorrupt,
              "its tables are not as rouse made them: it is damaged or was changed by another "
              "program");
}

Result<void> record(Connection& db, const Migration& step, const Upgrade& context) {
  TRY_VOID(rows_of(db,
                   "INSERT INTO rouse_steps (number, name, hash, version, applied_ms) "
                   "VALUES ($1, $2, $3, $4, $5)",
                   {std::int64_t{step.number}, std::string(step.name), Blob{step_hash(step)},
                    context.version, context.now.unix_ms}));
  return {};
}

Result<void> check_soundness(Connection& db) {
  TRY(const Rows orphans, rows_of(db, "PRAGMA foreign_key_check"));
  if (!orphans.empty()) {
    return fail(StoreErrc::kConflict,
                fmt::format("table {} would have rows that refer to nothing", orphans[0].text(0)));
  }
  TRY(const std::string verdict, db.text("PRAGMA integrity_check(1)"));
  if (verdict != "ok") return fail(StoreErrc::kCorrupt, verdict);
  return {};
}

Result<void> run_steps(Connection& db, bool fresh, std::span<const Migration> due,
                       const Upgrade& context) {
  TRY(const Census before, take_census(db));
  if (fresh) {
    TRY_VOID(run_script(db, kOwnTables));
    TRY_VOID(db.exec(fmt::format("PRAGMA application_id={}", kApplicationId)));
  }
  for (const Migration& step : due) {
    if (auto ran = run_script(db, step.sql); !ran) {
      return fail(wrap(fmt::format("step {} ('{}')", step.number, step.name), ran.error()));
    }
    TRY_VOID(record(db, step, context));
  }
  FAULT_POINT("store.upgrade_ran");
  TRY(const Census after, take_census(db));
  TRY_VOID(compare_census(before, after, due));
  if (!fresh) TRY_VOID(check_soundness(db));
  TRY(const std::string print, fingerprint(db));
  TRY_VOID(rows_of(db, "UPDATE rouse_store SET fingerprint = $1 WHERE id = 1", {Blob{print}}));
  const int number = due.empty() ? 0 : due.back().number;
  return db.exec(fmt::format("PRAGMA user_version={}", number));
}

Result<void> run_in_one_transaction(Connection& db, bool fresh, std::span<const Migration> due,
                                    const Upgrade& context) {
  // A step may rebuild a table others refer to; references are checked once, before the commit.
  TRY_VOID(db.exec("PRAGMA foreign_keys=OFF"));
  auto done = db.exec("BEGIN IMMEDIATE");
  if (done) done = run_steps(db, fresh, due, context);
  if (done) done = db.exec("COMMIT");
  if (!done && db.in_transaction()) (void)db.exec("ROLLBACK");
  TRY_VOID(db.exec("PRAGMA foreign_keys=ON"));
  return done;
}

Result<std::string> back_up(Connection& db, int first_step, const Upgrade& context) {
  TRY_VOID(context.files.make_private_dir(context.layout.backups()));
  const std::string stem =
      fmt::format("{}/before-{}-{}", context.layout.backups(), first_step, stamp(context.now));
  TRY(const std::string path, free_name(context.files, stem, ".db"));
  TRY_VOID(context.files.remove(partial_name(path)));
  {
    auto copied = [&]() -> Result<bool> {
      TRY(auto copy, DatabaseCopy::begin(db, context.files, partial_name(path), context.vfs));
      return copy.step(-1);
    }();
    if (!copied) {
      (void)context.files.remove(partial_name(path));
      return fail(wrap("cannot back up before the upgrade", std::move(copied).error()));
    }
  }
  TRY_VOID(publish_copy(context.files, path, context.vfs));
  return path;
}

// Only our own, by their time stamp: "before-<n>-<stamp>.db". Failing to tidy is no reason to stop.
void prune_backups(const Upgrade& context) {
  auto names = context.files.list(context.layout.backups());
  if (!names) return;
  std::erase_if(*names, [](const std::string& name) {
    return !name.starts_with("before-") || !name.ends_with(".db");
  });
  const auto time_of = [](const std::string& name) { return name.substr(name.find_last_of('-')); };
  std::ranges::sort(*names, std::greater{}, time_of);
  for (std::size_t i = kKeptUpgradeBackups; i < names->size(); ++i) {
    (void)context.files.remove(context.layout.backups() + "/" + (*names)[i]);
  }
}

}  // namespace

Result<std::span<const Migration>> check_steps(Connection& db, std::span<const Migration> steps,
                                               const std::string& version) {
  TRY(const auto applied, applied_steps(db));
  TRY(const auto due, plan_upgrade(steps, applied, version));
  TRY_VOID(check_fingerprint(db));
  return due;
}

Result<void> upgrade(Connection& db, std::span<const Migration> steps, const Upgrade& context) {
  TRY(const bool fresh, is_new(db));
  TRY(const auto due,
      fresh ? plan_upgrade(steps, {}, context.version) : check_steps(db, steps, context.version));
  if (!fresh && due.empty()) return {};
  std::string backup;
  if (!fresh) {
    TRY(backup, back_up(db, due.front().number, context));
  }
  if (auto done = run_in_one_transaction(db, fresh, due, context); !done) {
    // The store is as it was, so this copy is worth nothing; those of real upgrades are.
    if (!backup.empty()) (void)context.files.remove(backup);
    return fail(wrap("the upgrade was undone and nothing was changed", std::move(done).error()));
  }
  if (!backup.empty()) prune_backups(context);
  return {};
}

}  // namespace rouse::sqlite
