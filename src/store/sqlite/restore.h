// Putting a backup in the place of the present database. Reversible: the present one is moved
// aside, never deleted, and what is put in place is a checked copy; the backup stays where it is.
#pragma once

#include <string>

#include "base/clock.h"
#include "store/schema.h"
#include "store/sqlite/platform.h"

namespace rouse {

struct Restored {
  std::string moved_to;  // where the replaced database is now; empty if there was none
};

// The server must not be running (kOwned). The file is verified before anything is touched.
Result<Restored> restore_sqlite(const std::string& data_dir, const std::string& file,
                                const Clock& clock,
                                sqlite::Platform& platform = sqlite::this_machine(),
                                std::span<const Migration> steps = schema());

}  // namespace rouse
