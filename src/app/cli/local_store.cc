#include "app/cli/local_store.h"

#include <fcntl.h>
#include <memory>
#include <sys/file.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/files.h"
#include "base/text.h"
#include "store/schema.h"
#include "store/sqlite/connection.h"
#include "store/sqlite/copy.h"
#include "store/sqlite/layout.h"
#include "store/sqlite/open.h"
#include "store/sqlite/restore.h"
#include "store/sqlite/upgrade.h"

namespace rouse::cli {
namespace {

sqlite::Layout layout_of(const std::string& data_dir) { return sqlite::Layout{data_dir}; }

Task<void> copy_and_close(Database& database, std::string file, Result<void>& out) {
  out = co_await database.backup(std::move(file));
  co_await database.close();
}

}  // namespace

bool store_exists(const std::string& data_dir) {
  return path_exists(layout_of(data_dir).database());
}

std::optional<std::string> lock_holder(const std::string& data_dir) {
  const std::string path = layout_of(data_dir).lock();
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return std::nullopt;
  const bool held = ::flock(fd, LOCK_SH | LOCK_NB) != 0;
  ::close(fd);
  if (!held) return std::nullopt;
  const std::string note = read_file(path, 1024).value_or("");
  const auto parts = split(trim(note), ' ');
  return parts.size() == 2 ? fmt::format("process {}, since {}", parts[0], parts[1])
                           : std::string("an unknown process");
}

Result<void> backup_local_store(const std::string& data_dir, const std::string& file) {
  if (!store_exists(data_dir)) {
    return fail(Errc::kNotFound, fmt::format("there is no store in {} yet", data_dir));
  }
  Loop loop;
  const RealClock clock(loop);
  TRY(const auto database, open_sqlite({.data_dir = data_dir, .loop = loop, .clock = clock}));
  Result<void> done;
  loop.spawn("backup", copy_and_close(*database, file, done));
  loop.run();
  return done;
}

Result<std::string> restore_local_store(const std::string& data_dir, const std::string& file) {
  Loop loop;
  const RealClock clock(loop);
  TRY(const Restored restored, restore_sqlite(data_dir, file, clock));
  return restored.moved_to;
}

Result<void> check_local_store(const std::string& data_dir) {
  const sqlite::Layout layout = layout_of(data_dir);
  const auto wal = file_size(layout.wal());
  if ((wal && *wal > sqlite::kCleanLogBytes) || path_exists(layout.journal())) {
    return fail(Errc::kConflict,
                "the last run did not end cleanly; the next start finishes its work");
  }
  TRY_VOID(sqlite::check_database_file(layout.database(), nullptr));
  TRY(auto db, sqlite::Connection::open(layout.database(), sqlite::Access::kImmutable, {}));
  TRY_VOID(sqlite::check_steps(db, schema(), ROUSE_VERSION));
  return {};
}

}  // namespace rouse::cli
