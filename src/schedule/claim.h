// What to do with the due instants of a job that nothing is recorded for yet: which of them run,
// and what is written down for those that don't. Pure: a job, a moment, what is known of the
// server's life; a plan comes out. The scheduler only commits it.
//
// The common case is one instant, due just now: it runs. Otherwise:
// - its own earlier occurrence is still open: coalesced, `skipped(overlap)`;
// - it failed a moment ago: `skipped(backoff)` until the backoff is over;
// - missed, because rouse was down, asleep or held: the job's catch-up policy decides (CR-1, CR-2).
//   `latest` runs the newest, `all` the newest n, oldest first, `skip` none; never one that is
//   older than the job's window (CR-3).
// An instant that is merely a little late was not missed (CR-25).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schedule/job.h"

namespace rouse {

// How late an instant may be and still be on time.
inline constexpr Millis kGrace = seconds(60);
// After a failure; a backoff that ends later was set by another clock.
inline constexpr Millis kLongestBackoff = hours(27);
// Instants looked at in one step: a year of seconds is worked off bit by bit.
inline constexpr std::int64_t kClaimedAtOnce = 50'000;

struct ClaimMoment {
  WallTime now;
  WallTime alive_since;   // before this nobody was there
  bool has_open = false;  // an earlier occurrence of the job is not over yet
};

// Consecutive instants that share a fate.
struct Covered {
  WallTime first, last;
  std::int64_t count = 0;
  std::string_view state, reason;
};

struct ClaimPlan {
  std::vector<Covered> covered;  // in their order, all before the first of `run`
  std::vector<WallTime> run;     // in their order
  std::optional<WallTime> next;  // the first instant after them
  bool late = false;             // those that run were missed before
};

// The job has a next instant, and it is not after now.
ClaimPlan plan_claim(const Job& job, const ClaimMoment& moment);

}  // namespace rouse
