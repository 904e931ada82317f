// Tells when one of a set of files was changed, made, replaced or removed. It asks the kernel
// (inotify) and sleeps until something happens: no polling, no wake-up while nothing changes.
//
// Folders are watched, not files, so an editor that writes beside the file and renames over it is
// seen, and so is a file that doesn't exist yet. A link is followed: its own folder and that of its
// target are watched. A path that ends in "/*" stands for every file of its folder. A burst of
// events becomes one call, when it has been quiet for `settle`.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/loop.h"

namespace rouse {

class FileWatch {
 public:
  using OnChange = std::function<void(const std::vector<std::string>& changed)>;

  // Fails if the kernel gives no watch; changes are then seen at the next start only.
  static Result<std::unique_ptr<FileWatch>> open(Loop& loop, Clock& clock, OnChange on_change,
                                                 Millis settle = millis(100));
  ~FileWatch();  // no call comes after it; safe from inside the call
  FileWatch(const FileWatch&) = delete;
  FileWatch& operator=(const FileWatch&) = delete;

  // Replaces the set. Answers with a sentence for each file that can't be watched (its folder is
  // missing, say); the others are watched all the same.
  std::vector<std::string> set_files(const std::vector<std::string>& paths);

 private:
  struct State;
  explicit FileWatch(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;  // shared with its tasks on the loop
};

}  // namespace rouse
