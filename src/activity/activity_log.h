// Reading the activity log. Whoever reads names the filter that makes sense for the job (S2-07):
// type, project, conversation, time, words. Rows come newest first by the time they tell about; of
// two at one instant the one that was written later is the newer.
//
// Each walk is a stretch of one index, so ten million rows cost no more than a hundred. What no
// index answers (words, or two filters at once) is looked for row by row, on the reader's thread,
// and a page looks at a bounded number: it may then hold few rows, or none, and its cursor goes on
// from where the search stopped.
//
// Beside it: the export in the same order, and what a deletion takes along.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "activity/activity.h"
#include "base/task.h"

namespace rouse {

inline constexpr std::size_t kActivityLookedAt = 50'000;  // rows of one page, found or not
inline constexpr std::size_t kActivityTextBytes = 200;    // of the words looked for

// A place between two rows.
struct ActivityPlace {
  std::int64_t ts = 0, id = 0;
  friend auto operator<=>(const ActivityPlace&, const ActivityPlace&) = default;
};
std::string place_text(const ActivityPlace& place);  // "1767225600000.17"
std::optional<ActivityPlace> parse_place(std::string_view text);

struct ActivityFilter {
  WorkspaceId workspace;
  std::optional<ActivityType> type = {};
  std::optional<std::string> project = {};  // its key
  std::optional<ConversationId> conversation = {};
  std::optional<WallTime> since = {}, until = {};  // from, and before
  std::string text = {};                           // is in the summary, whatever its case
  bool without_quiet_beats = false;                // heartbeats that found nothing
};

struct ActivityPage {
  std::vector<Activity> rows;
  std::optional<ActivityPlace> next = {};  // older ones begin here; none: there are no more
};

// Rows as they were written.
struct NewActivity {
  std::vector<Activity> rows;    // oldest first
  std::int64_t looked_upto = 0;  // the next question's `after`
};

enum class ActivityFormat : std::uint8_t { kCsv, kJson, kJsonl };

class ActivityLog {
 public:
  explicit ActivityLog(Database& database) : database_(database) {}

  // Newest first, older than the place.
  Task<Result<ActivityPage>> page(ActivityFilter filter, std::optional<ActivityPlace> before,
                                  std::size_t limit);
  // What was written after the row of this id: for whoever follows.
  Task<Result<NewActivity>> after(ActivityFilter filter, std::int64_t id, std::size_t limit);
  Result<std::int64_t> newest_id();  // 0: there are none

  // What a heartbeat reads: newest first, quiet beats left out (S2-26).
  Task<Result<std::vector<Activity>>> today(WorkspaceId workspace,
                                            std::optional<std::string> project, WallTime since,
                                            std::size_t limit = 100);

  // All that the filter lets through, piece by piece. `out` answers when it can take more; its
  // error ends the export. `alias` knows what people call a project.
  using Out = std::function<Task<Result<void>>(std::string)>;
  using Alias = std::function<std::string(const std::string& project)>;
  Task<Result<void>> write_out(ActivityFilter filter, ActivityFormat format, Alias alias, Out out);

  // Everything of a workspace that is deleted, in small writes.
  Task<Result<void>> forget(WorkspaceId workspace);

 private:
  Task<Result<ActivityPage>> walk(ActivityFilter filter, ActivityPlace before, std::size_t limit);
  Database& database_;
};

// Is it a beat that found nothing? (details: verdict "nothing")
bool is_quiet_beat(const Activity& row);

// A row of a CSV file (RFC 4180, with its line end). A cell that a spreadsheet would take for a
// formula begins with an apostrophe.
std::string csv_line(const std::vector<std::string>& cells);

}  // namespace rouse
