// A VFS on top of another that gathers what SQLite writes to its log and hands it on in one piece.
// SQLite writes each page of a commit by two calls, its header and its content: some forty calls
// for a turn, each with its way into the kernel, before the fsync that counts.
//
// It changes nothing that anybody can see. A commit ends with a sync, which hands on first and then
// syncs, and only after that SQLite tells other connections of the new pages; so nobody looks for
// what is still here. (That is why every connection must run with synchronous=FULL or EXTRA.) What
// its own connection reads, and every other call, hands on first. A failure to hand on is the
// failure of the sync: the commit fails, as if its last write had.
#pragma once

#include <memory>
#include <string>

struct sqlite3_vfs;

namespace rouse::sqlite {

class GatheringVfs {
 public:
  // `below` is the name of a registered VFS; null is SQLite's own.
  GatheringVfs(std::string name, const char* below);
  ~GatheringVfs();
  GatheringVfs(const GatheringVfs&) = delete;
  GatheringVfs& operator=(const GatheringVfs&) = delete;

  [[nodiscard]] const char* name() const { return name_.c_str(); }

 private:
  std::string name_;
  std::unique_ptr<sqlite3_vfs> vfs_;
};

}  // namespace rouse::sqlite
