// Taking a data directory: made if missing, locked for as long as the returned lock lives.
#pragma once

#include <memory>
#include <string>

#include "base/time.h"
#include "store/sqlite/files.h"
#include "store/sqlite/layout.h"

namespace rouse::sqlite {

// kOwned names the other process and what to do (CR-18).
Result<std::unique_ptr<FileLock>> own(Files& files, const Layout& layout, WallTime now);

}  // namespace rouse::sqlite
