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
  // Copies of the store that a download left behind when the process died under it.
  void remove_downloads() const;

 private:
  BlockingPool& pool_;
  std::string folder_;
};

}  // namespace rouse
