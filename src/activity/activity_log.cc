#include "activity/activity_log.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include <fmt/format.h>

#include "activity/activity_view.h"
#include "base/text.h"
#include "session/remove/delete_pages.h"
#include "session/search/search_words.h"
#include "store/values.h"

namespace rouse {
namespace {

constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t kRowsAtOnce = 500;  // while it is searched row by row
constexpr std::size_t kBytesAtOnce = 1 << 20;

#define ACTIVITY_COLUMNS                                                                      \
  "id, ts, type, project, session, summary, workspace_id, conversation_id, turn_id, run_id, " \
  "job, due_ms, details"
// $1 and $2 are what the index begins with, $3 the beginning of the time, $4 and $5 the place.
#define WALK(condition)                                              \
  "SELECT " ACTIVITY_COLUMNS " FROM activity WHERE " condition       \
  " AND ts >= $3 AND (ts, id) < ($4, $5) ORDER BY ts DESC, id DESC " \
  "LIMIT $6"
constexpr std::string_view kOfWorkspace = WALK("workspace_id = $1 AND '' = $2");
constexpr std::string_view kOfType = WALK("workspace_id = $1 AND type = $2");
constexpr std::string_view kOfProject = WALK("workspace_id = $1 AND project = $2");
constexpr std::string_view kOfConversation = WALK("workspace_id = $1 AND conversation_id = $2");
constexpr std::string_view kAfter =
    "SELECT " ACTIVITY_COLUMNS " FROM activity WHERE id > $1 ORDER BY id LIMIT $2";
constexpr std::string_view kNewest = "SELECT COALESCE(MAX(id), 0) FROM activity";
constexpr std::string_view kKeepNumbers =
    "UPDATE index_cursors SET forgotten = (SELECT COALESCE(MAX(id), 0) FROM activity) "
    "WHERE name = 'activity' AND forgotten < (SELECT COALESCE(MAX(id), 0) FROM activity)";
constexpr std::string_view kForget =
    "DELETE FROM activity WHERE id IN "
    "(SELECT id FROM activity WHERE workspace_id = $1 LIMIT $2)";

template <class Id>
Result<std::optional<Id>> id_or_none(const Row& row, std::size_t column) {
  if (row.is_null(column)) return std::optional<Id>();
  TRY(Id id, Id::parse(row.text(column)));
  return std::optional<Id>(std::move(id));
}

Result<Activity> from_row(const Row& row) {
  const auto type = parse_activity_type(row.text(2));
  if (!type) {
    return fail(StoreErrc::kCorrupt,
                fmt::format("activity {} has type '{}', which this rouse doesn't know",
                            row.integer(0), utf8_prefix(row.text(2), 40)));
  }
  Activity out;
  out.id = row.integer(0);
  out.at = {row.integer(1)};
  out.type = *type;
  out.project = text_or_null(row, 3);
  TRY(out.session, id_or_none<SessionId>(row, 4));
  out.summary = row.text(5);
  TRY(out.workspace, WorkspaceId::parse(row.text(6)));
  TRY(out.conversation, id_or_none<ConversationId>(row, 7));
  TRY(out.turn, id_or_none<TurnId>(row, 8));
  out.run = text_or_null(row, 9);
  out.job = integer_or_null(row, 10);
  out.due = time_or_null(row, 11);
  out.details = row.text(12);
  return out;
}

// The narrowest index that fits; matches() sees to the rest.
Query walk_query(const ActivityFilter& filter, const ActivityPlace& before, std::size_t rows) {
  std::string_view sql = kOfWorkspace;
  std::string second;
  if (filter.conversation) {
    sql = kOfConversation;
    second = filter.conversation->str();
  } else if (filter.project) {
    sql = kOfProject;
    second = *filter.project;
  } else if (filter.type) {
    sql = kOfType;
    second = activity_type_name(*filter.type);
  }
  return {sql,
          {filter.workspace.str(), std::move(second), filter.since ? filter.since->unix_ms : 0,
           before.ts, before.id, static_cast<std::int64_t>(rows)},
          rows,
          kBytesAtOnce};
}

// Is there anything that the walk's index doesn't answer?
bool needs_search(const ActivityFilter& filter) {
  const int indexed =
      (filter.type ? 1 : 0) + (filter.project ? 1 : 0) + (filter.conversation ? 1 : 0);
  return indexed > 1 || !filter.text.empty() || filter.without_quiet_beats;
}

// `folded` are the filter's words without case.
bool matches(const ActivityFilter& filter, const std::string& folded, const Activity& row) {
  if (row.workspace != filter.workspace) return false;
  if (filter.type && row.type != *filter.type) return false;
  if (filter.project && row.project != filter.project) return false;
  if (filter.conversation && row.conversation != filter.conversation) return false;
  if (filter.since && row.at < *filter.since) return false;
  if (filter.until && row.at >= *filter.until) return false;
  if (filter.without_quiet_beats && is_quiet_beat(row)) return false;
  return folded.empty() || fold_case(row.summary).contains(folded);
}

// --- files

constexpr std::string_view kCsvHead =
    "id,ts,ts_ms,type,project,project_alias,session,conversation,turn,run,summary,details\r\n";

std::string csv_row(const ActivityView& view) {
  return csv_line({std::to_string(view.id), view.ts, std::to_string(view.ts_ms), view.type,
                   view.project.value_or(""), view.project_alias.value_or(""),
                   view.session.value_or(""), view.conversation.value_or(""),
                   view.turn.value_or(""), view.run.value_or(""), view.summary,
                   encode_json(view.details)});
}

bool is_formula(std::string_view cell) {
  return !cell.empty() && std::string_view("=+-@\t\r").contains(cell.front());
}

void append_cell(std::string& out, std::string_view cell) {
  const bool quoted = is_formula(cell) || cell.find_first_of(",\"\r\n") != std::string_view::npos;
  if (!quoted) {
    out += cell;
    return;
  }
  out += '"';
  if (is_formula(cell)) out += '\'';
  for (const char c : cell) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

}  // namespace

std::string place_text(const ActivityPlace& place) {
  return fmt::format("{}.{}", place.ts, place.id);
}

std::optional<ActivityPlace> parse_place(std::string_view text) {
  ActivityPlace out;
  const char* const end = text.data() + text.size();
  const auto [dot, bad_time] = std::from_chars(text.data(), end, out.ts);
  if (bad_time != std::errc{} || dot == end || *dot != '.') return std::nullopt;
  const auto [last, bad_id] = std::from_chars(dot + 1, end, out.id);
  if (bad_id != std::errc{} || last != end || out.ts < 0 || out.id < 0) return std::nullopt;
  return out;
}

bool is_quiet_beat(const Activity& row) {
  if (row.type != ActivityType::kHeartbeat) return false;
  const auto details = parse_json(row.details);
  if (!details || !details->is_object()) return false;
  const boost::json::value* const verdict = details->get_object().if_contains("verdict");
  return verdict != nullptr && verdict->is_string() && verdict->get_string() == "nothing";
}

std::string csv_line(const std::vector<std::string>& cells) {
  std::string out;
  for (const std::string& cell : cells) {
    if (&cell != &cells.front()) out += ',';
    append_cell(out, cell);
  }
  return out + "\r\n";
}

Task<Result<ActivityPage>> ActivityLog::page(ActivityFilter filter,
                                             std::optional<ActivityPlace> before,
                                             std::size_t limit) {
  ActivityPlace from = before.value_or(ActivityPlace{kEnd, kEnd});
  if (filter.until) from = std::min(from, ActivityPlace{filter.until->unix_ms, 0});
  return walk(std::move(filter), from, limit);
}

Task<Result<ActivityPage>> ActivityLog::walk(ActivityFilter filter, ActivityPlace before,
                                             std::size_t limit) {
  const std::string folded = fold_case(filter.text);
  const std::size_t at_once = needs_search(filter) ? std::max(limit + 1, kRowsAtOnce) : limit + 1;
  ActivityPage out;
  for (std::size_t looked = 0; looked < kActivityLookedAt;) {
    CO_TRY(const Rows rows, co_await database_.read_page(walk_query(filter, before, at_once)));
    if (rows.empty()) co_return out;
    for (const Row& row : rows) {
      if (out.rows.size() == limit) {  // this one shows that there is more; it begins the next page
        out.next = before;
        co_return out;
      }
      before = {row.integer(1), row.integer(0)};
      CO_TRY(Activity one, from_row(row));
      if (matches(filter, folded, one)) out.rows.push_back(std::move(one));
    }
    looked += rows.size();
  }
  out.next = before;
  co_return out;
}

Task<Result<NewActivity>> ActivityLog::after(ActivityFilter filter, std::int64_t id,
                                             std::size_t limit) {
  const std::string folded = fold_case(filter.text);
  NewActivity out{.rows = {}, .looked_upto = id};
  for (std::size_t looked = 0; looked < kActivityLookedAt;) {
    CO_TRY(const Rows rows,
           co_await database_.read_page({kAfter,
                                         {out.looked_upto, static_cast<std::int64_t>(kRowsAtOnce)},
                                         kRowsAtOnce,
                                         kBytesAtOnce}));
    if (rows.empty()) break;
    for (const Row& row : rows) {
      if (out.rows.size() == limit) co_return out;
      out.looked_upto = row.integer(0);
      CO_TRY(Activity one, from_row(row));
      if (matches(filter, folded, one)) out.rows.push_back(std::move(one));
    }
    looked += rows.size();
  }
  co_return out;
}

Result<std::int64_t> ActivityLog::newest_id() {
  TRY(const Rows rows, database_.read({kNewest, {}}));
  return rows.front().integer(0);
}

Task<Result<std::vector<Activity>>> ActivityLog::today(WorkspaceId workspace,
                                                       std::optional<std::string> project,
                                                       WallTime since, std::size_t limit) {
  ActivityFilter filter{.workspace = std::move(workspace), .project = std::move(project)};
  filter.since = since;
  filter.without_quiet_beats = true;
  CO_TRY(ActivityPage found, co_await walk(std::move(filter), {kEnd, kEnd}, limit));
  co_return std::move(found.rows);
}

Task<Result<void>> ActivityLog::write_out(ActivityFilter filter, ActivityFormat format, Alias alias,
                                          Out out) {
  std::string piece(format == ActivityFormat::kCsv    ? kCsvHead
                    : format == ActivityFormat::kJson ? "["
                                                      : "");
  std::optional<ActivityPlace> before;
  bool first = true;
  do {
    CO_TRY(const ActivityPage found, co_await page(filter, before, kRowsAtOnce));
    for (const Activity& row : found.rows) {
      ActivityView view = view_of(row);
      if (view.project) view.project_alias = alias(*view.project);
      if (format == ActivityFormat::kCsv) {
        piece += csv_row(view);
        continue;
      }
      if (format == ActivityFormat::kJson) piece += std::exchange(first, false) ? "\n" : ",\n";
      piece += encode_json(view);
      if (format == ActivityFormat::kJsonl) piece += "\n";
    }
    before = found.next;
    if (!before && format == ActivityFormat::kJson) piece += "\n]\n";
    if (!piece.empty()) CO_TRY_VOID(co_await out(std::exchange(piece, {})));
  } while (before);
  co_return Result<void>{};
}

Task<Result<void>> ActivityLog::forget(WorkspaceId workspace) {
  CO_TRY_VOID(co_await database_.write(one(kKeepNumbers, {})));
  CO_TRY_VOID(
      co_await delete_in_pages(database_, {kForget, {workspace.str(), kDeletedRowsAtOnce}, {}}));
  co_return Result<void>{};
}

}  // namespace rouse
