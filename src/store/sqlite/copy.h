// A consistent copy of a live database, made in small steps through the writer's own connection:
// SQLite carries changes made by that connection over into the copy, so it never starts again and
// holds no read transaction between steps (a reader would pin the WAL for the whole copy).
#pragma once

#include <memory>
#include <string>

#include "store/sqlite/connection.h"
#include "store/sqlite/files.h"

namespace rouse::sqlite {

class DatabaseCopy {
 public:
  // Makes `path` (it must be new). The source must outlive the copy.
  static Result<DatabaseCopy> begin(Connection& source, Files& files, const std::string& path,
                                    const char* vfs);

  // Copies up to `pages` pages (-1: all that is left). True when the copy is whole; nothing more
  // may be asked of it then. Call it outside of a transaction.
  Result<bool> step(int pages);

 private:
  struct Finisher {
    void operator()(sqlite3_backup* backup) const { sqlite3_backup_finish(backup); }
  };
  explicit DatabaseCopy(Connection target) : target_(std::move(target)) {}

  Connection target_;
  std::unique_ptr<sqlite3_backup, Finisher> backup_;  // after target_: finished before it closes
};

// Reads a finished database file from end to end: it is one of ours and sound, or kCorrupt says
// why.
Result<void> check_database_file(const std::string& path, const char* vfs);

// The name an unfinished copy has until it was checked and synced.
std::string partial_name(const std::string& path);

// Checks and syncs the partial copy, then gives it its name; removes it if anything fails. Refuses
// to replace a file.
Result<void> publish_copy(Files& files, const std::string& path, const char* vfs);

}  // namespace rouse::sqlite
