#include "store/sqlite/open.h"

#include <fmt/format.h>

#include "base/fault.h"
#include "store/sqlite/layout.h"
#include "store/sqlite/own.h"
#include "store/sqlite/sqlite_database.h"
#include "store/sqlite/upgrade.h"

namespace rouse {
namespace sqlite {
namespace {

std::string advice(const Layout& layout) {
  return fmt::format(
      "Restore a backup with `rouse restore FILE` (look in {}), or start with another "
      "--data. Nothing was changed",
      layout.backups());
}

// Whole pages only, unless a log or journal is still to be played back. SQLite itself would fill
// the rest of a cut page with zeros.
Result<void> check_length(Files& files, const Layout& layout, std::int64_t size, std::int64_t wal) {
  TRY(const auto journal, files.size(layout.journal()));
  if (size % kPageBytes == 0 || wal > 0 || journal.value_or(0) > 0) return {};
  return fail(StoreErrc::kCorrupt,
              fmt::format("{} can't be used: it is cut off or not a database ({} bytes). {}",
                          layout.database(), size, advice(layout)));
}

// SQLite takes the number of pages from the log, if there is one, and reads what is missing in the
// main file as zeros. A log can only stand in for pages it holds, and one that adds pages also
// holds page 1.
Result<void> check_whole(Connection& db, Files& files, const Layout& layout) {
  TRY(const std::int64_t pages, db.integer("PRAGMA page_count"));
  TRY(const auto size, files.size(layout.database()));
  TRY(const auto wal, files.size(layout.wal()));
  const std::int64_t frames = wal.value_or(0) / (kPageBytes + 24);
  const std::int64_t missing = pages - size.value_or(0) / kPageBytes;
  if (missing <= 0 || missing < frames) return {};
  return fail(StoreErrc::kCorrupt, fmt::format("{} of its {} pages are missing", missing, pages));
}

// Makes an empty file where there never was a store, and refuses where one has gone missing: a
// store without its main file is a loss to be told, not a fresh start (CR-26).
Result<void> find_or_create(Files& files, const Layout& layout) {
  TRY(const auto size, files.size(layout.database()));
  TRY(const auto wal, files.size(layout.wal()));
  if (size.value_or(0) > 0) {
    TRY_VOID(check_length(files, layout, *size, wal.value_or(0)));
    return files.make_private(layout.database());
  }
  TRY(const auto backups, files.list(layout.backups()));
  if (wal.value_or(0) > 0 || !backups.empty()) {
    return fail(StoreErrc::kCorrupt,
                fmt::format("{} is {}, but {} shows that there was a store. {}", layout.database(),
                            size ? "empty" : "missing",
                            wal.value_or(0) > 0 ? layout.wal() : layout.backups(), advice(layout)));
  }
  if (size) return files.make_private(layout.database());
  return files.create_private(layout.database());
}

// SQLite's words for a damaged file, with ours: where it is and what to do.
Error explain(const Layout& layout, Error error) {
  if (error.is(StoreErrc::kCorrupt)) {
    error.message =
        fmt::format("{} can't be used: {}. {}", layout.database(), error.message, advice(layout));
  } else if (error.is(StoreErrc::kReadOnly)) {
    error.message = fmt::format(
        "{} can't be written: {}. Check who owns the directory and its "
        "permissions, or start with another --data",
        layout.database(), error.message);
  } else {
    error = wrap("cannot open " + layout.database(), std::move(error));
  }
  return error;
}

Result<std::int64_t> raise_epoch(Connection& db) {
  TRY_VOID(db.exec("BEGIN IMMEDIATE"));
  auto raised = db.exec("UPDATE rouse_store SET epoch = epoch + 1 WHERE id = 1");
  auto epoch = raised ? db.integer("SELECT epoch FROM rouse_store WHERE id = 1")
                      : Result<std::int64_t>(std::unexpected(raised.error()));
  FAULT_POINT("store.before_epoch_commit");
  if (epoch) raised = db.exec("COMMIT");
  if (!epoch || !raised) {
    if (db.in_transaction()) (void)db.exec("ROLLBACK");
    return std::unexpected(epoch ? raised.error() : epoch.error());
  }
  return epoch;
}

// The first transaction of a new store is made with a rollback journal, so that the main file alone
// tells from then on that there is a store; the log comes after.
Result<void> switch_to_wal(Connection& db, const StoreLimits& limits) {
  TRY(const std::string mode, db.text("PRAGMA journal_mode=WAL"));
  if (mode != "wal") {
    return fail(StoreErrc::kIo,
                fmt::format("the file system has no shared memory for a write-ahead "
                            "log (journal mode '{}')",
                            mode));
  }
  // The file keeps its length: growing it anew costs each sync a change of the file's size.
  return db.exec(fmt::format("PRAGMA wal_autocheckpoint=0; PRAGMA journal_size_limit={}",
                             limits.wal_kept_bytes));
}

Result<OpenStore> open_store(const StoreOptions& options, std::span<const Migration> steps,
                             const Layout& layout) {
  Files& files = options.platform.files();
  const char* vfs = options.platform.vfs();
  const WallTime now = options.clock.wall_now();
  TRY(auto lock, own(files, layout, now));
  TRY_VOID(find_or_create(files, layout));
  auto opened = [&]() -> Result<OpenStore> {
    TRY(auto writer, Connection::open(layout.database(), Access::kReadWrite,
                                      {.vfs = vfs,
                                       .cache_kib = options.limits.writer_cache_kib,
                                       .checkpoint_on_close = false}));
    TRY_VOID(check_whole(writer, files, layout));
    // EXTRA is FULL, and the end of a rollback journal (first start only) is synced too.
    TRY_VOID(writer.exec("PRAGMA synchronous=EXTRA; PRAGMA secure_delete=ON"));
    TRY_VOID(upgrade(writer, steps, {layout, files, vfs, options.version, now}));
    TRY_VOID(switch_to_wal(writer, options.limits));
    TRY(const std::int64_t epoch, raise_epoch(writer));
    TRY(auto reader, Connection::open(layout.database(), Access::kReadOnly,
                                      {.vfs = vfs, .cache_kib = options.limits.reader_cache_kib}));
    return OpenStore{layout, std::move(lock), std::move(writer), std::move(reader), epoch};
  }();
  if (!opened) return fail(explain(layout, std::move(opened).error()));
  return opened;
}

}  // namespace
}  // namespace sqlite

Result<std::unique_ptr<Database>> open_sqlite(StoreOptions options,
                                              std::span<const Migration> steps) {
  if (options.version.empty()) options.version = ROUSE_VERSION;
  while (options.data_dir.size() > 1 && options.data_dir.ends_with('/'))
    options.data_dir.pop_back();
  TRY(auto store, sqlite::open_store(options, steps, {options.data_dir}));
  return std::make_unique<sqlite::SqliteDatabase>(std::move(store), options.loop, options.clock,
                                                  options.platform, options.limits);
}

}  // namespace rouse
