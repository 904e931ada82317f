// Opening a data directory as the SQLite store. One process owns it at a time: the kernel's lock on
// <data_dir>/lock decides (CR-18), and an epoch in the store fences off an owner that lost it
// (CR-19).
//
// A file that is not a database of ours, is damaged, or is missing although there once was one, is
// refused with kCorrupt and never touched (CR-26). kNewer, kReadOnly, kFull and kOwned say what to
// do.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "base/clock.h"
#include "base/loop.h"
#include "store/database.h"
#include "store/schema.h"
#include "store/sqlite/limits.h"
#include "store/sqlite/platform.h"

namespace rouse {

struct StoreOptions {
  std::string data_dir;      // made if it is missing, with mode 0700
  Loop& loop;                // must outlive the store
  const Clock& clock;        // read on the store's threads too
  std::string version = {};  // for messages about upgrades; empty: this build's
  sqlite::Platform& platform = sqlite::this_machine();
  sqlite::StoreLimits limits = {};
};

Result<std::unique_ptr<Database>> open_sqlite(StoreOptions options,
                                              std::span<const Migration> steps = schema());

}  // namespace rouse
