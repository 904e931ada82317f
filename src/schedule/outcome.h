// What follows from how a run ended: for its occurrence, for the job, and for the words that close
// it in the conversation. Pure, and asked twice for the same turn: once for the words, once for the
// rows; both see the same.
//
// By cause (CR-31): what may pass (a busy or unreachable model, a timeout) is tried again after 30
// s, 1 min, 5 min …, as long as that is before the job's next instant and the tries last; what will
// not pass by itself (a refused key, no credit, a request the model rejects) pauses the job at
// once. A job that failed ten times in a row is paused, and says so (CR-32). A one-shot ends on any
// outcome (CR-30).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schedule/job.h"
#include "schedule/occurrence_ledger.h"
#include "session/turn_ledger.h"
#include "store/database.h"

namespace rouse {

inline constexpr std::int64_t kTries = 3;             // of one occurrence
inline constexpr std::int64_t kFailuresToPause = 10;  // in a row
inline constexpr std::string_view kEmptyReason = "empty";

struct RunEnd {
  std::string_view state;                // a disposition
  std::string reason;                    // a word
  std::optional<WallTime> retry = {};    // the occurrence goes on: another try then
  std::optional<WallTime> backoff = {};  // the job: nothing before this
  std::int64_t failures = 0;             // the job's streak after it
  std::string pause = {};                // why the job is paused; "": it isn't
  std::vector<Statement> also = {};      // there exactly if the end is; of rouse's own jobs
  bool written = false;                  // the end is durable already: `also` of something else
};

// `retry_after` is what the model's provider asked to wait: nothing is tried before that. The same
// question has the same answer; pauses of different jobs differ by up to a tenth, so that those
// that failed together don't come back together (CR-31).
RunEnd run_end(const Job& job, const Occurrence& occurrence, const Verdict& verdict, WallTime now,
               Millis retry_after = {});

// The words of a failure, short; the whole story is in the run's record (S3-35).
std::string failure_line(const Job& job, const RunEnd& end, WallTime now);
std::string empty_line(const Job& job);

}  // namespace rouse
