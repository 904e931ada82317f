// The automations of every workspace: created, edited, paused, resumed, removed, listed. Each
// change is one write that is durable before it is answered (CR-28), tells the scheduler to look
// again, and leaves an event with who did it. Nothing is read into memory but what is asked for: a
// million jobs cost a million rows.
//
// A change settles what it overtakes: instants that were due but not claimed yet, and those of a
// pause, get their row in the ledger in the same write, so that the coverage stays exact.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "schedule/job.h"
#include "session/event_log.h"
#include "session/session_key.h"
#include "session/workspaces.h"
#include "store/database.h"

namespace rouse {

enum class JobErrc : std::uint8_t {
  kNotFound,   // "automation_not_found"
  kProtected,  // "automation_protected": a system job
  kDeclared,   // "automation_declared": it stands in schedule.json, and is changed there
  kNoSession,  // "automation_without_session": the seed's words
  kTooMany,    // "too_many_automations"
  kOver,       // "automation_over": done, or it can't be read
  kRemoved,    // "automation_removed": there was one with this key, and it was removed
};
ErrorInfo error_info(JobErrc code);

// The seed's words for an automation that is asked for outside of a conversation (S3-09).
inline constexpr std::string_view kNoSessionWords =
    "scheduled automations must be created from a chat session";

// What somebody wants to have; what is not said gets its default.
struct JobWish {
  WorkspaceId workspace;
  std::optional<std::string> id = {};  // schedule.json names its own
  std::string name = {};               // "": the beginning of the message
  std::string message;
  JobKind kind = JobKind::kBound;
  std::string session_key = {};
  Schedule schedule = {};  // an `every` without an anchor begins now; a zone "" is the workspace's
  std::optional<CatchUp> catch_up = {};
  std::optional<std::int64_t> catch_up_max = {};
  std::optional<Millis> window = {}, timeout = {};
  JobExtra extra = {};
  std::string provenance = "owner", source = "api";
  std::optional<std::string> key = {};
  std::optional<ConversationId> made_in = {};
  std::optional<TurnId> made_by = {};
  bool enabled = true;
};

// What is to be different; what is not said stays.
struct JobEdit {
  std::optional<std::string> name = {}, message = {};
  std::optional<Schedule> schedule = {};
  std::optional<CatchUp> catch_up = {};
  std::optional<std::int64_t> catch_up_max = {};
  std::optional<Millis> window = {}, timeout = {};
  std::optional<JobExtra> extra = {};
  std::optional<std::string> session_key = {};
  std::optional<std::string> provenance = {};  // an edit by a tainted turn taints the job
};

struct CreatedJob {
  Job job;
  bool existed = false;  // a job with this key was there already
};

class JobBook {
 public:
  JobBook(Database& database, Clock& clock, Random& random, Workspaces& workspaces,
          EventLog& events);

  // Goes on after the highest number; before anything else.
  Result<void> load();

  // Where a workspace without a zone of its own lives; whether all pages are one conversation; and
  // why nothing would run ("" if it would), which refuses creation (CR-29).
  struct Settings {
    std::string default_zone = "UTC";
    bool unified = false;
    std::string held = {};
  };
  void configure(Settings settings) { settings_ = std::move(settings); }
  [[nodiscard]] const Settings& settings() const { return settings_; }

  // Called after each commit that may have moved a next due instant.
  void on_change(std::function<void()> told) { on_change_ = std::move(told); }
  // Called after a job was removed or paused: what of it waits somewhere shall not run.
  void on_withdrawn(std::function<void(const Job&)> told) { on_withdrawn_ = std::move(told); }

  // Would it be kept, and as what? Pure: for a preview.
  Result<Job> check(const JobWish& wish);
  Task<Result<CreatedJob>> create(JobWish wish);
  // `by`: "api", "cli", "web", "agent", "file": for the record. A file's own jobs can only be
  // edited and removed by "file".
  Task<Result<Job>> edit(WorkspaceId workspace, std::string id, JobEdit edit, std::string by);
  Task<Result<Job>> pause(WorkspaceId workspace, std::string id, std::string by, std::string why);
  Task<Result<Job>> resume(WorkspaceId workspace, std::string id, std::string by);
  Task<Result<Job>> remove(WorkspaceId workspace, std::string id, std::string by);

  // Removed ones too: their tombstone tells when and by whom.
  Result<Job> get(const WorkspaceId& workspace, const std::string& id);  // kNotFound
  Result<Job> get(std::int64_t number);
  // Oldest first, after the given number, without removed ones. "" for every conversation.
  Task<Result<std::vector<Job>>> list(WorkspaceId workspace, std::string session_key,
                                      std::int64_t after, std::size_t limit);
  // Those a conversation owns: bound, and neither removed nor done (S3-38); at most 1000.
  Result<std::vector<Job>> bound_to(const WorkspaceId& workspace, const std::string& session_key);
  // Those of a source ("file"), not removed.
  Task<Result<std::vector<Job>>> of_source(WorkspaceId workspace, std::string source);

  // Everything of a workspace that is deleted, tombstones included.
  Task<Result<void>> forget(WorkspaceId workspace);
  // Done one-shots and tombstones that are so since before this, with all of their record.
  Task<Result<void>> prune(WallTime before, std::stop_token stop);

  // The key a page's automations belong to: unified:default in unified mode (S3-43).
  [[nodiscard]] std::string owner_key(const std::string& session_key) const;

 private:
  Result<Job> job_of(const JobWish& wish);
  Task<Result<void>> forget_all(Rows rows);
  Task<Result<std::optional<Job>>> revive(Job wanted);
  enum class Touch : std::uint8_t { kState, kAll };
  Result<Job> changeable(const WorkspaceId& workspace, const std::string& id, std::string_view by,
                         Touch what);
  Result<WallTime> recorded_until(const Job& job);
  Task<Result<Job>> until_it_holds(std::function<Task<Result<Job>>()> attempt);
  Task<Result<Job>> edit_once(WorkspaceId workspace, std::string id, JobEdit edit, std::string by);
  Task<Result<Job>> pause_once(WorkspaceId workspace, std::string id, std::string by,
                               std::string why);
  Task<Result<Job>> resume_once(WorkspaceId workspace, std::string id, std::string by);
  Task<Result<Job>> remove_once(WorkspaceId workspace, std::string id, std::string by);
  Result<std::vector<Statement>> settle(Job& job, WallTime after, std::string_view reason);
  Task<Result<Job>> change(const Job& before, Job after, std::vector<Statement> also,
                           std::string_view what, std::string by);
  Result<std::optional<Job>> with_key(const WorkspaceId& workspace, const std::string& key);

  Database& database_;
  Clock& clock_;
  Random& random_;
  Workspaces& workspaces_;
  EventLog& events_;
  Settings settings_;
  std::function<void()> on_change_;
  std::function<void(const Job&)> on_withdrawn_;
  std::int64_t last_number_ = 0;
};

}  // namespace rouse
