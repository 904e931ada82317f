// The durable events of a workspace: what a page that was away needs to catch up. Each is written
// in the transaction of what it tells about, with a number that is given at commit and has no gap
// within its workspace. An event only points (conversation, turn, first and last message); whoever
// sends it looks up what it points to, so words are stored once.
//
// The newest kEventsKept of a workspace are kept; a page that was away for longer starts over. The
// log has no loop of its own: every so many commits it asks for a prune.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "store/database.h"

namespace rouse {

inline constexpr std::int64_t kEventsKept = 10'000;
inline constexpr int kCommitsToPrune = 2'000;  // a turn that meets a prune waits for it

// Types: turn_queued, turn_ended, chat_cleared, delivery_changed, approval_requested,
// approval_decided, compacted, task_changed, automation_changed, automation_ran, automation_missed,
// memory_merged, notification, activity, conversation_changed, conversation_deleted.
// docs/websocket.md describes each.
struct Event {
  WorkspaceId workspace;
  std::int64_t seq = 0;  // given by the store
  std::string type;
  std::string conversation = {}, session = {}, turn = {};     // ids, or ""
  std::optional<std::int64_t> first_seq = {}, last_seq = {};  // messages it brought
  std::string body = "{}";  // a small JSON object with what else there is to say
  WallTime created;
};

class EventLog {
 public:
  explicit EventLog(Database& database) : database_(database) {}

  // Goes into the write of what it tells about.
  static Statement append(const Event& event);

  Result<std::int64_t> last_seq(const WorkspaceId& workspace);
  Result<std::int64_t> first_seq(const WorkspaceId& workspace);  // of those that are kept; 0: none
  // Oldest first, after the given one.
  Result<std::vector<Event>> after(const WorkspaceId& workspace, std::int64_t seq,
                                   std::size_t limit);
  // Lets go of what is over the bound, a bounded number at a time; answers how many went.
  Task<Result<std::int64_t>> prune(WorkspaceId workspace);

  // Called after a commit that appended to a workspace's events.
  void committed(const WorkspaceId& workspace);
  void on_commit(std::function<void(const WorkspaceId&)> listener) {
    listener_ = std::move(listener);
  }
  // Whoever is asked calls prune() until it answers 0, in a task of its own.
  void on_prune(std::function<void(WorkspaceId)> prune) { ask_prune_ = std::move(prune); }

 private:
  static constexpr std::size_t kCounted = 1'024;  // workspaces
  void count(const WorkspaceId& workspace);

  Database& database_;
  std::function<void(const WorkspaceId&)> listener_;
  std::function<void(WorkspaceId)> ask_prune_;
  std::map<WorkspaceId, int> commits_;  // since the last prune
};

}  // namespace rouse
