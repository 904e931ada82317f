#include "proactive/heartbeat_watch.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "proactive/heartbeat_file.h"

namespace rouse {
namespace {

constexpr Millis kSecondLook = minutes(2);   // before an alarm: the scheduler wakes each minute
constexpr Millis kLongestRun = minutes(15);  // of a beat, with all that may hold it up
constexpr Millis kLongestLook = hours(24);

constexpr std::string_view kJobs =
    "SELECT number, workspace_id, job_id, every_ms, next_ms FROM jobs WHERE source = 'system' AND "
    "source IN ('file', 'agent', 'system') AND state <> 'removed' AND state = 'active' "
    "ORDER BY workspace_id, number LIMIT 1000";
constexpr std::string_view kOpen =
    "SELECT due_ms, claimed_ms FROM occurrences WHERE job = $1 AND ended_ms IS NULL "
    "ORDER BY due_ms LIMIT 1";

}  // namespace

Millis beat_grace(Millis interval) { return std::max(minutes(2), Millis{interval.count / 4}); }

void HeartbeatWatch::configure(bool expected) {
  expected_ = expected;
  nudge();
}

void HeartbeatWatch::start() {
  if (running_) return;
  running_ = true;
  parts_.loop.spawn("heartbeat watch", run());
}

void HeartbeatWatch::stop() {
  stopping_.request_stop();
  wake_.request_stop();
}

void HeartbeatWatch::nudge() { wake_.request_stop(); }

// When it is late, and since when it is due.
Result<WallTime> HeartbeatWatch::bound_of(std::int64_t job, WallTime next, Millis grace,
                                          WallTime& since) {
  const WallTime now = parts_.clock.wall_now();
  since = next;
  TRY(const Rows open, parts_.database.read({kOpen, {job}}));
  if (open.empty()) {
    ahead_.erase(job);
    return next + grace;
  }
  since = WallTime{open.front().integer(0)};
  WallTime claimed{open.front().integer(1)};
  if (claimed <= now) {
    ahead_.erase(job);
  } else {
    const MonoTime mono = parts_.clock.mono_now();
    auto& seen = ahead_.try_emplace(job, since.unix_ms, mono).first->second;
    if (seen.first != since.unix_ms) seen = {since.unix_ms, mono};
    claimed = now - (mono - seen.second);
  }
  return std::min(next + grace, claimed + grace + kLongestRun);
}

Result<HeartbeatWatch::Look> HeartbeatWatch::look() {
  Look out;
  if (!expected_) return out;
  const WallTime now = parts_.clock.wall_now();
  TRY(const Rows jobs, parts_.database.read({kJobs, {}}));
  for (const Row& job : jobs) {
    if (!heartbeat_name(job.text(2)) || job.is_null(4)) continue;
    const auto workspace = WorkspaceId::parse(job.text(1));
    if (!workspace) continue;
    const Millis grace = beat_grace({job.integer(3)});
    WallTime since;
    TRY(const WallTime bound, bound_of(job.integer(0), {job.integer(4)}, grace, since));
    if (bound <= now) {
      out.late.emplace(job.integer(0), Late{*workspace, job.text(2), since});
    } else {
      out.next = std::min(out.next.value_or(bound), bound);
    }
  }
  return out;
}

// Each is looked at twice before somebody is told of it.
void HeartbeatWatch::keep_suspects(Look& look) {
  std::set<std::int64_t> late;
  for (const auto& [number, one] : look.late) late.insert(number);
  std::erase_if(look.late, [&](const auto& one) {
    return !suspects_.contains(one.first) && !told_.contains(one.first);
  });
  suspects_ = std::move(late);
}

Task<void> HeartbeatWatch::tell(Look look) {
  std::string problem;
  for (const auto& [number, late] : look.late) {
    problem +=
        fmt::format("{}{} of {} has not beaten since it was due at {}", problem.empty() ? "" : "; ",
                    late.job_id, late.workspace.str(), to_iso(late.since));
    if (told_.contains(number)) continue;
    Notification alarm{.workspace = late.workspace,
                       .kind = "system",
                       .subject = "The heartbeat has stopped",
                       .text = fmt::format("{} was due at {} and nothing is recorded since. `rouse "
                                           "doctor` and the server's log may say why.",
                                           late.job_id, to_iso(late.since)),
                       .created = parts_.clock.wall_now()};
    alarm.automation = late.job_id;
    const auto sent = co_await parts_.notifications.send(std::move(alarm));
    if (sent) {
      told_.emplace(number, late);
    } else {  // the next look tries again
      parts_.log.warn("heartbeat_watch.not_told", {{"message", sent.error().message}});
    }
  }
  std::erase_if(told_, [&](const auto& one) { return !look.late.contains(one.first); });
  if (problem == problem_) co_return;
  problem_ = std::move(problem);
  if (on_problem_) on_problem_(problem_);
}

Task<void> HeartbeatWatch::run() {
  const std::stop_token stop = stopping_.get_token();
  while (!stop.stop_requested()) {
    wake_ = std::stop_source();
    auto seen = look();
    if (!seen) parts_.log.warn("heartbeat_watch.failed", {{"message", seen.error().message}});
    Millis rest = kSecondLook;
    if (seen) {
      const bool late = !seen->late.empty();
      const WallTime now = parts_.clock.wall_now();
      if (!late) rest = seen->next ? std::min(*seen->next - now, kLongestLook) : kLongestLook;
      keep_suspects(*seen);
      co_await tell(std::move(*seen));
    }
    if (stop.stop_requested()) break;
    co_await parts_.clock.wait_for(rest, wake_.get_token());
  }
}

}  // namespace rouse
