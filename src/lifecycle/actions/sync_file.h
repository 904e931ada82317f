// A file of lines beside a project that people keep with it, and share: memories.jsonl,
// tasks.jsonl. It lies in the project's folder and nowhere else: links that lead out are refused,
// and so is rouse's own data folder. It is never there half, and not touched if nothing changes.
//
// Everything here blocks and belongs on the blocking pool.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/blocking_pool.h"
#include "base/result.h"

namespace rouse {

inline constexpr std::size_t kSyncFileBytes = 8 << 20;
inline constexpr std::size_t kSyncFileLines = 10'000;

struct SyncPlace {
  std::string data_dir;        // rouse's own, which is shut
  std::string project_folder;  // absolute
  std::string path;            // in it: ".rouse/tasks.jsonl"
};

// What is in it; nothing if there is no such file.
Result<std::optional<std::string>> read_sync_file(const SyncPlace& place);

// Puts what `change` makes of its content in its place. Two who do so at once don't lose each
// other's lines: the second is told to come again.
Result<bool> change_sync_file(const SyncPlace& place,
                              const std::function<Result<std::string>(std::string before)>& change);

// Beside the loop if there is a pool; in place without one, as in simulated worlds.
template <class T>
Task<Result<T>> run_beside(BlockingPool* pool, std::function<Result<T>()> work) {
  if (pool != nullptr) co_return co_await pool->run<T>(std::move(work));
  co_return work();
}

}  // namespace rouse
