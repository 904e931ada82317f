// Looks that need no model: what failed, what is overdue, what waits for a person. Each is a
// bounded read, gives the same answer for the same store, and costs nothing, so a heartbeat is
// useful with the offline model, too.
//
// A finding has a key that stays the same as long as it is the same trouble, and a number that
// grows when it gets worse; by both the next beat knows what it has told already.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "proactive/standing_orders.h"
#include "schedule/job.h"
#include "session/session_kernel.h"
#include "store/database.h"

namespace rouse {

struct Finding {
  std::string key;            // "failed_runs:backup", "overdue_tasks:7"
  std::int64_t severity = 1;  // more is worse
  std::string text;           // a sentence for a person
  bool untrusted = false;     // foreign words are in it (rule 8)
  friend bool operator==(const Finding&, const Finding&) = default;
};

// One that was seen or told, as it is remembered.
struct SeenFinding {
  std::string key;
  std::int64_t severity = 0, at_ms = 0;
  friend bool operator==(const SeenFinding&, const SeenFinding&) = default;
};
inline auto shape(const SeenFinding*) {
  return fields(field("key", &SeenFinding::key, ""), field("severity", &SeenFinding::severity, ""),
                field("at", &SeenFinding::at_ms, ""));
}
struct SaidAlert {
  std::string fingerprint, text;
  std::int64_t at_ms = 0;
  friend bool operator==(const SaidAlert&, const SaidAlert&) = default;
};
inline auto shape(const SaidAlert*) {
  return fields(field("fingerprint", &SaidAlert::fingerprint, ""),
                field("text", &SaidAlert::text, ""), field("at", &SaidAlert::at_ms, ""));
}

inline constexpr std::size_t kFindingsOfCheck = 10;
inline constexpr std::int64_t kCommandTimeoutMs = 30'000;

class Checks {
 public:
  Checks(Database& database, Clock& clock, SessionKernel& kernel)
      : database_(database), clock_(clock), kernel_(kernel) {}

  // Runs a job's gate: true is a status of 0. Fits GateRunner::ask.
  using RunCommand = std::function<Task<Result<bool>>(Job job, std::stop_token stop)>;
  void use_commands(RunCommand run) { run_command_ = std::move(run); }

  // All of them, in order. Of a project only what belongs to it, where that can be told.
  Task<Result<std::vector<Finding>>> run(WorkspaceId workspace, std::optional<std::string> project,
                                         std::vector<CheckOrder> orders, std::stop_token stop);

 private:
  Task<Result<std::vector<Finding>>> failed_runs(WorkspaceId workspace, Millis span);
  Task<Result<std::vector<Finding>>> overdue_reminders(WorkspaceId workspace, Millis span);
  Task<Result<std::vector<Finding>>> overdue_tasks(WorkspaceId workspace,
                                                   std::optional<std::string> project, Millis age);
  Task<Result<std::vector<Finding>>> unanswered_questions(WorkspaceId workspace,
                                                          std::optional<std::string> project,
                                                          Millis age);
  Task<Result<std::vector<Finding>>> idle_approvals(WorkspaceId workspace, Millis age);
  Task<Result<std::vector<Finding>>> command(WorkspaceId workspace, std::string command,
                                             std::stop_token stop);

  Database& database_;
  Clock& clock_;
  SessionKernel& kernel_;
  RunCommand run_command_;
};

}  // namespace rouse
