#include "schedule/job_rows.h"

#include <fmt/format.h>

#include "store/values.h"

namespace rouse {
namespace {

constexpr std::string_view kInsert =
    "INSERT INTO jobs (" JOB_COLUMNS
    ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, "
    "$19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34, $35)";
// Somebody else may have changed it since it was read; the scheduler moves next_ms.
constexpr std::string_view kChange =
    "UPDATE jobs SET name = $2, message = $3, session_key = $4, schedule_kind = $5, at_ms = $6, "
    "every_ms = $7, anchor_ms = $8, expr = $9, zone = $10, state = $11, state_by = $12, "
    "state_reason = $13, state_ms = $14, next_ms = $15, catch_up = $16, catch_up_max = $17, "
    "window_ms = $18, timeout_ms = $19, failures = $20, backoff_ms = $21, extra = $22, "
    "provenance = $23, updated_ms = $24, kind = $28 "
    "WHERE number = $1 AND updated_ms = $25 AND COALESCE(next_ms, 0) = $26 AND state = $27";

Result<Job> read_job(const Row& row) {
  Job out;
  out.number = row.integer(0);
  TRY(out.workspace, WorkspaceId::parse(row.text(1)));
  out.id = row.text(2);
  out.name = row.text(3);
  out.message = row.text(4);
  auto kind = parse_job_kind(row.text(5));
  auto schedule_kind = parse_schedule_kind(row.text(7));
  const auto state = parse_job_state(row.text(13));
  auto catch_up = parse_catch_up(row.text(18));
  auto extra = decode_json<JobExtra>(row.text(24));
  if (state == JobState::kQuarantined) {  // shown with what can be read of it (CR-27)
    kind = kind.value_or(JobKind::kBound);
    schedule_kind = schedule_kind.value_or(ScheduleKind::kCron);
    catch_up = catch_up.value_or(CatchUp::kLatest);
    if (!extra) extra = JobExtra{};
  }
  if (!kind || !schedule_kind || !state || !catch_up) {
    return fail(StoreErrc::kCorrupt, fmt::format("the row of automation {} can't be read", out.id));
  }
  if (!extra) return std::unexpected(extra.error());
  out.kind = *kind;
  out.session_key = row.text(6);
  out.schedule = {.kind = *schedule_kind,
                  .at = {row.integer(8)},
                  .every = {row.integer(9)},
                  .anchor = {row.integer(10)},
                  .expr = row.text(11),
                  .zone = row.text(12)};
  out.state = *state;
  out.state_by = row.text(14);
  out.state_reason = row.text(15);
  out.state_since = {row.integer(16)};
  out.next = time_or_null(row, 17);
  out.catch_up = *catch_up;
  out.catch_up_max = row.integer(19);
  out.window = {row.integer(20)};
  out.timeout = {row.integer(21)};
  out.failures = row.integer(22);
  out.backoff_until = time_or_null(row, 23);
  out.extra = std::move(*extra);
  out.provenance = row.text(25);
  out.source = row.text(26);
  out.key = text_or_null(row, 27);
  if (!row.is_null(28)) {
    TRY(out.made_in, ConversationId::parse(row.text(28)));
  }
  if (!row.is_null(29)) {
    TRY(out.made_by, TurnId::parse(row.text(29)));
  }
  out.created = {row.integer(30)};
  out.updated = {row.integer(31)};
  out.last_status = text_or_null(row, 32);
  out.last_reason = text_or_null(row, 33);
  out.last_due = time_or_null(row, 34);
  return out;
}

}  // namespace

Result<Job> job_from_row(const Row& row) {
  auto job = read_job(row);
  if (job || job.error().is(StoreErrc::kCorrupt)) return job;
  return fail(StoreErrc::kCorrupt, fmt::format("the row of automation {} can't be read: {}",
                                               row.text(2), job.error().message));
}

Statement insert_job(const Job& j) {
  return {kInsert,
          {j.number,
           j.workspace.str(),
           j.id,
           j.name,
           j.message,
           std::string(job_kind_name(j.kind)),
           j.session_key,
           std::string(schedule_kind_name(j.schedule.kind)),
           j.schedule.at.unix_ms,
           j.schedule.every.count,
           j.schedule.anchor.unix_ms,
           j.schedule.expr,
           j.schedule.zone,
           std::string(job_state_name(j.state)),
           j.state_by,
           j.state_reason,
           j.state_since.unix_ms,
           or_null(j.next),
           std::string(catch_up_name(j.catch_up)),
           j.catch_up_max,
           j.window.count,
           j.timeout.count,
           j.failures,
           or_null(j.backoff_until),
           encode_json(j.extra),
           j.provenance,
           j.source,
           or_null(j.key),
           j.made_in ? Value(j.made_in->str()) : Value(std::monostate{}),
           j.made_by ? Value(j.made_by->str()) : Value(std::monostate{}),
           j.created.unix_ms,
           j.updated.unix_ms,
           or_null(j.last_status),
           or_null(j.last_reason),
           or_null(j.last_due)},
          1};
}

Statement change_job(const Job& before, const Job& j) {
  return {kChange,
          {j.number,
           j.name,
           j.message,
           j.session_key,
           std::string(schedule_kind_name(j.schedule.kind)),
           j.schedule.at.unix_ms,
           j.schedule.every.count,
           j.schedule.anchor.unix_ms,
           j.schedule.expr,
           j.schedule.zone,
           std::string(job_state_name(j.state)),
           j.state_by,
           j.state_reason,
           j.state_since.unix_ms,
           or_null(j.next),
           std::string(catch_up_name(j.catch_up)),
           j.catch_up_max,
           j.window.count,
           j.timeout.count,
           j.failures,
           or_null(j.backoff_until),
           encode_json(j.extra),
           j.provenance,
           j.updated.unix_ms,
           before.updated.unix_ms,
           before.next ? before.next->unix_ms : 0,
           std::string(job_state_name(before.state)),
           std::string(job_kind_name(j.kind))},
          1};
}

}  // namespace rouse
