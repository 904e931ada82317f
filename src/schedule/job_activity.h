// What is told of automations while they live: events for the pages that watch, and rows of the
// activity log. Made and changed by whom, paused by rouse itself, missed (a row a span), and what a
// run without a conversation came to; runs inside of a conversation are the chronicle's to tell,
// with everything else that was said there. Statements for the write of what they tell about;
// rouse's own jobs log their rows themselves.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schedule/claim.h"
#include "schedule/job.h"
#include "schedule/occurrence_ledger.h"
#include "store/database.h"

namespace rouse {

// A run is over.
Statement ran_event(const Run& run, std::string conversation, std::string session,
                    std::string turn);
// `what`: "created", "edited", "paused", "resumed", "removed"; `by` as in job_book.h.
std::vector<Statement> log_job_change(const Job& job, std::string_view what, std::string_view by,
                                      WallTime now);
// rouse itself has paused it.
std::vector<Statement> log_auto_pause(const Job& job, std::string_view why, WallTime now);
std::vector<Statement> log_missed(const Job& job, const Covered& span, WallTime now);
// A run that no conversation tells of is over: `words` are its answer, or how it failed.
std::vector<Statement> log_lone_run(const Job& job, const Run& run, std::string_view words,
                                    WallTime now);

}  // namespace rouse
