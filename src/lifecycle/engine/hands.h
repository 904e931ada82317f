// What actions work with. In a dry run, and in tests of single rules, hands are missing: an action
// asks need() and fails with words.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "agent/memory/memory_book.h"
#include "agent/memory/memory_recall.h"
#include "agent/prompt/person_files.h"
#include "agent/task/task_book.h"
#include "base/blocking_pool.h"
#include "base/log.h"
#include "base/loop.h"
#include "session/event_log.h"
#include "session/notification/notification.h"
#include "session/one_shot.h"
#include "session/session_kernel.h"
#include "session/summary/summariser.h"

namespace rouse {

// A project's folder under git. Asked beside the loop, with a deadline; a folder that is no
// repository is an error with words.
class GitView {
 public:
  virtual ~GitView() = default;
  // By a look at the folder, without a program.
  [[nodiscard]] virtual bool is_repository(const std::string& folder) const = 0;
  struct Commit {
    std::string hash, subject;
  };
  // Paths that differ from the last commit, new files among them, at most 500.
  virtual Task<Result<std::vector<std::string>>> dirty_files(std::string folder) = 0;
  virtual Task<Result<std::vector<Commit>>> commits_since(std::string folder, WallTime since) = 0;
  virtual Task<Result<std::string>> branch(std::string folder) = 0;
};

struct LifecycleHands {
  Clock* clock = nullptr;
  Database* database = nullptr;
  SessionKernel* kernel = nullptr;
  TaskBook* tasks = nullptr;
  MemoryBook* memory = nullptr;
  MemoryRecall* recall = nullptr;
  PersonFiles* files = nullptr;
  Notifications* notifications = nullptr;
  Summariser* summariser = nullptr;
  BlockingPool* pool = nullptr;
  GitView* git = nullptr;
  const Log* log = nullptr;
  Loop* loop = nullptr;         // for what a turn does not wait for
  EventLog* events = nullptr;   // told after commits that wrote one
  OneShot* one_shot = nullptr;  // a small model; null: plain rules do it
  std::string data_dir = {};    // rouse's own: out of reach for files of projects
};

template <class T>
Result<T*> need(T* hand, std::string_view what) {
  if (hand != nullptr) return hand;
  return fail(Errc::kUnavailable, std::string(what) + " is not at hand here");
}

}  // namespace rouse
