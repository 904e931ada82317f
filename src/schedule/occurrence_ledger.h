// The ledger of proactivity: each due instant of each job is covered by exactly one row (design.md,
// 1 and rule 5). An instant that shall run has a row of its own, claimed before anything is
// dispatched; it ends in exactly one disposition, with a reason. Consecutive instants with the same
// disposition that never ran are one range row. Old rows fold into one per job, day and
// disposition, so the ledger of a job that runs each minute stays as small as that of a daily one.
//
// A run is the record of one execution: what the agent was told, what came of it, what it cost.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "store/database.h"

namespace rouse {

// On the way.
inline constexpr std::string_view kClaimed = "claimed";  // waits for its slot, or for another try
inline constexpr std::string_view kQueued = "queued";    // its turn is accepted: waits or runs
// Dispositions.
inline constexpr std::string_view kRunOk = "ok";
inline constexpr std::string_view kRunEmpty = "empty";
inline constexpr std::string_view kRunError = "error";
inline constexpr std::string_view kRunTimeout = "timeout";
inline constexpr std::string_view kRunInterrupted = "interrupted";
inline constexpr std::string_view kSkipped = "skipped";
inline constexpr std::string_view kMissed = "missed";

struct Occurrence {
  std::int64_t job = 0;
  WallTime due;   // scheduled_for; of a range the first
  WallTime last;  // of a range the last; else == due
  std::int64_t count = 1;
  std::string state;
  std::string reason;        // why it ended so, or what it waits for: a word
  std::int64_t epoch = 0;    // of the owner that claimed it
  std::int64_t attempt = 1;  // the run it is at
  WallTime ready;            // claimed: not before this
  WallTime claimed;
  std::optional<WallTime> ended = {};
  [[nodiscard]] bool is_range() const { return count > 1; }
};

// Of a day whose rows were folded.
struct FoldedDay {
  WallTime day;  // midnight UTC
  std::string state;
  std::int64_t count = 0;
  WallTime first, last;
};

struct PromptRef {
  std::string id;
  std::int64_t version = 1;
  std::string sha256;
};

struct Run {
  std::int64_t number = 0;
  std::string id;  // "<job>:<due ms>", from the second try on with ":2" …
  WorkspaceId workspace;
  std::int64_t job = 0;
  std::string job_id, job_name;
  WallTime due;
  std::int64_t attempt = 1;
  std::string kind;   // of the job: "bound" …
  std::string state;  // "queued", then a disposition
  std::string reason = {};
  std::string session_key = {};
  PromptRef prompt_ref = {};
  std::string variables = "{}";  // JSON
  std::string prompt = {};       // as it was rendered, 16 KB at most
  std::optional<TurnId> turn = {};
  std::optional<ConversationId> conversation = {};
  std::optional<SessionId> session = {};
  std::string answer = {};  // isolated and legacy: what is to be routed
  std::string routed = {};  // isolated and legacy: "pending", then where it went
  std::string error = {};   // the whole story, redacted
  std::string model = {};
  std::int64_t tokens_in = 0, tokens_out = 0;
  std::optional<std::int64_t> cost_micros = {};
  WallTime queued;
  std::optional<WallTime> ended = {};
  bool late = false;
};

// Whose occurrences: rouse's own begin while all places of people's automations are taken.
enum class ReadyOf : std::uint8_t { kAll, kSystem };

inline constexpr std::size_t kRunPromptBytes = 16 * 1024;
inline constexpr std::int64_t kRowsKept = 200;  // occurrences and runs of a job, besides its days

class OccurrenceLedger {
 public:
  explicit OccurrenceLedger(Database& database) : database_(database) {}

  Result<void> load();  // goes on after the highest run number
  std::int64_t next_run_number() { return ++last_run_; }

  // --- values for a write
  static Statement insert(const Occurrence& occurrence);
  static Statement extend(std::int64_t job, WallTime due, WallTime last, std::int64_t count);
  // From one state on the way to the next; fails if somebody else was faster.
  static Statement begin(const Occurrence& occurrence);  // claimed -> queued
  static Statement postpone(const Occurrence& occurrence, WallTime ready, std::string_view reason);
  // Back to claimed, for another try.
  static Statement retry(const Occurrence& occurrence, WallTime ready, std::string_view reason);
  static Statement end(std::int64_t job, WallTime due, std::string_view state,
                       std::string_view reason, WallTime now);
  static Statement insert(const Run& run);
  static Statement end(const Run& after);  // everything that is known when it is over
  static Statement set_routed(std::int64_t run, std::string_view where);
  // A row or a longer last row: what happened to a span of instants that never run.
  Result<Statement> cover(std::int64_t job, WallTime first, WallTime last, std::int64_t count,
                          std::string_view state, std::string_view reason, std::int64_t epoch,
                          WallTime now);
  // What is open of a job ends: its conversation or the job itself is going.
  static Statement end_open(std::int64_t job, std::string_view state, std::string_view reason,
                            WallTime now);
  // What was claimed later than it is now by the clock is ready at once (CR-10).
  static Statement clock_was_set_back(WallTime now);
  // Everything of a job.
  static std::vector<Statement> forget(std::int64_t job);

  // --- reads
  Result<std::optional<Occurrence>> newest(std::int64_t job);
  Result<std::optional<Occurrence>> open_of(std::int64_t job);
  // The row that covers an instant, or the newest before it.
  Result<std::optional<Occurrence>> at(std::int64_t job, WallTime instant);
  Result<std::vector<FoldedDay>> folded_at(std::int64_t job, WallTime instant);
  // Claimed and ready, in the order in which they go; none that waits for another of its own job.
  Result<std::vector<Occurrence>> ready(WallTime now, std::size_t limit,
                                        ReadyOf whose = ReadyOf::kAll);
  Result<std::optional<WallTime>> next_ready(WallTime after, ReadyOf whose = ReadyOf::kAll);
  // Claimed or queued, after the given place; for the look around at a start.
  Task<Result<std::vector<Occurrence>>> open_after(std::int64_t job, WallTime due,
                                                   std::size_t limit);
  Task<Result<std::vector<Occurrence>>> of_job(std::int64_t job, std::optional<WallTime> before,
                                               std::size_t limit);  // newest first
  Task<Result<std::vector<FoldedDay>>> days_of(std::int64_t job, std::size_t limit);

  Result<std::optional<Run>> run_of(const TurnId& turn);
  Result<std::optional<Run>> run(const WorkspaceId& workspace, const std::string& id);
  Result<std::optional<Run>> newest_run(std::int64_t job, WallTime due);
  // The one before a run, of the same job.
  Result<std::optional<Run>> run_before(std::int64_t job, std::int64_t number);
  // Newest first, before the given number; of one job, or of all of a workspace (job 0).
  Task<Result<std::vector<Run>>> runs(WorkspaceId workspace, std::int64_t job, std::int64_t before,
                                      std::size_t limit);
  Task<Result<std::vector<Run>>> unrouted(std::int64_t after, std::size_t limit);

  // Folds what is over the bound, if it is; called after a job's occurrence has ended.
  Task<Result<void>> fold(std::int64_t job);

 private:
  Database& database_;
  std::int64_t last_run_ = 0;
};

}  // namespace rouse
