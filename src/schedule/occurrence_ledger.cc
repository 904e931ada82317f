#include "schedule/occurrence_ledger.h"

#include <limits>

#include "base/text.h"
#include "store/values.h"

namespace rouse {
namespace {

constexpr std::size_t kErrorBytes = 4 * 1024;
constexpr std::size_t kAnswerBytes = 64 * 1024;
constexpr std::int64_t kFoldedAtOnce = 500;
constexpr std::int64_t kSlack = 50;  // rows over the bound before it is worth folding

#define OCCURRENCE_COLUMNS \
  "job, due_ms, last_ms, count, state, reason, epoch, attempt, ready_ms, claimed_ms, ended_ms"
#define RUN_COLUMNS                                                                             \
  "number, run_id, workspace_id, job, job_id, job_name, due_ms, attempt, kind, state, reason, " \
  "session_key, prompt_id, prompt_version, prompt_sha256, variables, prompt, turn_id, "         \
  "conversation_id, session_id, answer, routed, error, model, tokens_in, tokens_out, "          \
  "cost_micros, queued_ms, ended_ms, late"

constexpr std::string_view kInsert = "INSERT INTO occurrences (" OCCURRENCE_COLUMNS
                                     ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
constexpr std::string_view kExtend =
    "UPDATE occurrences SET last_ms = $3, count = count + $4 WHERE job = $1 AND due_ms = $2";
constexpr std::string_view kBegin =
    "UPDATE occurrences SET state = 'queued', reason = '' "
    "WHERE job = $1 AND due_ms = $2 AND state = 'claimed' AND attempt = $3";
constexpr std::string_view kPostpone =
    "UPDATE occurrences SET ready_ms = $3, reason = $4 "
    "WHERE job = $1 AND due_ms = $2 AND state = 'claimed'";
constexpr std::string_view kRetry =
    "UPDATE occurrences SET state = 'claimed', attempt = attempt + 1, ready_ms = $3, reason = $4 "
    "WHERE job = $1 AND due_ms = $2 AND ended_ms IS NULL AND attempt = $5";
constexpr std::string_view kEnd =
    "UPDATE occurrences SET state = $3, reason = $4, ended_ms = $5 "
    "WHERE job = $1 AND due_ms = $2 AND ended_ms IS NULL";
constexpr std::string_view kEndOpen =
    "UPDATE occurrences SET state = $2, reason = $3, ended_ms = $4 "
    "WHERE job = $1 AND ended_ms IS NULL AND state = 'claimed'";
constexpr std::string_view kNewest =
    "SELECT " OCCURRENCE_COLUMNS " FROM occurrences WHERE job = $1 ORDER BY due_ms DESC LIMIT 1";
constexpr std::string_view kOpenOf =
    "SELECT " OCCURRENCE_COLUMNS
    " FROM occurrences WHERE job = $1 AND ended_ms IS NULL ORDER BY due_ms LIMIT 1";
constexpr std::string_view kAt =
    "SELECT " OCCURRENCE_COLUMNS
    " FROM occurrences WHERE job = $1 AND due_ms <= $2 ORDER BY due_ms DESC LIMIT 1";
// One of a job goes at a time.
#define FIRST_OF_ITS_JOB                                                       \
  "AND NOT EXISTS (SELECT 1 FROM occurrences o WHERE o.job = occurrences.job " \
  "AND o.ended_ms IS NULL AND o.due_ms < occurrences.due_ms) "
constexpr std::string_view kReady =
    "SELECT " OCCURRENCE_COLUMNS
    " FROM occurrences WHERE state = 'claimed' AND ready_ms <= $1 " FIRST_OF_ITS_JOB
    "ORDER BY ready_ms, due_ms, job LIMIT $2";
constexpr std::string_view kNextReady =
    "SELECT ready_ms FROM occurrences WHERE state = 'claimed' AND ready_ms > $1 " FIRST_OF_ITS_JOB
    "ORDER BY ready_ms LIMIT 1";
// Of rouse's own jobs, which are few: from their side, so that the many that wait cost nothing.
#define OF_SYSTEM_JOBS                                                                       \
  "job IN (SELECT number FROM jobs WHERE source = 'system' AND source IN ('file', 'agent', " \
  "'system') AND state <> 'removed') AND ended_ms IS NULL AND state = 'claimed' "
constexpr std::string_view kReadySystem =
    "SELECT " OCCURRENCE_COLUMNS " FROM occurrences WHERE " OF_SYSTEM_JOBS
    "AND ready_ms + 0 <= $1 " FIRST_OF_ITS_JOB "ORDER BY ready_ms + 0, due_ms, job LIMIT $2";
constexpr std::string_view kNextReadySystem =
    "SELECT ready_ms FROM occurrences WHERE " OF_SYSTEM_JOBS
    "AND ready_ms + 0 > $1 " FIRST_OF_ITS_JOB "ORDER BY ready_ms + 0 LIMIT 1";
constexpr std::string_view kSetBack =
    "UPDATE occurrences SET ready_ms = $1 WHERE state = 'claimed' AND claimed_ms > $1";
constexpr std::string_view kOpenAfter =
    "SELECT " OCCURRENCE_COLUMNS
    " FROM occurrences WHERE ended_ms IS NULL AND (job > $1 OR (job = $1 AND due_ms > $2)) "
    "ORDER BY job, due_ms LIMIT $3";
constexpr std::string_view kOfJob =
    "SELECT " OCCURRENCE_COLUMNS
    " FROM occurrences WHERE job = $1 AND due_ms < $2 ORDER BY due_ms DESC LIMIT $3";
constexpr std::string_view kDaysOf =
    "SELECT day_ms, state, count, first_ms, last_ms FROM occurrence_days WHERE job = $1 "
    "ORDER BY day_ms DESC LIMIT $2";
constexpr std::string_view kFoldedAt =
    "SELECT day_ms, state, count, first_ms, last_ms FROM occurrence_days "
    "WHERE job = $1 AND day_ms <= $2 AND last_ms >= $2 ORDER BY day_ms DESC LIMIT 20";

constexpr std::string_view kInsertRun =
    "INSERT INTO runs (" RUN_COLUMNS
    ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, "
    "$19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30)";
constexpr std::string_view kEndRun =
    "UPDATE runs SET state = $2, reason = $3, conversation_id = $4, session_id = $5, answer = $6, "
    "routed = $7, error = $8, model = $9, tokens_in = $10, tokens_out = $11, cost_micros = $12, "
    "ended_ms = $13 WHERE number = $1 AND ended_ms IS NULL";
constexpr std::string_view kSetRouted = "UPDATE runs SET routed = $2 WHERE number = $1";
constexpr std::string_view kRunOfTurn = "SELECT " RUN_COLUMNS " FROM runs WHERE turn_id = $1";
constexpr std::string_view kRunById =
    "SELECT " RUN_COLUMNS " FROM runs WHERE workspace_id = $1 AND run_id = $2";
constexpr std::string_view kNewestRun =
    "SELECT " RUN_COLUMNS " FROM runs WHERE job = $1 AND due_ms = $2 ORDER BY number DESC LIMIT 1";
constexpr std::string_view kRunBefore =
    "SELECT " RUN_COLUMNS " FROM runs WHERE job = $1 AND number < $2 ORDER BY number DESC LIMIT 1";
constexpr std::string_view kRunsOfJob =
    "SELECT " RUN_COLUMNS
    " FROM runs WHERE job = $2 AND workspace_id = $1 AND number < $3 ORDER BY number DESC LIMIT $4";
constexpr std::string_view kRunsOfWorkspace =
    "SELECT " RUN_COLUMNS
    " FROM runs WHERE workspace_id = $1 AND $2 = 0 AND number < $3 ORDER BY number DESC LIMIT $4";
constexpr std::string_view kUnrouted =
    "SELECT " RUN_COLUMNS
    " FROM runs WHERE routed = 'pending' AND number > $1 ORDER BY number LIMIT $2";
constexpr std::string_view kLastRun = "SELECT COALESCE(MAX(number), 0) FROM runs";

// Folding: everything of a job that is over and older than the newest kRowsKept. Days are those of
// UTC, so that a job which changes its zone keeps its history. The last run stays, however old: the
// next one goes on from there.
constexpr std::string_view kFoldFrom =
    "SELECT due_ms FROM occurrences WHERE job = $1 ORDER BY due_ms DESC LIMIT 1 OFFSET $2";
constexpr std::string_view kOldest =
    "SELECT due_ms, last_ms, count, state FROM occurrences WHERE job = $1 AND due_ms <= $2 "
    "AND ended_ms IS NOT NULL ORDER BY due_ms LIMIT $3";
constexpr std::string_view kDay =
    "INSERT INTO occurrence_days (job, day_ms, state, count, first_ms, last_ms) "
    "VALUES ($1, $2, $3, $4, $5, $6) "
    "ON CONFLICT (job, day_ms, state) DO UPDATE SET count = occurrence_days.count + "
    "excluded.count, "
    "last_ms = excluded.last_ms";
constexpr std::string_view kDropRows =
    "DELETE FROM occurrences WHERE job = $1 AND due_ms <= $2 AND ended_ms IS NOT NULL";
constexpr std::string_view kDropRuns =
    "DELETE FROM runs WHERE job = $1 AND due_ms <= $2 AND ended_ms IS NOT NULL "
    "AND routed <> 'pending' AND number < (SELECT MAX(number) FROM runs n WHERE n.job = $1)";

Occurrence occurrence_from(const Row& row) {
  return {.job = row.integer(0),
          .due = {row.integer(1)},
          .last = {row.integer(2)},
          .count = row.integer(3),
          .state = row.text(4),
          .reason = row.text(5),
          .epoch = row.integer(6),
          .attempt = row.integer(7),
          .ready = {row.integer(8)},
          .claimed = {row.integer(9)},
          .ended = time_or_null(row, 10)};
}

FoldedDay day_from(const Row& row) {
  return {{row.integer(0)}, row.text(1), row.integer(2), {row.integer(3)}, {row.integer(4)}};
}

template <class Id>
Result<std::optional<Id>> id_or_null(const Row& row, std::size_t column) {
  if (row.is_null(column)) return std::optional<Id>();
  TRY(auto id, Id::parse(row.text(column)));
  return std::optional(std::move(id));
}

Result<Run> run_from(const Row& row) {
  Run out;
  out.number = row.integer(0);
  out.id = row.text(1);
  TRY(out.workspace, WorkspaceId::parse(row.text(2)));
  out.job = row.integer(3);
  out.job_id = row.text(4);
  out.job_name = row.text(5);
  out.due = {row.integer(6)};
  out.attempt = row.integer(7);
  out.kind = row.text(8);
  out.state = row.text(9);
  out.reason = row.text(10);
  out.session_key = row.text(11);
  out.prompt_ref = {row.text(12), row.integer(13), row.text(14)};
  out.variables = row.text(15);
  out.prompt = row.text(16);
  TRY(out.turn, id_or_null<TurnId>(row, 17));
  TRY(out.conversation, id_or_null<ConversationId>(row, 18));
  TRY(out.session, id_or_null<SessionId>(row, 19));
  out.answer = row.text(20);
  out.routed = row.text(21);
  out.error = row.text(22);
  out.model = row.text(23);
  out.tokens_in = row.integer(24);
  out.tokens_out = row.integer(25);
  out.cost_micros = integer_or_null(row, 26);
  out.queued = {row.integer(27)};
  out.ended = time_or_null(row, 28);
  out.late = row.integer(29) != 0;
  return out;
}

std::vector<Occurrence> occurrences_from(const Rows& rows) {
  std::vector<Occurrence> out;
  out.reserve(rows.size());
  for (const Row& row : rows) out.push_back(occurrence_from(row));
  return out;
}

std::optional<Occurrence> first_of(const Rows& rows) {
  if (rows.empty()) return std::nullopt;
  return occurrence_from(rows.front());
}

Result<std::optional<Run>> first_run(const Rows& rows) {
  if (rows.empty()) return std::optional<Run>();
  TRY(auto run, run_from(rows.front()));
  return std::optional(std::move(run));
}

Result<std::vector<Run>> runs_from(const Rows& rows) {
  std::vector<Run> out;
  out.reserve(rows.size());
  for (const Row& row : rows) {
    TRY(auto run, run_from(row));
    out.push_back(std::move(run));
  }
  return out;
}

template <class Id>
Value id_value(const std::optional<Id>& id) {
  return id ? Value(id->str()) : Value(std::monostate{});
}

std::int64_t day_of(std::int64_t ms) {
  const std::int64_t day = days(1).count;
  return (ms >= 0 ? ms / day : (ms - day + 1) / day) * day;
}

}  // namespace

Result<void> OccurrenceLedger::load() {
  TRY(const Rows rows, database_.read({kLastRun, {}}));
  last_run_ = rows.front().integer(0);
  return {};
}

Statement OccurrenceLedger::insert(const Occurrence& o) {
  return {kInsert,
          {o.job, o.due.unix_ms, o.last.unix_ms, o.count, o.state, o.reason, o.epoch, o.attempt,
           o.ready.unix_ms, o.claimed.unix_ms, or_null(o.ended)},
          1};
}

Statement OccurrenceLedger::extend(std::int64_t job, WallTime due, WallTime last,
                                   std::int64_t count) {
  return {kExtend, {job, due.unix_ms, last.unix_ms, count}, 1};
}

Statement OccurrenceLedger::begin(const Occurrence& o) {
  return {kBegin, {o.job, o.due.unix_ms, o.attempt}, 1};
}

Statement OccurrenceLedger::postpone(const Occurrence& o, WallTime ready, std::string_view reason) {
  return {kPostpone, {o.job, o.due.unix_ms, ready.unix_ms, std::string(reason)}, {}};
}

Statement OccurrenceLedger::retry(const Occurrence& o, WallTime ready, std::string_view reason) {
  return {kRetry, {o.job, o.due.unix_ms, ready.unix_ms, std::string(reason), o.attempt}, {}};
}

Statement OccurrenceLedger::end(std::int64_t job, WallTime due, std::string_view state,
                                std::string_view reason, WallTime now) {
  return {kEnd, {job, due.unix_ms, std::string(state), std::string(reason), now.unix_ms}, {}};
}

Statement OccurrenceLedger::end_open(std::int64_t job, std::string_view state,
                                     std::string_view reason, WallTime now) {
  return {kEndOpen, {job, std::string(state), std::string(reason), now.unix_ms}, {}};
}

std::vector<Statement> OccurrenceLedger::forget(std::int64_t job) {
  return {{"DELETE FROM occurrences WHERE job = $1", {job}, {}},
          {"DELETE FROM occurrence_days WHERE job = $1", {job}, {}},
          {"DELETE FROM runs WHERE job = $1", {job}, {}},
          {"DELETE FROM jobs WHERE number = $1", {job}, {}}};
}

Statement OccurrenceLedger::insert(const Run& r) {
  return {kInsertRun,
          {r.number,
           r.id,
           r.workspace.str(),
           r.job,
           r.job_id,
           r.job_name,
           r.due.unix_ms,
           r.attempt,
           r.kind,
           r.state,
           r.reason,
           r.session_key,
           r.prompt_ref.id,
           r.prompt_ref.version,
           r.prompt_ref.sha256,
           r.variables,
           std::string(utf8_prefix(r.prompt, kRunPromptBytes)),
           id_value(r.turn),
           id_value(r.conversation),
           id_value(r.session),
           r.answer,
           r.routed,
           r.error,
           r.model,
           r.tokens_in,
           r.tokens_out,
           or_null(r.cost_micros),
           r.queued.unix_ms,
           or_null(r.ended),
           std::int64_t{r.late ? 1 : 0}},
          1};
}

Statement OccurrenceLedger::end(const Run& r) {
  return {kEndRun,
          {r.number, r.state, r.reason, id_value(r.conversation), id_value(r.session),
           std::string(utf8_prefix(r.answer, kAnswerBytes)), r.routed,
           std::string(utf8_prefix(r.error, kErrorBytes)), r.model, r.tokens_in, r.tokens_out,
           or_null(r.cost_micros), or_null(r.ended)},
          {}};
}

Statement OccurrenceLedger::set_routed(std::int64_t run, std::string_view where) {
  return {kSetRouted, {run, std::string(where)}, {}};
}

Statement OccurrenceLedger::clock_was_set_back(WallTime now) {
  return {kSetBack, {now.unix_ms}, {}};
}

// Slots in a row that share a fate share a row (rule 5).
Result<Statement> OccurrenceLedger::cover(std::int64_t job, WallTime first, WallTime last,
                                          std::int64_t count, std::string_view state,
                                          std::string_view reason, std::int64_t epoch,
                                          WallTime now) {
  TRY(const auto before, newest(job));
  if (before && before->ended && before->state == state && before->reason == reason &&
      (state == kSkipped || state == kMissed)) {
    return extend(job, before->due, last, count);
  }
  return insert(Occurrence{.job = job,
                           .due = first,
                           .last = last,
                           .count = count,
                           .state = std::string(state),
                           .reason = std::string(reason),
                           .epoch = epoch,
                           .attempt = 0,
                           .ready = now,
                           .claimed = now,
                           .ended = now});
}

// --- reads ---------------------------------------------------------------------------------------

Result<std::optional<Occurrence>> OccurrenceLedger::newest(std::int64_t job) {
  TRY(const Rows rows, database_.read({kNewest, {job}}));
  return first_of(rows);
}

Result<std::optional<Occurrence>> OccurrenceLedger::open_of(std::int64_t job) {
  TRY(const Rows rows, database_.read({kOpenOf, {job}}));
  return first_of(rows);
}

Result<std::optional<Occurrence>> OccurrenceLedger::at(std::int64_t job, WallTime instant) {
  TRY(const Rows rows, database_.read({kAt, {job, instant.unix_ms}}));
  return first_of(rows);
}

Result<std::vector<FoldedDay>> OccurrenceLedger::folded_at(std::int64_t job, WallTime instant) {
  TRY(const Rows rows, database_.read({kFoldedAt, {job, instant.unix_ms}}));
  std::vector<FoldedDay> out;
  for (const Row& row : rows) out.push_back(day_from(row));
  return out;
}

Result<std::vector<Occurrence>> OccurrenceLedger::ready(WallTime now, std::size_t limit,
                                                        ReadyOf whose) {
  TRY(const Rows rows, database_.read({whose == ReadyOf::kAll ? kReady : kReadySystem,
                                       {now.unix_ms, static_cast<std::int64_t>(limit)},
                                       limit}));
  return occurrences_from(rows);
}

Result<std::optional<WallTime>> OccurrenceLedger::next_ready(WallTime after, ReadyOf whose) {
  TRY(const Rows rows,
      database_.read({whose == ReadyOf::kAll ? kNextReady : kNextReadySystem, {after.unix_ms}}));
  if (rows.empty()) return std::optional<WallTime>();
  return std::optional(WallTime{rows.front().integer(0)});
}

Task<Result<std::vector<Occurrence>>> OccurrenceLedger::open_after(std::int64_t job, WallTime due,
                                                                   std::size_t limit) {
  CO_TRY(const Rows rows,
         co_await database_.read_page(
             {kOpenAfter, {job, due.unix_ms, static_cast<std::int64_t>(limit)}, limit}));
  co_return occurrences_from(rows);
}

Task<Result<std::vector<Occurrence>>> OccurrenceLedger::of_job(std::int64_t job,
                                                               std::optional<WallTime> before,
                                                               std::size_t limit) {
  const std::int64_t end = before ? before->unix_ms : std::numeric_limits<std::int64_t>::max();
  CO_TRY(const Rows rows, co_await database_.read_page(
                              {kOfJob, {job, end, static_cast<std::int64_t>(limit)}, limit}));
  co_return occurrences_from(rows);
}

Task<Result<std::vector<FoldedDay>>> OccurrenceLedger::days_of(std::int64_t job,
                                                               std::size_t limit) {
  CO_TRY(const Rows rows,
         co_await database_.read_page({kDaysOf, {job, static_cast<std::int64_t>(limit)}, limit}));
  std::vector<FoldedDay> out;
  for (const Row& row : rows) out.push_back(day_from(row));
  co_return out;
}

Result<std::optional<Run>> OccurrenceLedger::run_of(const TurnId& turn) {
  TRY(const Rows rows, database_.read({kRunOfTurn, {turn.str()}}));
  return first_run(rows);
}

Result<std::optional<Run>> OccurrenceLedger::run(const WorkspaceId& workspace,
                                                 const std::string& id) {
  TRY(const Rows rows, database_.read({kRunById, {workspace.str(), id}}));
  return first_run(rows);
}

Result<std::optional<Run>> OccurrenceLedger::newest_run(std::int64_t job, WallTime due) {
  TRY(const Rows rows, database_.read({kNewestRun, {job, due.unix_ms}}));
  return first_run(rows);
}

Result<std::optional<Run>> OccurrenceLedger::run_before(std::int64_t job, std::int64_t number) {
  TRY(const Rows rows, database_.read({kRunBefore, {job, number}}));
  return first_run(rows);
}

Task<Result<std::vector<Run>>> OccurrenceLedger::runs(WorkspaceId workspace, std::int64_t job,
                                                      std::int64_t before, std::size_t limit) {
  CO_TRY(const Rows rows, co_await database_.read_page(
                              {job == 0 ? kRunsOfWorkspace : kRunsOfJob,
                               {workspace.str(), job, before, static_cast<std::int64_t>(limit)},
                               limit}));
  co_return runs_from(rows);
}

Task<Result<std::vector<Run>>> OccurrenceLedger::unrouted(std::int64_t after, std::size_t limit) {
  CO_TRY(const Rows rows, co_await database_.read_page(
                              {kUnrouted, {after, static_cast<std::int64_t>(limit)}, limit}));
  co_return runs_from(rows);
}

// --- folding -------------------------------------------------------------------------------------

// A range that spans days counts for the day it began on: its own first and last tell the rest.
Task<Result<void>> OccurrenceLedger::fold(std::int64_t job) {
  CO_TRY(const Rows over, database_.read({kFoldFrom, {job, kRowsKept + kSlack}}));
  if (over.empty()) co_return Result<void>{};
  CO_TRY(const Rows border, database_.read({kFoldFrom, {job, kRowsKept}}));
  const std::int64_t until = border.front().integer(0);
  CO_TRY(const Rows rows,
         database_.read(
             {kOldest, {job, until, kFoldedAtOnce}, static_cast<std::size_t>(kFoldedAtOnce)}));
  if (rows.empty()) co_return Result<void>{};
  Write write;
  for (const Row& row : rows) {
    write.statements.push_back(
        {kDay,
         {job, day_of(row.integer(0)), row.text(3), row.integer(2), row.integer(0), row.integer(1)},
         1});
  }
  const std::int64_t last = rows.back().integer(0);
  write.statements.push_back({kDropRows, {job, last}, static_cast<std::int64_t>(rows.size())});
  write.statements.push_back({kDropRuns, {job, last}, {}});
  CO_TRY_VOID(co_await database_.write(std::move(write)));
  co_return Result<void>{};
}

}  // namespace rouse
