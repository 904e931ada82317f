#include "store/sqlite/restore.h"

#include <fmt/format.h>

#include "base/fault.h"
#include "store/schema.h"
#include "store/sqlite/connection.h"
#include "store/sqlite/copy.h"
#include "store/sqlite/layout.h"
#include "store/sqlite/own.h"
#include "store/sqlite/upgrade.h"

namespace rouse {
namespace sqlite {
namespace {

// A database that was moved aside after a crash still has its log beside it; folding it in makes
// the copy whole by itself.
Result<void> fold_in_log(const std::string& copy, const std::string& file, const char* vfs,
                         std::span<const Migration> steps) {
  TRY(auto db, Connection::open(copy, Access::kReadWrite, {.vfs = vfs}));
  TRY(const std::int64_t id, db.integer("PRAGMA application_id"));
  if (id != kApplicationId) {
    return fail(StoreErrc::kCorrupt, fmt::format("{} is not a database of rouse", file));
  }
  TRY_VOID(check_steps(db, steps, ROUSE_VERSION));
  return db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
}

Result<void> remove_copy(Files& files, const std::string& copy) {
  for (const char* suffix : {"", "-wal", "-shm", "-journal"}) TRY_VOID(files.remove(copy + suffix));
  return {};
}

Result<void> make_checked_copy(Platform& platform, const std::string& file, const std::string& copy,
                               std::span<const Migration> steps) {
  Files& files = platform.files();
  TRY_VOID(remove_copy(files, copy));
  TRY_VOID(files.copy(file, copy));
  TRY(const auto log, files.size(file + "-wal"));
  if (log.value_or(0) > 0) TRY_VOID(files.copy(file + "-wal", copy + "-wal"));
  TRY_VOID(fold_in_log(copy, file, platform.vfs(), steps));
  TRY_VOID(check_database_file(copy, platform.vfs()));
  return files.sync(copy);
}

// The main file goes first: if this is cut short, a missing main file is refused at the next start,
// while a main file without its log would look whole and lack the latest writes.
Result<std::string> move_aside(Files& files, const Layout& layout, WallTime now) {
  TRY_VOID(files.make_private_dir(layout.backups()));
  TRY(const std::string aside,
      free_name(files, fmt::format("{}/replaced-{}", layout.backups(), stamp(now)), ""));
  bool moved = false;
  for (const auto& name : {layout.database(), layout.wal(), layout.shm(), layout.journal()}) {
    TRY(const auto size, files.size(name));
    if (!size) continue;
    if (!moved) TRY_VOID(files.make_private_dir(aside));
    moved = true;
    TRY_VOID(files.move(name, aside + name.substr(layout.dir.size())));
    FAULT_POINT("store.restore_moved_one");
  }
  return moved ? aside : std::string();
}

}  // namespace
}  // namespace sqlite

Result<Restored> restore_sqlite(const std::string& data_dir, const std::string& file,
                                const Clock& clock, sqlite::Platform& platform,
                                std::span<const Migration> steps) {
  using namespace sqlite;
  const Layout layout{data_dir};
  Files& files = platform.files();
  TRY(const auto size, files.size(file));
  if (!size) return fail(Errc::kNotFound, fmt::format("there is no file {}", file));
  if (file == layout.database()) {
    return fail(Errc::kInvalid, fmt::format("{} is the present database itself", file));
  }
  TRY(const auto lock, own(files, layout, clock.wall_now()));
  const std::string copy = layout.database() + ".restoring";
  if (auto made = make_checked_copy(platform, file, copy, steps); !made) {
    (void)remove_copy(files, copy);
    return fail(wrap(fmt::format("{} was not restored, nothing was changed", file),
                     std::move(made).error()));
  }
  TRY(std::string aside, move_aside(files, layout, clock.wall_now()));
  TRY_VOID(files.move(copy, layout.database()));
  return Restored{std::move(aside)};
}

}  // namespace rouse
