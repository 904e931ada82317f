// The world below the store: where its work runs and where its files are. The server uses this
// machine's; the simulator replaces it whole.
#pragma once

#include <memory>
#include <string>

#include "store/sqlite/files.h"
#include "store/sqlite/runner.h"

namespace rouse::sqlite {

class Platform {
 public:
  virtual ~Platform() = default;
  virtual std::unique_ptr<Runner> make_runner(std::string name) = 0;
  virtual Files& files() = 0;
  [[nodiscard]] virtual const char* vfs() const = 0;  // null: SQLite's own
};

// Threads, POSIX files, SQLite's VFS made steady.
Platform& this_machine();

}  // namespace rouse::sqlite
