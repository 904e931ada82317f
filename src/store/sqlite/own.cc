#include "store/sqlite/own.h"

#include <unistd.h>

#include <fmt/format.h>

#include "base/text.h"
#include "store/database.h"

namespace rouse::sqlite {

Result<std::unique_ptr<FileLock>> own(Files& files, const Layout& layout, WallTime now) {
  TRY_VOID(files.make_private_dir(layout.dir));
  auto lock = files.lock(layout.lock(), fmt::format("{} {}\n", ::getpid(), to_iso(now)));
  if (lock || !lock.error().is(StoreErrc::kOwned)) return lock;
  // The note tells who it is; that it is held at all is the kernel's word.
  const auto parts = split(lock.error().message, ' ');
  const std::string who = parts.size() == 2
                              ? fmt::format(" (process {}, since {})", parts[0], trim(parts[1]))
                              : std::string();
  return fail(StoreErrc::kOwned,
              fmt::format("Another rouse{} is using {}. Stop it, or start with another --data.",
                          who, layout.dir));
}

}  // namespace rouse::sqlite
