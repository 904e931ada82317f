// The folder a conversation's hands may touch: the folder of its project, or the workspace's own
// (<data>/files for the owner's, <data>/workspaces/<id>/files for the others). Whatever a model
// calls a path is resolved beneath it by the kernel (openat2), from an open descriptor of the
// folder, so nothing that changes in between leads out (SC-11).
//
// Refused: "..", absolute paths that lead elsewhere, control characters, links out of the folder,
// devices, sockets and pipes. Writing never follows a link at all. rouse's own data (the store, the
// secrets) is out of reach even where a project's folder contains it (SC-10).
//
// Everything here blocks: it runs on the blocking pool, except for the names.
#pragma once

#include <string>
#include <string_view>
#include <sys/stat.h>
#include <utility>

#include "base/result.h"
#include "tool/tool.h"

namespace rouse {

class OpenFile {
 public:
  OpenFile() = default;
  explicit OpenFile(int fd) : fd_(fd) {}
  OpenFile(OpenFile&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  OpenFile& operator=(OpenFile&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~OpenFile();

  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] explicit operator bool() const { return fd_ >= 0; }
  // Where it really is.
  [[nodiscard]] Result<std::string> real_path() const;

 private:
  int fd_ = -1;
};

// How a path inside of a folder is written: "notes/a.md", "" for the folder itself. `root` may
// stand before it.
Result<std::string> normal_path(std::string_view root, std::string_view path);

class WorkFolder {
 public:
  // No disk is touched: the folder need not be there yet.
  WorkFolder(std::string data_dir, const ToolCall& call);
  // One of rouse's own folders.
  WorkFolder(std::string data_dir, std::string root)
      : data_dir_(std::move(data_dir)), root_(std::move(root)) {}

  [[nodiscard]] const std::string& root() const { return root_; }
  [[nodiscard]] bool is_project() const { return project_; }
  // kNotFound: nothing was written there yet. `make` makes the workspace's own (0700), never a
  // project's.
  enum class Missing : std::uint8_t { kFails, kIsMade };
  [[nodiscard]] Result<OpenFile> open_root(Missing missing) const;

  // A regular file, or a folder, beneath the root; links that stay inside are followed.
  [[nodiscard]] Result<OpenFile> open_file(const std::string& path) const;
  [[nodiscard]] Result<OpenFile> open_folder(const std::string& path) const;
  // The folder that a file of this path stands in; made where it is missing, no link followed.
  [[nodiscard]] Result<OpenFile> make_parent(const std::string& path) const;

 private:
  [[nodiscard]] Result<OpenFile> open_beneath(const std::string& path, int flags) const;
  [[nodiscard]] Result<void> check_place(const OpenFile& file) const;
  [[nodiscard]] struct stat shut_folder() const;

  std::string data_dir_, root_;
  bool project_ = false;
};

// Whether `path` is `folder` or lies in it; both are absolute and real.
bool lies_in(std::string_view path, std::string_view folder);

}  // namespace rouse
