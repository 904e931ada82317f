#include "activity/activity.h"

#include <algorithm>
#include <array>

#include "activity/activity_view.h"
#include "session/summary/plain_text.h"
#include "store/values.h"

namespace rouse {
namespace {

constexpr std::array<std::string_view, 5> kTypeNames{"message", "heartbeat", "scheduled",
                                                     "background", "system"};

// The number is the store's to give, as with events. One that was given to a row that is deleted
// since is not given again: whoever follows by numbers would miss the new row.
constexpr std::string_view kInsert =
    "INSERT INTO activity (id, ts, type, project, session, summary, workspace_id, "
    "conversation_id, turn_id, run_id, job, due_ms, details) "
    "SELECT MAX(n) + 1, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12 FROM "
    "(SELECT COALESCE(MAX(id), 0) AS n FROM activity UNION ALL "
    "SELECT forgotten FROM index_cursors WHERE name = 'activity') AS given";
// As EventLog::append(), with the number that the row was given a moment ago.
constexpr std::string_view kTell =
    "INSERT INTO events (workspace_id, seq, type, conversation_id, session_id, turn_id, first_seq, "
    "last_seq, body, created_ms) SELECT $1, COALESCE(MAX(seq), 0) + 1, 'activity', $2, $3, $4, "
    "NULL, NULL, '{\"activity\":{\"id\":' || "
    "CAST((SELECT COALESCE(MAX(id), 0) FROM activity) AS TEXT) || CAST($5 AS TEXT), $6 "
    "FROM events WHERE workspace_id = $1";

template <class Id>
Value id_or_null(const std::optional<Id>& id) {
  return id ? Value(id->str()) : Value(std::monostate{});
}

std::string said_in_one_line(std::string_view summary) {
  std::string line = summary::cut(summary::clean_line(summary), kActivityBytes);
  return line.empty() ? "(nothing was said)" : line;
}

// The row as JSON, from the comma after its number on.
std::string body_after_id(const Activity& row) {
  const std::string whole = encode_json(view_of(row));
  return whole.substr(std::min(whole.find(','), whole.size())) + "}";
}

}  // namespace

std::string_view activity_type_name(ActivityType type) {
  return kTypeNames.at(static_cast<std::size_t>(type));
}

std::optional<ActivityType> parse_activity_type(std::string_view name) {
  const auto* const found = std::ranges::find(kTypeNames, name);
  if (found == kTypeNames.end()) return std::nullopt;
  return static_cast<ActivityType>(found - kTypeNames.begin());
}

ActivityView view_of(const Activity& row) {
  ActivityView out{.id = row.id,
                   .ts = to_iso(row.at),
                   .ts_ms = row.at.unix_ms,
                   .type = std::string(activity_type_name(row.type)),
                   .project = row.project,
                   .project_alias = {},
                   .session = {},
                   .conversation = {},
                   .turn = {},
                   .run = row.run,
                   .scheduled_for = {},
                   .summary = row.summary,
                   .details = boost::json::object()};
  if (row.session) out.session = row.session->str();
  if (row.conversation) out.conversation = row.conversation->str();
  if (row.turn) out.turn = row.turn->str();
  if (row.due) out.scheduled_for = to_iso(*row.due);
  auto details = parse_json(row.details);
  if (details && details->is_object()) out.details = std::move(*details);
  return out;
}

std::vector<Statement> log_activity(const Activity& row, std::optional<WallTime> now) {
  Activity kept = row;
  kept.summary = said_in_one_line(row.summary);
  const auto details = parse_json(row.details);
  if (!details || !details->is_object()) kept.details = "{}";
  const std::string& workspace = row.workspace.str();
  return {
      {kInsert,
       {row.at.unix_ms, std::string(activity_type_name(row.type)), or_null(row.project),
        id_or_null(row.session), kept.summary, workspace, id_or_null(row.conversation),
        id_or_null(row.turn), or_null(row.run), or_null(row.job), or_null(row.due), kept.details},
       1},
      {kTell,
       {workspace, row.conversation ? row.conversation->str() : "",
        row.session ? row.session->str() : "", row.turn ? row.turn->str() : "", body_after_id(kept),
        now.value_or(row.at).unix_ms},
       1}};
}

}  // namespace rouse
