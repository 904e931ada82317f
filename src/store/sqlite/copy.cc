#include "store/sqlite/copy.h"

#include <fmt/format.h>

#include "store/sqlite/layout.h"

namespace rouse::sqlite {

Result<DatabaseCopy> DatabaseCopy::begin(Connection& source, Files& files, const std::string& path,
                                         const char* vfs) {
  TRY_VOID(files.create_private(path));
  TRY(auto target, Connection::open(path, Access::kReadWrite, {.vfs = vfs, .cache_kib = 256}));
  // The file is nobody's yet: it is synced once, when it is whole.
  TRY_VOID(target.exec("PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF"));
  DatabaseCopy copy(std::move(target));
  copy.backup_.reset(sqlite3_backup_init(copy.target_.raw(), "main", source.raw(), "main"));
  if (copy.backup_ == nullptr) {
    return fail(to_error(copy.target_.raw(), sqlite3_errcode(copy.target_.raw()),
                         "cannot copy to " + path));
  }
  return copy;
}

Result<bool> DatabaseCopy::step(int pages) {
  const int code = sqlite3_backup_step(backup_.get(), pages);
  if (code == SQLITE_OK) return false;
  if (code != SQLITE_DONE) {
    sqlite3_backup_finish(backup_.release());
    return fail(to_error(target_.raw(), code, "cannot copy the database"));
  }
  const int finished = sqlite3_backup_finish(backup_.release());
  if (finished != SQLITE_OK) {
    return fail(to_error(target_.raw(), finished, "cannot copy the database"));
  }
  return true;
}

Result<void> check_database_file(const std::string& path, const char* vfs) {
  TRY(auto db, Connection::open(path, Access::kImmutable, {.vfs = vfs, .cache_kib = 256}));
  TRY(const std::int64_t id, db.integer("PRAGMA application_id"));
  if (id != kApplicationId) {
    return fail(StoreErrc::kCorrupt, fmt::format("{} is not a database of rouse", path));
  }
  TRY(const std::string verdict, db.text("PRAGMA integrity_check(1)"));
  if (verdict != "ok") {
    return fail(StoreErrc::kCorrupt, fmt::format("{} is damaged: {}", path, verdict));
  }
  return {};
}

std::string partial_name(const std::string& path) { return path + ".partial"; }

Result<void> publish_copy(Files& files, const std::string& path, const char* vfs) {
  const std::string partial = partial_name(path);
  auto done = check_database_file(partial, vfs);
  if (done) done = files.sync(partial);
  if (done) done = files.move(partial, path);
  // If removing fails too there is nothing more to try: the first failure is the one to tell.
  if (!done) (void)files.remove(partial);
  return done;
}

}  // namespace rouse::sqlite
