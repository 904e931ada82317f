// The rows of `jobs`: reading them, and the statements that make and change them. Statements are
// values for somebody's write; nothing here decides anything.
#pragma once

#include "schedule/job.h"
#include "store/database.h"

namespace rouse {

// A row as the scheduler and the lists read it, in the order of JOB_COLUMNS; an error if it can't
// be read.
#define JOB_COLUMNS                                                                               \
  "number, workspace_id, job_id, name, message, kind, session_key, schedule_kind, at_ms, "        \
  "every_ms, anchor_ms, expr, zone, state, state_by, state_reason, state_ms, next_ms, catch_up, " \
  "catch_up_max, window_ms, timeout_ms, failures, backoff_ms, extra, provenance, source, "        \
  "made_key, conversation_id, turn_id, created_ms, updated_ms, last_status, last_reason, "        \
  "last_due_ms"
Result<Job> job_from_row(const Row& row);

Statement insert_job(const Job& job);
// Everything a change may touch, as in `after`. Fails the write if somebody else has changed the
// job since `before` was read; the scheduler's claim of an instant is such a change.
Statement change_job(const Job& before, const Job& after);
// One that has no next instant any more is done; `how` its last one ended.
Statement finish_job(std::int64_t number, std::string_view how, WallTime now);

}  // namespace rouse
