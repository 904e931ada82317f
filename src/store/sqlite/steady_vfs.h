// A VFS on top of another that makes the disk's work even. What SQLite writes to its log is
// gathered and handed on in one piece (gathered_log.h); what it copies back into the database goes
// to the disk a few pages at a time (paced_pages.h). Every other file is the file below.
#pragma once

#include <memory>
#include <string>

struct sqlite3_vfs;

namespace rouse::sqlite {

class SteadyVfs {
 public:
  // `below` is the name of a registered VFS; null is SQLite's own.
  SteadyVfs(std::string name, const char* below);
  ~SteadyVfs();
  SteadyVfs(const SteadyVfs&) = delete;
  SteadyVfs& operator=(const SteadyVfs&) = delete;

  [[nodiscard]] const char* name() const { return name_.c_str(); }

 private:
  std::string name_;
  std::unique_ptr<sqlite3_vfs> vfs_;
};

}  // namespace rouse::sqlite
