#include "lifecycle/actions/task_exchange.h"

#include <limits>

#include "base/json.h"
#include "store/values.h"

namespace rouse {
namespace {

constexpr std::size_t kPage = 500;
constexpr std::size_t kWrittenAtOnce = 200;

constexpr std::string_view kShared =
    "SELECT number, task_id, title, detail, state, claimed_by, reason, commits, project, "
    "provenance, created_ms, updated_ms, ended_ms FROM tasks WHERE workspace_id = $1 AND "
    "number < $2 AND (project IS NULL OR project = $3) ORDER BY number DESC LIMIT $4";
// An id that another workspace has is no reason to lose the task.
constexpr std::string_view kTakeIn =
    "INSERT INTO tasks (workspace_id, number, task_id, title, detail, state, claimed_by, reason, "
    "commits, project, provenance, created_ms, updated_ms, ended_ms) "
    "SELECT $1, COALESCE(MAX(number), 0) + 1, "
    "CASE WHEN EXISTS (SELECT 1 FROM tasks WHERE task_id = $2) THEN $3 ELSE $2 END, "
    "$4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14 FROM tasks WHERE workspace_id = $1 "
    "ON CONFLICT DO NOTHING";
constexpr std::string_view kRenew =
    "UPDATE tasks SET title = $3, detail = $4, state = $5, claimed_by = $6, reason = $7, "
    "commits = $8, provenance = $9, updated_ms = $10, ended_ms = $11 "
    "WHERE workspace_id = $1 AND number = $2 AND updated_ms = $12 AND state = $13";

Result<StoredTask> from_row(const Row& row) {
  TaskLine task{.id = row.text(1),
                .title = row.text(2),
                .detail = row.text(3),
                .state = row.text(4),
                .claimed_by = text_or_null(row, 5),
                .reason = text_or_null(row, 6),
                .project = text_or_null(row, 8),
                .provenance = row.text(9),
                .created = {row.integer(10)},
                .updated = {row.integer(11)},
                .ended = time_or_null(row, 12)};
  TRY(task.commits, decode_json<std::vector<std::string>>(row.text(7)));
  return StoredTask{row.integer(0), std::move(task)};
}

struct ImportedBody {
  std::string title, state;
};
auto shape(const ImportedBody*) {
  return fields(field("title", &ImportedBody::title, ""), field("state", &ImportedBody::state, ""));
}

Statement taken_in(const WorkspaceId& workspace, const TaskLine& task) {
  return {kTakeIn,
          {workspace.str(), task.id, second_task_id(workspace, task.id), task.title, task.detail,
           task.state, or_null(task.claimed_by), or_null(task.reason), encode_json(task.commits),
           or_null(task.project), task.provenance, task.created.unix_ms, task.updated.unix_ms,
           or_null(task.ended)},
          {}};
}

Statement renewed(const WorkspaceId& workspace, const TaskImport::Renewed& one) {
  const TaskLine& task = one.after;
  return {kRenew,
          {workspace.str(), one.before.number, task.title, task.detail, task.state,
           or_null(task.claimed_by), or_null(task.reason), encode_json(task.commits),
           task.provenance, task.updated.unix_ms, or_null(task.ended),
           one.before.task.updated.unix_ms, one.before.task.state},
          {}};
}

}  // namespace

Task<Result<std::vector<StoredTask>>> tasks_to_share(Database& database, WorkspaceId workspace,
                                                     std::optional<std::string> project) {
  std::vector<StoredTask> out;
  std::int64_t before = std::numeric_limits<std::int64_t>::max();
  while (out.size() < kSyncFileLines) {
    CO_TRY(const Rows rows,
           co_await database.read_page(
               {kShared,
                {workspace.str(), before, project.value_or(""), static_cast<std::int64_t>(kPage)},
                kPage}));
    for (const Row& row : rows) {
      CO_TRY(StoredTask task, from_row(row));
      before = task.number;
      out.push_back(std::move(task));
    }
    if (rows.size() < kPage) break;
  }
  co_return out;
}

Task<Result<std::size_t>> take_in_tasks(Database& database, EventLog* events, WorkspaceId workspace,
                                        TaskImport tasks, WallTime now) {
  std::vector<Statement> all;
  std::vector<ImportedBody> told;
  for (const TaskImport::Renewed& one : tasks.renewed) {
    all.push_back(renewed(workspace, one));
    told.push_back({one.after.title, one.after.state});
  }
  for (const TaskLine& task : tasks.added) {
    all.push_back(taken_in(workspace, task));
    told.push_back({task.title, task.state});
  }
  std::size_t taken = 0;
  for (std::size_t from = 0; from < all.size(); from += kWrittenAtOnce) {
    const std::size_t count = std::min(kWrittenAtOnce, all.size() - from);
    Write write;
    for (std::size_t i = from; i < from + count; ++i) write.statements.push_back(std::move(all[i]));
    // One for all of them: a page that hears of it fetches the list anew.
    write.statements.push_back(EventLog::append({.workspace = workspace,
                                                 .type = "task_changed",
                                                 .body = encode_json(told[from]),
                                                 .created = now}));
    CO_TRY(const Written written, co_await database.write(std::move(write)));
    for (std::size_t i = 0; i < count; ++i) {
      if (written.rows_changed[i] > 0) ++taken;
    }
    if (events != nullptr) events->committed(workspace);
  }
  co_return taken;
}

}  // namespace rouse
