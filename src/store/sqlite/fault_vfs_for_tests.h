// A disk in memory that can go wrong on purpose: the simulator's and the tests' stand-in for the
// file system, both for SQLite (as a VFS, with the shared memory a write-ahead log needs) and for
// what the store does beside it (Files).
//
// It remembers what was synced. A kill makes every later call fail; power_cycle() then decides what
// of the unsynced is still there, and the disk is good as new. Names follow the same rule: a new
// file is sure to exist after it or its directory was synced. All of it is deterministic, and safe
// to use from several threads.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <sqlite3.h>

#include "store/sqlite/files.h"

namespace rouse::sqlite {

// What a power cut leaves of writes that were never synced.
enum class Unsynced : std::uint8_t {
  kKeepAll,  // the process was killed, the machine was not
  kKeepNone,
  kKeepSome,  // a seeded choice, sector by sector, so writes are torn and reordered
};

class FaultDisk final : public Files {
 public:
  FaultDisk();
  ~FaultDisk() override;
  FaultDisk(const FaultDisk&) = delete;
  FaultDisk& operator=(const FaultDisk&) = delete;

  [[nodiscard]] const char* vfs() const { return name_.c_str(); }

  // --- faults -----------------------------------------------------------------------------------
  // Changes (write, sync, truncate, create, delete, move) are counted from 1 since the last
  // power_cycle() or restore().
  [[nodiscard]] std::int64_t changes() const;
  void kill_at(std::int64_t nth_change);  // that change and everything after it fails
  void fail_at(std::int64_t nth_change);  // only that change fails
  void fail_next_sync();                  // only the next sync fails
  void lie_about_syncs(bool lies);        // a sync answers well and keeps nothing
  void kill_now();
  [[nodiscard]] bool killed() const;
  void set_quota(std::optional<std::int64_t> bytes);  // over it the disk is full
  void set_read_only(bool read_only);
  void short_read_at(std::int64_t nth_read);  // that read finds half of what it wants

  void power_cycle(Unsynced unsynced, std::uint64_t seed = 0);

  // --- content ----------------------------------------------------------------------------------
  struct State;
  using Image = std::shared_ptr<const State>;  // immutable, shared: contents are not copied
  [[nodiscard]] Image snapshot() const;
  void restore(const Image& image);

  [[nodiscard]] std::optional<std::string> content(const std::string& path) const;
  void put(const std::string& path, std::string content);  // durable at once; no change is counted
  [[nodiscard]] std::int64_t bytes_used() const;

  // Told of every change: "write /d/rouse.db 4096 4096".
  using Observer = std::function<void(const std::string&)>;
  void observe(Observer observer);

  // --- Files ------------------------------------------------------------------------------------
  Result<void> make_private_dir(const std::string& path) override;
  Result<std::unique_ptr<FileLock>> lock(const std::string& path, const std::string& note) override;
  Result<std::optional<std::int64_t>> size(const std::string& path) override;
  Result<std::vector<std::string>> list(const std::string& dir) override;
  Result<void> create_private(const std::string& path) override;
  Result<void> make_private(const std::string& path) override;
  Result<void> remove(const std::string& path) override;
  Result<void> move(const std::string& from, const std::string& to) override;
  Result<void> copy(const std::string& from, const std::string& to) override;
  Result<void> sync(const std::string& path) override;

 private:
  friend struct FaultVfs;  // the C side
  struct File;
  struct Handle;
  class Held;

  // The rest needs the lock held. Each returns an SQLite code.
  int change(const std::string& what);  // counts, tells, and fails if it is time to
  int write(File& file, std::int64_t offset, std::string_view data, const std::string& name);
  int truncate(File& file, std::int64_t size, const std::string& name);
  int sync_file(const std::shared_ptr<File>& file, const std::string& name);
  int create(const std::string& name, std::shared_ptr<File>& made);
  int erase(const std::string& name, bool and_sync);
  void sync_dir(const std::string& dir);
  int read(const File& file, std::int64_t offset, char* out, std::int64_t size);
  [[nodiscard]] std::shared_ptr<File> find(const std::string& name) const;
  [[nodiscard]] Result<void> usable(std::string_view doing, const std::string& path) const;
  static Result<void> as_result(int code, std::string_view doing, const std::string& path);

  const std::string name_;
  std::unique_ptr<sqlite3_vfs> vfs_;
  mutable std::recursive_mutex mutex_;
  std::shared_ptr<State> state_;
  std::set<std::string> held_;  // lock files
  std::uint64_t boot_ = 0;      // handles of an earlier one are dead
  std::int64_t changes_ = 0;
  std::int64_t reads_ = 0;
  std::int64_t kill_at_ = 0;
  std::int64_t fail_at_ = 0;
  std::int64_t short_read_at_ = 0;
  bool fail_next_sync_ = false;
  bool lies_about_syncs_ = false;
  bool killed_ = false;
  bool read_only_ = false;
  std::optional<std::int64_t> quota_;
  Observer observer_;
  std::uint64_t randomness_ = 1;
};

}  // namespace rouse::sqlite
