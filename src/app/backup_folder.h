// The folder 'backups' of the data directory as a BackupShelf: what lies there and since when.
#pragma once

#include <string>

#include "base/blocking_pool.h"
#include "session/remove/backup_shelf.h"

namespace rouse {

class BackupFolder final : public BackupShelf {
 public:
  BackupFolder(BlockingPool& pool, std::string folder) : pool_(pool), folder_(std::move(folder)) {}
  Task<Result<std::vector<BackupFile>>> since(WallTime time) override;

 private:
  BlockingPool& pool_;
  std::string folder_;
};

}  // namespace rouse
