// Brings the tables of a store to this release: verifies the steps it has, copies it aside, runs
// the rest in one transaction and compares what is in it before and after. Whatever fails, the
// store is as it was (UX-5).
#pragma once

#include <span>
#include <string>

#include "base/time.h"
#include "store/migrate.h"
#include "store/sqlite/connection.h"
#include "store/sqlite/files.h"
#include "store/sqlite/layout.h"

namespace rouse::sqlite {

inline constexpr std::size_t kKeptUpgradeBackups = 5;

struct Upgrade {
  const Layout& layout;
  Files& files;
  const char* vfs;
  std::string version;  // of this rouse
  WallTime now;
};

// Are the steps and tables of an existing store as rouse made them? Gives the steps that are due.
// Whatever refuses a store at the start refuses it here, for restore and doctor.
Result<std::span<const Migration>> check_steps(Connection& db, std::span<const Migration> steps,
                                               const std::string& version);

// Fails with kCorrupt if the file is not ours or its tables were changed behind our back, kNewer if
// it is from a later release. A database without any table is a new one.
Result<void> upgrade(Connection& db, std::span<const Migration> steps, const Upgrade& context);

}  // namespace rouse::sqlite
