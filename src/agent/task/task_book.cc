#include "agent/task/task_book.h"

#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>

#include "base/text.h"
#include "base/text_check.h"
#include "session/projects.h"
#include "store/values.h"

namespace rouse {
namespace {

constexpr std::size_t kCommitBytes = 100;
constexpr std::size_t kClaimerBytes = 100;
constexpr std::size_t kNamed = 10;  // tasks in a message

#define TASK_COLUMNS                                                                 \
  "number, title, detail, state, claimed_by, reason, commits, project, provenance, " \
  "conversation_id, turn_id, created_ms, updated_ms, ended_ms"

// The number is the store's to give, so that two who add at once get two of them. Nothing is added
// beyond the bound.
constexpr std::string_view kInsert =
    "INSERT INTO tasks (workspace_id, number, task_id, title, detail, state, commits, project, "
    "provenance, conversation_id, turn_id, created_ms, updated_ms) "
    "SELECT $1, COALESCE(MAX(number), 0) + 1, $2, $3, $4, 'open', '[]', $5, $6, $7, $8, $9, $9 "
    "FROM tasks WHERE workspace_id = $1 HAVING (SELECT COUNT(*) FROM tasks "
    "WHERE workspace_id = $1 AND state IN ('open', 'claimed')) < $10";
// The newest one always stays: the next number follows from it.
constexpr std::string_view kLetGo =
    "DELETE FROM tasks WHERE workspace_id = $1 AND state IN ('done', 'closed') AND number <= "
    "(SELECT MAX(number) FROM tasks WHERE workspace_id = $1) - $2";
constexpr std::string_view kClear = "DELETE FROM tasks WHERE workspace_id = $1";
constexpr std::string_view kById = "SELECT " TASK_COLUMNS " FROM tasks WHERE task_id = $1";
constexpr std::string_view kByNumber =
    "SELECT " TASK_COLUMNS " FROM tasks WHERE workspace_id = $1 AND number = $2";
constexpr std::string_view kChange =
    "UPDATE tasks SET state = $3, claimed_by = COALESCE($4, claimed_by), "
    "reason = COALESCE($5, reason), commits = $6, provenance = COALESCE($7, provenance), "
    "updated_ms = $8, ended_ms = $9 WHERE workspace_id = $1 AND number = $2 AND state = $10";
#define TASK_PAGE "SELECT " TASK_COLUMNS " FROM tasks WHERE workspace_id = $1 AND number < $2 "
#define TASK_PROJECT "AND ($4 = '' OR project = $4) ORDER BY number DESC LIMIT $5"
constexpr std::string_view kPageAll = TASK_PAGE "AND $3 = '' " TASK_PROJECT;
constexpr std::string_view kPageOfState = TASK_PAGE "AND state = $3 " TASK_PROJECT;
constexpr std::string_view kPageActive =
    TASK_PAGE "AND $3 = 'active' AND state IN ('open', 'claimed') " TASK_PROJECT;
constexpr std::string_view kActiveTitles =
    "SELECT number, title, provenance FROM tasks WHERE workspace_id = $1 AND state IN ('open', "
    "'claimed') "
    "ORDER BY number";

constexpr std::array<std::string_view, 3> kStepWords{"claim", "complete", "close"};
constexpr std::array<std::string_view, 3> kStateAfter{"claimed", "done", "closed"};
constexpr std::array<std::string_view, 5> kFilters{"open", "claimed", "done", "closed", "active"};

Result<TaskItem> from_row(const Row& row) {
  TaskItem out{.number = row.integer(0),
               .title = row.text(1),
               .detail = row.text(2),
               .state = row.text(3),
               .claimed_by = text_or_null(row, 4),
               .reason = text_or_null(row, 5),
               .project = text_or_null(row, 7),
               .provenance = row.text(8),
               .conversation = text_or_null(row, 9),
               .turn = text_or_null(row, 10),
               .created = {row.integer(11)},
               .updated = {row.integer(12)},
               .ended = time_or_null(row, 13)};
  TRY(out.commits, decode_json<std::vector<std::string>>(row.text(6)));
  return out;
}

Result<void> check_draft(TaskDraft& draft) {
  draft.title = trim(draft.title);
  if (draft.title.empty()) return fail(Errc::kInvalid, "'title' is missing: what is to be done?");
  if (draft.title.find('\n') != std::string::npos) {
    return fail(Errc::kInvalid, "'title' must be one line; put the rest into 'detail'");
  }
  TRY_VOID(check_text("title", draft.title, kTaskTitleBytes));
  TRY_VOID(check_text("detail", draft.detail, kTaskDetailBytes));
  if (draft.project) TRY_VOID(check_short_name("project", *draft.project));
  return {};
}

bool is_commit(std::string_view text) {
  return !text.empty() && text.size() <= kCommitBytes &&
         std::ranges::all_of(text, [](char c) { return c > ' ' && c != '\x7f'; });
}

Result<void> check_change(const TaskChange& wanted) {
  if (wanted.step == TaskStep::kClaim && trim(wanted.by).empty()) {
    return fail(Errc::kInvalid, "'by' is missing: who claims it?");
  }
  TRY_VOID(check_text("by", wanted.by, kClaimerBytes));
  if (wanted.step == TaskStep::kClose && trim(wanted.reason.value_or("")).empty()) {
    return fail(Errc::kInvalid, "'reason' is missing: why is the task closed without being done?");
  }
  TRY_VOID(check_text("reason", wanted.reason.value_or(""), kTaskReasonBytes));
  if (wanted.commits.size() > kTaskCommits || !std::ranges::all_of(wanted.commits, is_commit)) {
    return fail(
        Errc::kInvalid,
        fmt::format("'commits' must be at most {} ids of commits, without blanks", kTaskCommits));
  }
  return {};
}

Error not_found(std::int64_t number) {
  return Error(TaskErrc::kNotFound, fmt::format("there is no task #{}", number));
}

Error wrong_state(const TaskItem& task) {
  if (task.state == "claimed") {
    return Error(TaskErrc::kWrongState, fmt::format("task #{} is claimed by {} already",
                                                    task.number, task.claimed_by.value_or("?")));
  }
  return Error(TaskErrc::kWrongState,
               fmt::format("task #{} is {} already", task.number, task.state));
}

bool can_go(const TaskItem& task, TaskStep step) {
  return task.state == "open" || (task.state == "claimed" && step != TaskStep::kClaim);
}

// A page that hears of it fetches the list anew; the number of a new task is not known before the
// commit.
struct TaskEventBody {
  std::optional<std::int64_t> number;
  std::string title, state;
};
auto shape(const TaskEventBody*) {
  return fields(field("number", &TaskEventBody::number, ""),
                field("title", &TaskEventBody::title, ""),
                field("state", &TaskEventBody::state, ""));
}

Statement event_of(const WorkspaceId& workspace, const TaskEventBody& body, WallTime now) {
  return EventLog::append(
      {.workspace = workspace, .type = "task_changed", .body = encode_json(body), .created = now});
}

}  // namespace

ErrorInfo error_info(TaskErrc code) {
  if (code == TaskErrc::kNotFound) return {Kind::kNotFound, "task_not_found"};
  return {Kind::kConflict, "task_wrong_state"};
}

std::optional<TaskStep> parse_task_step(std::string_view word) {
  const auto found = std::ranges::find(kStepWords, word);
  if (found == kStepWords.end()) return std::nullopt;
  return static_cast<TaskStep>(found - kStepWords.begin());
}

bool TaskBook::is_filter(std::string_view state) {
  return std::ranges::find(kFilters, state) != kFilters.end();
}

Result<TaskItem> TaskBook::get(const WorkspaceId& workspace, std::int64_t number) {
  TRY(const Rows rows, database_.read({kByNumber, {workspace.str(), number}}));
  if (rows.empty()) return fail(not_found(number));
  return from_row(rows.front());
}

Task<Result<TaskItem>> TaskBook::add(WorkspaceId workspace, TaskDraft draft) {
  CO_TRY_VOID(check_draft(draft));
  const WallTime now = clock_.wall_now();
  const std::string id = TaskId::make(now, random_).str();
  Write write;
  write.statements.push_back(
      {kInsert,
       {workspace.str(), id, draft.title, draft.detail, or_null(draft.project), draft.provenance,
        or_null(draft.conversation), or_null(draft.turn), now.unix_ms, kTasksActive},
       1});
  write.statements.push_back({kLetGo, {workspace.str(), kTasksKept}, {}});
  write.statements.push_back(event_of(workspace, {{}, draft.title, "open"}, now));
  const auto written = co_await database_.write(std::move(write));
  if (!written && written.error().is(StoreErrc::kConflict)) {
    co_return fail(Errc::kTooLarge,
                   fmt::format("there are {} open tasks, which is the most; complete or close "
                               "some first",
                               kTasksActive));
  }
  if (!written) co_return std::unexpected(written.error());
  events_.committed(workspace);
  CO_TRY(const Rows rows, database_.read({kById, {id}}));
  if (rows.empty()) co_return fail(Errc::kInternal, "the new task can't be found");
  co_return from_row(rows.front());
}

Task<Result<TaskItem>> TaskBook::change(WorkspaceId workspace, TaskChange wanted) {
  CO_TRY_VOID(check_change(wanted));
  CO_TRY(const TaskItem before, get(workspace, wanted.number));
  if (!can_go(before, wanted.step)) co_return fail(wrong_state(before));
  const WallTime now = clock_.wall_now();
  const std::string state(kStateAfter.at(static_cast<std::size_t>(wanted.step)));
  const bool claims = wanted.step == TaskStep::kClaim;
  Write write;
  write.statements.push_back(
      {kChange,
       {workspace.str(), wanted.number, state, claims ? Value(wanted.by) : Value(),
        or_null(wanted.reason),
        encode_json(wanted.commits.empty() ? before.commits : wanted.commits),
        wanted.tainted ? Value(std::string(kFromUntrusted)) : Value(), now.unix_ms,
        claims ? Value() : Value(now.unix_ms), before.state},
       1});
  write.statements.push_back(event_of(workspace, {wanted.number, before.title, state}, now));
  const auto written = co_await database_.write(std::move(write));
  if (written) events_.committed(workspace);
  if (!written && !written.error().is(StoreErrc::kConflict)) {
    co_return std::unexpected(written.error());
  }
  CO_TRY(const TaskItem after, get(workspace, wanted.number));
  if (!written) co_return fail(wrong_state(after));  // somebody was faster
  co_return after;
}

Task<Result<std::vector<TaskItem>>> TaskBook::page(WorkspaceId workspace, TaskFilter filter,
                                                   std::size_t limit) {
  const std::string_view sql = filter.state.empty()       ? kPageAll
                               : filter.state == "active" ? kPageActive
                                                          : kPageOfState;
  const std::int64_t before = filter.before.value_or(std::numeric_limits<std::int64_t>::max());
  CO_TRY(const Rows rows, co_await database_.read_page(
                              {sql,
                               {workspace.str(), before, filter.state, filter.project.value_or(""),
                                static_cast<std::int64_t>(limit)},
                               limit}));
  std::vector<TaskItem> out;
  for (const Row& row : rows) {
    CO_TRY(TaskItem task, from_row(row));
    out.push_back(std::move(task));
  }
  co_return out;
}

Task<Result<void>> TaskBook::clear(WorkspaceId workspace) {
  CO_TRY_VOID(co_await database_.write(one(kClear, {workspace.str()})));
  co_return Result<void>{};
}

Result<std::int64_t> TaskBook::number_of(const WorkspaceId& workspace, const std::string& words) {
  TRY(const Rows rows, database_.read({kActiveTitles, {workspace.str()}}));
  const std::string wanted = lower_ascii(trim(words));
  std::vector<const Row*> alike;
  for (const Row& row : rows) {
    const std::string title = lower_ascii(row.text(1));
    if (title == wanted) return row.integer(0);
    if (!wanted.empty() && title.contains(wanted)) alike.push_back(&row);
  }
  if (alike.size() == 1) return alike.front()->integer(0);
  const bool none = alike.empty();
  std::string named;
  for (std::size_t i = 0; i < (none ? rows.size() : alike.size()) && i < kNamed; ++i) {
    const Row& row = none ? rows[i] : *alike[i];
    // An error is trusted text: the words of a title from outside stay out of it.
    const bool outside = row.text(2) == kFromUntrusted;
    named += fmt::format("{}#{} {}", named.empty() ? "" : ", ", row.integer(0),
                         outside ? "(from outside)" : row.text(1));
  }
  return fail(TaskErrc::kNotFound,
              fmt::format("{} is called '{}'; {}",
                          none ? "no open task" : "more than one open task", utf8_prefix(words, 80),
                          named.empty() ? "there are no open tasks" : "there is: " + named));
}

}  // namespace rouse
