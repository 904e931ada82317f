// Workspaces: the wall around everything a person or team has. First start makes ws_default, the
// owner's; others are made through the API or by a bridge for a sender it vouches for.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "base/random.h"
#include "store/database.h"

namespace rouse {

enum class WorkspaceErrc : std::uint8_t { kNotFound };
ErrorInfo error_info(WorkspaceErrc code);

// The kind of a workspace that somebody got who came in over a bridge (people.h).
inline constexpr std::string_view kSenderWorkspace = "sender";

struct Workspace {
  WorkspaceId id;
  std::string kind;  // "default", "personal", "team", "sender" …: free text of the caller
  std::string name;
  std::optional<std::string> timezone;  // IANA name; what config or the browser said
  std::optional<std::string> locale;
  WallTime created;
};

struct WorkspaceChange {
  std::optional<std::string> name, timezone, locale;
};

class Workspaces {
 public:
  Workspaces(Database& database, Clock& clock, Random& random)
      : database_(database), clock_(clock), random_(random) {}

  static WorkspaceId default_id();

  // Makes ws_default if it is not there yet. Called at each start.
  Task<Result<void>> ensure_default();
  Task<Result<Workspace>> create(std::string kind, std::string name);
  Result<Workspace> get(const WorkspaceId& id);
  Task<Result<Workspace>> update(WorkspaceId id, WorkspaceChange change);
  // In order of their ids, after the given one.
  Task<Result<std::vector<Workspace>>> list(std::string after, std::size_t limit);

  // Removing one takes a while: its conversations go first (conversation_delete.h), then clear()
  // and remove(). From the first step to the last get() doesn't find it, so that nothing new begins
  // in it; what had begun before may still bring a conversation. Ends with remove() or with keep();
  // a process that dies in between leaves a workspace that can be removed again.
  Result<Workspace> begin_removal(const WorkspaceId& id);  // kConflict for the owner's
  void keep(const WorkspaceId& id) { leaving_.erase(id); }
  // What else a workspace has that its rows don't lead to; called by clear().
  void also_clear(std::function<Task<Result<void>>(WorkspaceId)> clear) {
    also_clear_.push_back(std::move(clear));
  }
  // Its peers, files and tombstones. Answers how many files.
  Task<Result<std::int64_t>> clear(WorkspaceId id);
  // Its projects and agents and itself. StoreErrc::kConflict, and nothing is changed, if it has a
  // conversation: begin again with that.
  Task<Result<void>> remove(WorkspaceId id);

 private:
  Task<Result<std::int64_t>> delete_files(WorkspaceId id);

  Database& database_;
  Clock& clock_;
  Random& random_;
  std::set<WorkspaceId> leaving_;
  std::vector<std::function<Task<Result<void>>(WorkspaceId)>> also_clear_;
  std::map<WorkspaceId, Workspace> known_;  // read before and not changed since; bounded
};

}  // namespace rouse
