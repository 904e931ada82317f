#include "session/event_log.h"

#include "store/values.h"

namespace rouse {
namespace {

constexpr std::int64_t kPruned = kCommitsToPrune;  // rows a write

#define EVENT_COLUMNS \
  "type, conversation_id, session_id, turn_id, first_seq, last_seq, body, created_ms"

// The number is the store's to give: whoever commits first comes first, and a write that fails
// leaves no gap.
constexpr std::string_view kAppend =
    "INSERT INTO events (workspace_id, seq, " EVENT_COLUMNS
    ") SELECT $1, COALESCE(MAX(seq), 0) + 1, $2, $3, $4, $5, $6, $7, $8, $9 "
    "FROM events WHERE workspace_id = $1";
constexpr std::string_view kLast =
    "SELECT COALESCE(MAX(seq), 0) FROM events WHERE workspace_id = $1";
constexpr std::string_view kFirst =
    "SELECT COALESCE(MIN(seq), 0) FROM events WHERE workspace_id = $1";
constexpr std::string_view kAfter =
    "SELECT seq, " EVENT_COLUMNS
    " FROM events WHERE workspace_id = $1 AND seq > $2 ORDER BY seq LIMIT $3";
constexpr std::string_view kPrune = "DELETE FROM events WHERE workspace_id = $1 AND seq <= $2";

}  // namespace

Statement EventLog::append(const Event& e) {
  return {kAppend,
          {e.workspace.str(), e.type, e.conversation, e.session, e.turn, or_null(e.first_seq),
           or_null(e.last_seq), e.body, e.created.unix_ms},
          1};
}

Result<std::int64_t> EventLog::last_seq(const WorkspaceId& workspace) {
  TRY(const Rows rows, database_.read({kLast, {workspace.str()}}));
  return rows.front().integer(0);
}

Result<std::int64_t> EventLog::first_seq(const WorkspaceId& workspace) {
  TRY(const Rows rows, database_.read({kFirst, {workspace.str()}}));
  return rows.front().integer(0);
}

Result<std::vector<Event>> EventLog::after(const WorkspaceId& workspace, std::int64_t seq,
                                           std::size_t limit) {
  TRY(const Rows rows,
      database_.read({kAfter, {workspace.str(), seq, static_cast<std::int64_t>(limit)}, limit}));
  std::vector<Event> out;
  out.reserve(rows.size());
  for (const Row& row : rows) {
    out.push_back({.workspace = workspace,
                   .seq = row.integer(0),
                   .type = row.text(1),
                   .conversation = row.text(2),
                   .session = row.text(3),
                   .turn = row.text(4),
                   .first_seq = integer_or_null(row, 5),
                   .last_seq = integer_or_null(row, 6),
                   .body = row.text(7),
                   .created = {row.integer(8)}});
  }
  return out;
}

// The newest one always stays: the next number follows from it.
Task<Result<std::int64_t>> EventLog::prune(WorkspaceId workspace) {
  CO_TRY(const std::int64_t first, first_seq(workspace));
  CO_TRY(const std::int64_t last, last_seq(workspace));
  const std::int64_t keep_from = last - kEventsKept + 1;
  if (first == 0 || first >= keep_from) co_return 0;
  const std::int64_t upto = std::min(first + kPruned, keep_from) - 1;
  CO_TRY(const Written gone, co_await database_.write(one(kPrune, {workspace.str(), upto})));
  co_return gone.rows_changed.front();
}

void EventLog::committed(const WorkspaceId& workspace) {
  if (listener_) listener_(workspace);
  if (ask_prune_) count(workspace);
}

// Whoever falls out of the count to make room is pruned at once: nobody grows uncounted.
void EventLog::count(const WorkspaceId& workspace) {
  std::vector<WorkspaceId> full;
  if (commits_.size() >= kCounted && !commits_.contains(workspace)) {
    full.push_back(commits_.begin()->first);
  }
  if (++commits_[workspace] >= kCommitsToPrune) full.push_back(workspace);
  for (const WorkspaceId& id : full) commits_.erase(id);
  for (const WorkspaceId& id : full) ask_prune_(id);
}

}  // namespace rouse
