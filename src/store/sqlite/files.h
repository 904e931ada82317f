// What the store does with files beside SQLite: make them private, lock, move, copy. An interface,
// so that the simulator's disk (fault_vfs_for_tests.h) can stand in for the real one.
//
// A call that changes a directory fsyncs it before it answers. Nothing here ever opens the live
// database file: closing such a descriptor would drop SQLite's own locks (PF-6).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace rouse::sqlite {

// Held until it is destroyed or the process ends, however it ends.
class FileLock {
 public:
  virtual ~FileLock() = default;
};

class Files {
 public:
  virtual ~Files() = default;

  virtual Result<void> make_private_dir(const std::string& path) = 0;  // 0700; fine if it exists
  // Takes the kernel's lock and leaves `note` in the file. If somebody else has it: kOwned, and the
  // message is the other's note, which may be empty.
  virtual Result<std::unique_ptr<FileLock>> lock(const std::string& path,
                                                 const std::string& note) = 0;
  virtual Result<std::optional<std::int64_t>> size(const std::string& path) = 0;  // nullopt: none
  virtual Result<std::vector<std::string>> list(const std::string& dir) = 0;  // sorted; {} if none
  virtual Result<void> create_private(const std::string& path) = 0;  // empty, 0600, must be new
  virtual Result<void> make_private(const std::string& path) = 0;    // 0600 if it was more
  virtual Result<void> remove(const std::string& path) = 0;          // fine if it is missing
  virtual Result<void> move(const std::string& from, const std::string& to) = 0;  // never replaces
  virtual Result<void> copy(const std::string& from,
                            const std::string& to) = 0;  // new, 0600, synced
  virtual Result<void> sync(const std::string& path) = 0;
};

// This machine's file system.
Files& posix_files();

// The failure of a file operation as the store's error, with what a person can do about it.
Error file_error(std::string_view doing, const std::string& path, int errno_value);

std::string parent_of(const std::string& path);

// stem + ending, or the first of stem_2 + ending, stem_3 … that is not taken.
Result<std::string> free_name(Files& files, const std::string& stem, const std::string& ending);

}  // namespace rouse::sqlite
