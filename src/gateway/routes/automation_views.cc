#include "gateway/routes/automation_views.h"

#include "base/text.h"

namespace rouse {
namespace {

constexpr std::size_t kNextShown = 5;
constexpr std::size_t kListedErrorBytes = 300;

std::optional<std::string> iso_or_none(const std::optional<WallTime>& time) {
  return time ? std::optional(to_iso(*time)) : std::nullopt;
}

template <class Id>
std::optional<std::string> id_or_none(const std::optional<Id>& id) {
  return id ? std::optional(id->str()) : std::nullopt;
}

ScheduleBody body_of(const Schedule& schedule) {
  ScheduleBody out{.kind = std::string(schedule_kind_name(schedule.kind)), .tz = schedule.zone};
  if (schedule.kind == ScheduleKind::kCron) out.expr = schedule.expr;
  if (schedule.kind == ScheduleKind::kEvery) out.every_ms = schedule.every.count;
  if (schedule.kind == ScheduleKind::kAt) out.at = to_iso(schedule.at);
  return out;
}

// What is due but not claimed yet is still to come.
void add_next(AutomationView& out, const Job& job, WallTime now) {
  if (job.state != JobState::kActive || !job.next) return;
  out.next_run_at = to_iso(*job.next);
  out.next_words = due_words(*job.next, job.schedule.zone, now);
  out.next.push_back(*out.next_run_at);
  for (const WallTime due : next_dues(job.schedule, *job.next, kNextShown - 1)) {
    out.next.push_back(to_iso(due));
  }
}

}  // namespace

AutomationView view_of(const Job& job, WallTime now) {
  AutomationView out;
  out.id = job.id;
  out.name = job.name;
  out.message = job.message;
  out.kind = job_kind_name(job.kind);
  if (!job.session_key.empty()) out.session_key = job.session_key;
  out.payload = {job.kind == JobKind::kSystem ? "system_event" : "agent_turn", job.message,
                 out.session_key};
  out.schedule = body_of(job.schedule);
  out.words = schedule_words(job.schedule);
  out.zone = job.schedule.zone;
  out.enabled = job.state == JobState::kActive;
  out.state = job_state_name(job.state);
  out.state_by = job.state_by;
  out.state_reason = job.state_reason;
  out.state_since = to_iso(job.state_since);
  add_next(out, job, now);
  out.catch_up = catch_up_name(job.catch_up);
  out.catch_up_max = job.catch_up_max;
  out.window_ms = job.window.count;
  out.timeout_ms = job.timeout.count;
  out.failures = job.failures;
  out.backoff_until = iso_or_none(job.backoff_until);
  if (job.last_status && job.last_due) {
    out.last = {*job.last_status, job.last_reason.value_or(""), to_iso(*job.last_due)};
  }
  out.tools = job.extra.tools;
  out.gate = job.extra.gate;
  out.output = job.extra.output;
  out.project_path = job.extra.project_path;
  out.provenance = job.provenance;
  out.source = job.source;
  out.key = job.key;
  out.made_in = id_or_none(job.made_in);
  out.created_at = to_iso(job.created);
  out.updated_at = to_iso(job.updated);
  return out;
}

OccurrenceView view_of(const Occurrence& o) {
  OccurrenceView out{.scheduled_for = to_iso(o.due),
                     .count = o.count,
                     .status = o.state,
                     .reason = o.reason,
                     .attempt = o.attempt,
                     .ended_at = iso_or_none(o.ended)};
  if (o.is_range()) out.until = to_iso(o.last);
  if (o.state == kClaimed) out.ready_at = to_iso(o.ready);
  return out;
}

FoldedDayView view_of(const FoldedDay& day) {
  return {to_iso(day.day).substr(0, 10), day.state, day.count, to_iso(day.first), to_iso(day.last)};
}

RunView view_of(Run run) {
  return {.id = std::move(run.id),
          .automation_id = std::move(run.job_id),
          .automation_name = std::move(run.job_name),
          .scheduled_for = to_iso(run.due),
          .attempt = run.attempt,
          .kind = std::move(run.kind),
          .status = std::move(run.state),
          .reason = std::move(run.reason),
          .late = run.late,
          .session_key = std::move(run.session_key),
          .turn_id = id_or_none(run.turn),
          .conversation_id = id_or_none(run.conversation),
          .session_id = id_or_none(run.session),
          .prompt_ref = {std::move(run.prompt_ref.id), run.prompt_ref.version,
                         std::move(run.prompt_ref.sha256)},
          .model = std::move(run.model),
          .tokens_in = run.tokens_in,
          .tokens_out = run.tokens_out,
          .cost_micros = run.cost_micros,
          .queued_at = to_iso(run.queued),
          .ended_at = iso_or_none(run.ended),
          .routed = std::move(run.routed),
          .error = std::string(utf8_prefix(run.error, kListedErrorBytes))};
}

RunView whole_view_of(Run run) {
  std::string error = std::move(run.error), prompt = std::move(run.prompt);
  auto variables = decode_json<std::map<std::string, boost::json::value>>(run.variables);
  RunView out = view_of(std::move(run));
  out.error = std::move(error);
  out.prompt = std::move(prompt);
  if (variables) out.variables = std::move(*variables);
  return out;
}

WhyAutomationView view_of(const Job& job, const AutomationAnswer& answer) {
  return {.automation_id = job.id,
          .automation_name = job.name,
          .at = to_iso(answer.at),
          .code = answer.code,
          .reason = answer.reason,
          .text = answer.text,
          .status = answer.status,
          .by = answer.by,
          .since = iso_or_none(answer.since),
          .scheduled_for = iso_or_none(answer.scheduled_for),
          .until = iso_or_none(answer.until),
          .count = answer.count,
          .folded = answer.folded,
          .next = iso_or_none(answer.next),
          .previous = iso_or_none(answer.previous),
          .run_id = answer.run,
          .turn_id = id_or_none(answer.turn),
          .waits_for = id_or_none(answer.waits_for),
          .conversation_id = id_or_none(answer.conversation)};
}

}  // namespace rouse
