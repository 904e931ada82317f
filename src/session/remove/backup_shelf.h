// The backups that lie in the data directory, as far as whoever deletes something must know them:
// what is deleted here is still in a copy that was made before.
#pragma once

#include <string>
#include <vector>

#include "base/task.h"
#include "base/time.h"

namespace rouse {

struct BackupFile {
  std::string file;  // its name, without the folder
  std::int64_t bytes = 0;
  friend bool operator==(const BackupFile&, const BackupFile&) = default;
};

// What is known of the copies that may still hold something deleted.
struct BackupsLeft {
  std::vector<BackupFile> files;
  bool listed = true;  // false: the folder could not be read, so nobody knows
};

class BackupShelf {
 public:
  virtual ~BackupShelf() = default;
  // Those that were written at or after the given time, in order of their names.
  virtual Task<Result<std::vector<BackupFile>>> since(WallTime time) = 0;
};

}  // namespace rouse
