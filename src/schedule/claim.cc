#include "schedule/claim.h"

#include <algorithm>

#include "schedule/occurrence_ledger.h"

namespace rouse {
namespace {

// The instants of the job from the first unsettled one on.
struct Due {
  DueSpan span;
  bool all = true;  // false: there are more, later ones
};

Due due_of(const Job& job, WallTime now) {
  Due out;
  out.span = dues_between(job.schedule, *job.next - millis(1), now, kClaimedAtOnce);
  out.all = out.span.count < kClaimedAtOnce ||
            dues_between(job.schedule, out.span.last, now, 1).count == 0;
  // The instant was settled on under an earlier shape of the schedule or of a zone's rules.
  if (out.span.count == 0 || out.span.first != *job.next) {
    const std::int64_t rest = out.span.count;
    out.span = {rest + 1, *job.next, rest == 0 ? *job.next : out.span.last};
  }
  return out;
}

void cover(ClaimPlan& plan, WallTime first, WallTime last, std::int64_t count,
           std::string_view state, std::string_view reason) {
  if (count > 0) plan.covered.push_back({first, last, count, state, reason});
}

bool was_missed(WallTime due, const ClaimMoment& moment) {
  return due < moment.alive_since || moment.now - due > kGrace;
}

// The newest `count` instants of the span, oldest first.
std::vector<WallTime> newest(const Job& job, const DueSpan& span, std::int64_t count) {
  if (count <= 1) return {span.last};
  const std::int64_t before = span.count - std::min(count, span.count);
  WallTime at = span.first;
  if (before > 1) at = dues_between(job.schedule, span.first, span.last, before - 1).last;
  std::vector<WallTime> out;
  if (before == 0) out.push_back(span.first);
  while (static_cast<std::int64_t>(out.size()) < count) {
    const auto next = next_due(job.schedule, at);
    if (!next || *next > span.last) break;
    out.push_back(*next);
    at = *next;
  }
  return out;
}

// What is too old to run any more, of those that would.
void drop_expired(ClaimPlan& plan, const Job& job, const ClaimMoment& moment) {
  const Millis window = std::max(job.window, kGrace);  // a little late is on time (CR-25)
  const auto fresh =
      std::ranges::find_if(plan.run, [&](WallTime due) { return moment.now - due <= window; });
  const auto expired = fresh - plan.run.begin();
  if (expired == 0) return;
  cover(plan, plan.run.front(), *(fresh - 1), expired, kMissed, "expired");
  plan.run.erase(plan.run.begin(), fresh);
}

}  // namespace

ClaimPlan plan_claim(const Job& job, const ClaimMoment& moment) {
  ClaimPlan plan;
  const Due due = due_of(job, moment.now);
  const DueSpan& span = due.span;
  plan.next = next_due(job.schedule, span.last);
  const auto whole = [&](std::string_view state, std::string_view reason) {
    cover(plan, span.first, span.last, span.count, state, reason);
    return plan;
  };
  if (!due.all) return whole(kMissed, "superseded");
  if (moment.has_open) return whole(kSkipped, "overlap");
  // One that is further ahead than any backoff was set by a clock that has been set back since.
  if (job.backoff_until && moment.now < *job.backoff_until &&
      *job.backoff_until - moment.now <= kLongestBackoff) {
    return whole(kSkipped, "backoff");
  }

  const bool missed = was_missed(span.last, moment);
  if (missed && job.catch_up == CatchUp::kSkip) {
    return whole(kMissed, span.last < moment.alive_since ? "down" : "late");
  }
  const bool all = missed ? job.catch_up == CatchUp::kAll
                          : job.catch_up == CatchUp::kAll && was_missed(span.first, moment);
  plan.run = newest(job, span, all ? job.catch_up_max : 1);
  plan.late = missed;
  const auto ran = static_cast<std::int64_t>(plan.run.size());
  if (span.count > ran) {
    const DueSpan before = dues_between(job.schedule, span.first - millis(1),
                                        plan.run.front() - millis(1), span.count - ran);
    const bool down = was_missed(span.first, moment);
    cover(plan, span.first, std::max(before.last, span.first), span.count - ran,
          down ? kMissed : kSkipped, down ? "superseded" : "coalesced");
  }
  drop_expired(plan, job, moment);
  return plan;
}

}  // namespace rouse
