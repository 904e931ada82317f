// An automation, or job: a schedule plus a message (design.md, 1). Four kinds:
//
// - bound: scheduled input into a conversation. Its session key is the anchor; where the answer
//   goes, what the agent remembers and who reads it all come from that conversation (S3-02).
// - isolated: runs in a conversation of its own that is destroyed afterwards; the output is routed.
// - legacy: a record from another system without a session key. It keeps the old way (S3-05).
// - system: one of rouse's own; it can't be edited or removed.
//
// A job's row says what shall happen and up to where that is settled (`next`). What has happened
// stands in the ledger (occurrence_ledger.h), never here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/json.h"
#include "schedule/time/schedule.h"

namespace rouse {

enum class JobKind : std::uint8_t { kBound, kIsolated, kLegacy, kSystem };
std::string_view job_kind_name(JobKind kind);  // "bound" …
std::optional<JobKind> parse_job_kind(std::string_view name);

enum class JobState : std::uint8_t {
  kActive,
  kPaused,       // by a person, an agent, or rouse itself after failures
  kDone,         // a one-shot whose one occurrence is over
  kRemoved,      // a tombstone: its id and key are not given again
  kQuarantined,  // its row can't be read; shown, never run (CR-27)
};
std::string_view job_state_name(JobState state);
std::optional<JobState> parse_job_state(std::string_view name);

// What becomes of instants that were missed while rouse was down or asleep.
enum class CatchUp : std::uint8_t { kLatest, kAll, kSkip };
std::string_view catch_up_name(CatchUp policy);  // "latest", "all", "skip"
std::optional<CatchUp> parse_catch_up(std::string_view name);

// Decides without a model whether the agent is woken: exit status 0 wakes it.
struct ScriptGate {
  std::string command;
  std::int64_t timeout_ms = 30'000;
  friend bool operator==(const ScriptGate&, const ScriptGate&) = default;
};
inline auto shape(const ScriptGate*) {
  return fields(
      field("command", &ScriptGate::command, "Run in the sandbox; status 0 wakes the agent")
          .length(1, 4096),
      field("timeout_ms", &ScriptGate::timeout_ms, "How long it may take").range(1, 600'000));
}

// Where the output of an isolated job goes; more than one may be named.
struct JobOutput {
  std::optional<std::string> file;         // below the data folder's outputs/, or the project
  std::optional<bool> notify;              // an event for whoever watches
  std::optional<std::string> session_key;  // a conversation
  friend bool operator==(const JobOutput&, const JobOutput&) = default;
};
inline auto shape(const JobOutput*) {
  return fields(
      field("file", &JobOutput::file, "A file the output is written to").length(1, 400),
      field("notify", &JobOutput::notify, "Tell whoever watches"),
      field("session_key", &JobOutput::session_key, "A conversation that is told").length(1, 400));
}

// The delivery fields of another system's records; only legacy jobs have them (S3-03).
struct LegacyDelivery {
  std::optional<bool> deliver;
  std::optional<std::string> channel, to;
  friend bool operator==(const LegacyDelivery&, const LegacyDelivery&) = default;
};
inline auto shape(const LegacyDelivery*) {
  return fields(field("deliver", &LegacyDelivery::deliver, "Whether the answer is sent"),
                field("channel", &LegacyDelivery::channel, "Over which channel"),
                field("to", &LegacyDelivery::to, "To whom"));
}

// What only some jobs have; one JSON column.
struct JobExtra {
  std::optional<ScriptGate> gate = {};
  std::optional<JobOutput> output = {};                // isolated
  std::optional<std::string> project_path = {};        // isolated
  std::optional<LegacyDelivery> legacy = {};           // legacy
  std::optional<std::vector<std::string>> tools = {};  // what it may use; none: everything (SC-9)
  friend bool operator==(const JobExtra&, const JobExtra&) = default;
};
inline auto shape(const JobExtra*) {
  return fields(field("gate", &JobExtra::gate, ""), field("output", &JobExtra::output, ""),
                field("project_path", &JobExtra::project_path, ""),
                field("legacy", &JobExtra::legacy, ""), field("tools", &JobExtra::tools, ""));
}

struct Job {
  std::int64_t number = 0;  // ours; never repeats
  WorkspaceId workspace;
  std::string id;  // 8 hex digits, or what schedule.json calls it; unique in its workspace
  std::string name, message;
  JobKind kind = JobKind::kBound;
  std::string session_key = {};  // bound
  Schedule schedule;
  JobState state = JobState::kActive;
  std::string state_by = {}, state_reason = {};  // who paused or removed it, and why
  WallTime state_since = {};
  std::optional<WallTime> next = {};  // the first due instant nothing is recorded for yet
  CatchUp catch_up = CatchUp::kLatest;
  std::int64_t catch_up_max = 10;  // of kAll
  Millis window = days(7);         // how late an occurrence may still run
  Millis timeout = minutes(10);    // of a run
  std::int64_t failures = 0;       // occurrences that failed in a row
  std::optional<WallTime> backoff_until = {};
  JobExtra extra = {};
  std::string provenance = "owner";     // "owner", "agent", "untrusted": what it makes inherits it
  std::string source = "api";           // "api", "cli", "web", "agent", "file", "import", "system"
  std::optional<std::string> key = {};  // idempotent creation: one job a key (CR-20)
  std::optional<ConversationId> made_in = {};
  std::optional<TurnId> made_by = {};
  WallTime created = {}, updated = {};
  // How the last occurrence ended, for lists.
  std::optional<std::string> last_status = {}, last_reason = {};
  std::optional<WallTime> last_due = {};
};

// Named bounds (rule 5).
inline constexpr std::size_t kJobNameBytes = 200;
inline constexpr std::size_t kJobMessageBytes = 15 * 1024;  // with the rest, a run's prompt
inline constexpr std::int64_t kJobsOfWorkspace = 1'000'000;
inline constexpr std::int64_t kJobsByAgent =
    100;  // active ones an agent may have made in a workspace
inline constexpr Millis kShortestTimeout = seconds(1), kLongestTimeout = hours(24);

}  // namespace rouse
