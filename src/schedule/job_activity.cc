#include "schedule/job_activity.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "activity/activity.h"
#include "base/text.h"
#include "schedule/story/automation_words.h"
#include "session/event_log.h"

namespace rouse {
namespace {

constexpr std::size_t kAnswerShown = 280;

struct JobActivityDetails {
  std::string automation_id, what, by;
};
auto shape(const JobActivityDetails*) {
  return fields(field("automation_id", &JobActivityDetails::automation_id, ""),
                field("what", &JobActivityDetails::what, ""),
                field("by", &JobActivityDetails::by, ""));
}

struct JobChangedBody {
  std::string automation_id, name, what, by, state;
};
auto shape(const JobChangedBody*) {
  return fields(field("automation_id", &JobChangedBody::automation_id, ""),
                field("name", &JobChangedBody::name, ""), field("what", &JobChangedBody::what, ""),
                field("by", &JobChangedBody::by, ""), field("state", &JobChangedBody::state, ""));
}

Statement changed_event(const Job& job, std::string_view what, std::string_view by, WallTime now) {
  return EventLog::append(
      {.workspace = job.workspace,
       .type = "automation_changed",
       .conversation = job.made_in ? job.made_in->str() : "",
       .body = encode_json(JobChangedBody{job.id, job.name, std::string(what), std::string(by),
                                          std::string(job_state_name(job.state))}),
       .created = now});
}

struct MissedBody {
  std::string automation_id, name, reason, scheduled_for;
  std::int64_t count = 1;
};
auto shape(const MissedBody*) {
  return fields(field("automation_id", &MissedBody::automation_id, ""),
                field("name", &MissedBody::name, ""), field("reason", &MissedBody::reason, ""),
                field("scheduled_for", &MissedBody::scheduled_for, ""),
                field("count", &MissedBody::count, ""));
}

Statement missed_event(const Job& job, const Covered& missed, WallTime now) {
  return EventLog::append(
      {.workspace = job.workspace,
       .type = "automation_missed",
       .body = encode_json(MissedBody{job.id, job.name, std::string(missed.reason),
                                      to_iso(missed.last), missed.count}),
       .created = now});
}

struct RanBody {
  std::string automation_id, name, run_id, status, reason, scheduled_for;
};
auto shape(const RanBody*) {
  return fields(field("automation_id", &RanBody::automation_id, ""),
                field("name", &RanBody::name, ""), field("run_id", &RanBody::run_id, ""),
                field("status", &RanBody::status, ""), field("reason", &RanBody::reason, ""),
                field("scheduled_for", &RanBody::scheduled_for, ""));
}

// Two sentences of the first lines say what it is about.
std::string beginning_of(std::string_view text) {
  text = trim(text);
  std::size_t end = 0;
  for (int sentences = 0; sentences < 2 && end < text.size(); ++sentences) {
    end = std::min(
        {text.find(". ", end), text.find("! ", end), text.find("? ", end), text.find('\n', end)});
    if (end == std::string_view::npos) break;
    ++end;
  }
  std::string out(trim(text.substr(0, end)));
  std::ranges::replace(out, '\n', ' ');
  if (out.size() <= kAnswerShown) return out;
  return std::string(utf8_prefix(out, kAnswerShown)) + "…";
}

Activity row_of(const Job& job, std::string_view what, std::string_view by, std::string summary,
                WallTime now) {
  return {.at = now,
          .type = ActivityType::kSystem,
          .summary = std::move(summary),
          .workspace = job.workspace,
          .details = encode_json(JobActivityDetails{job.id, std::string(what), std::string(by)})};
}

}  // namespace

Statement ran_event(const Run& run, std::string conversation, std::string session,
                    std::string turn) {
  return EventLog::append({.workspace = run.workspace,
                           .type = "automation_ran",
                           .conversation = std::move(conversation),
                           .session = std::move(session),
                           .turn = std::move(turn),
                           .body = encode_json(RanBody{run.job_id, run.job_name, run.id, run.state,
                                                       run.reason, to_iso(run.due)}),
                           .created = run.ended.value_or(run.queued)});
}

std::vector<Statement> log_job_change(const Job& job, std::string_view what, std::string_view by,
                                      WallTime now) {
  std::vector<Statement> out{changed_event(job, what, by, now)};
  if (job.kind == JobKind::kSystem) return out;
  std::string summary =
      fmt::format("The automation \"{}\" was {} {}", job.name, what, words::by_whom(by));
  if (what == "created" || what == "edited") {
    summary += fmt::format(": {}, {}", schedule_words(job.schedule), job.schedule.zone);
  } else if (!job.state_reason.empty()) {
    summary += ": " + job.state_reason;
  }
  Activity row = row_of(job, what, by, summary + ".", now);
  row.conversation = job.made_in;
  if (what == "created") row.turn = job.made_by;
  std::ranges::move(log_activity(row), std::back_inserter(out));
  return out;
}

std::vector<Statement> log_auto_pause(const Job& job, std::string_view why, WallTime now) {
  if (job.kind == JobKind::kSystem) return {};
  return log_activity(row_of(job, "paused", "rouse",
                             fmt::format("The automation \"{}\" is paused: {}. `rouse automations "
                                         "resume {}` starts it again.",
                                         job.name, why, job.id),
                             now));
}

std::vector<Statement> log_missed(const Job& job, const Covered& span, WallTime now) {
  std::vector<Statement> out{missed_event(job, span, now)};
  if (job.kind == JobKind::kSystem) return out;
  const std::string last = due_words(span.last, job.schedule.zone, now);
  const std::string when = span.count == 1
                               ? fmt::format("once, {}", last)
                               : fmt::format("{} times, from {} to {}", span.count,
                                             due_words(span.first, job.schedule.zone, now), last);
  const Activity row = row_of(job, "missed", "rouse",
                              fmt::format("The automation \"{}\" was missed {}{}.", job.name, when,
                                          words::because(span.reason)),
                              now);
  std::ranges::move(log_activity(row), std::back_inserter(out));
  return out;
}

std::vector<Statement> log_lone_run(const Job& job, const Run& run, std::string_view words,
                                    WallTime now) {
  std::string summary = beginning_of(words);
  if (run.state == kRunOk) summary = fmt::format("{}: {}", job.name, summary);
  Activity row = row_of(job, run.state, "rouse", std::move(summary), now);
  row.type = ActivityType::kBackground;
  row.run = run.id;
  return log_activity(row);
}

}  // namespace rouse
