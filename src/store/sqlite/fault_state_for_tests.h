// The inside of FaultDisk, shared by its two halves: the disk (fault_disk_for_tests.cc) and the VFS
// on top of it (fault_vfs_for_tests.cc).
#pragma once

#include <array>

#include "store/sqlite/fault_vfs_for_tests.h"

namespace rouse::sqlite {

inline constexpr std::int64_t kSector = 512;

// Contents are shared between a disk and its snapshots until one side writes.
using Content = std::shared_ptr<std::string>;
inline std::string& own_copy(Content& content) {
  if (content.use_count() > 1) content = std::make_shared<std::string>(*content);
  return *content;
}

struct FaultDisk::File {
  struct Change {
    std::int64_t offset;              // of a write, or the new size
    std::optional<std::string> data;  // nullopt: a truncation
  };
  Content live = std::make_shared<std::string>();
  Content durable = std::make_shared<std::string>();
  std::vector<Change> unsynced;

  // Of this boot: who has it open, and the shared memory of its log.
  std::vector<Handle*> handles;
  std::vector<std::unique_ptr<std::array<char, 32768>>> shared_memory;
};

struct FaultDisk::State {
  std::map<std::string, std::shared_ptr<File>> names;
  std::map<std::string, std::shared_ptr<File>> durable_names;
  std::set<std::string> dirs;
};

struct FaultDisk::Handle {
  sqlite3_file base;  // first: SQLite knows only this
  FaultDisk* disk;
  std::shared_ptr<File> file;
  std::string name;
  std::uint64_t boot;
  int level = SQLITE_LOCK_NONE;
  unsigned shm_shared = 0;  // one bit a slot
  unsigned shm_exclusive = 0;
  bool maps_shm = false;
  bool read_only = false;
  bool delete_on_close = false;

  [[nodiscard]] bool dead() const { return disk->killed_ || boot != disk->boot_; }
};

}  // namespace rouse::sqlite
