#include "schedule/job_rows.h"

#include <fmt/format.h>

#include "store/values.h"

namespace rouse {
namespace {

constexpr std::string_view kInsert =
    "INSERT INTO jobs (" JOB_COLUMNS
    ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, "
    "$19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34, $35)";
// Somebody else may have changed it since it was read; the scheduler moves next_ms. How the last
// occurrence ended is not the change's to say.
constexpr std::string_view kChange =
    "UPDATE jobs SET workspace_id = $2, job_id = $3, name = $4, message = $5, kind = $6, "
    "session_key = $7, schedule_kind = $8, at_ms = $9, every_ms = $10, anchor_ms = $11, "
    "expr = $12, zone = $13, state = $14, state_by = $15, state_reason = $16, state_ms = $17, "
    "next_ms = $18, catch_up = $19, catch_up_max = $20, window_ms = $21, timeout_ms = $22, "
    "failures = $23, backoff_ms = $24, extra = $25, provenance = $26, source = $27, "
    "made_key = $28, conversation_id = $29, turn_id = $30, created_ms = $31, updated_ms = $32 "
    "WHERE number = $1 AND updated_ms = $33 AND COALESCE(next_ms, 0) = $34 AND state = $35";
constexpr std::string_view kFinish =
    "UPDATE jobs SET state = 'done', state_by = 'rouse', state_reason = $2, state_ms = $3 "
    "WHERE number = $1 AND state = 'active' AND next_ms IS NULL";

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

// In the order of JOB_COLUMNS, up to updated_ms.
std::vector<Value> values_of(const Job& j) {
  return {j.number,
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
          j.updated.unix_ms};
}

}  // namespace

Result<Job> job_from_row(const Row& row) {
  auto job = read_job(row);
  if (job || job.error().is(StoreErrc::kCorrupt)) return job;
  return fail(StoreErrc::kCorrupt, fmt::format("the row of automation {} can't be read: {}",
                                               row.text(2), job.error().message));
}

Statement insert_job(const Job& job) {
  Statement out{kInsert, values_of(job), 1};
  out.params.insert(out.params.end(),
                    {or_null(job.last_status), or_null(job.last_reason), or_null(job.last_due)});
  return out;
}

Statement change_job(const Job& before, const Job& after) {
  Statement out{kChange, values_of(after), 1};
  out.params.insert(out.params.end(),
                    {before.updated.unix_ms, before.next ? before.next->unix_ms : 0,
                     std::string(job_state_name(before.state))});
  return out;
}

Statement finish_job(std::int64_t number, std::string_view how, WallTime now) {
  return {kFinish, {number, std::string(how), now.unix_ms}, {}};
}

}  // namespace rouse
