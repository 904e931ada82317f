// The activity log over the API: a page by filters, what was written since (for whoever follows),
// and the whole as a file.
#pragma once

#include "activity/activity_log.h"
#include "activity/activity_view.h"
#include "base/clock.h"
#include "gateway/route.h"
#include "session/projects.h"
#include "session/session_kernel.h"
#include "session/workspaces.h"

namespace rouse {

struct ActivityList {
  std::vector<ActivityView> items;
  std::optional<std::string> next_cursor;
  std::int64_t last_id = 0;
};
inline auto shape(const ActivityList*) {
  return fields(
      field("items", &ActivityList::items,
            "Newest first; with 'after' in the order they were written"),
      field("next_cursor", &ActivityList::next_cursor, "Null on the last page").or_null(),
      field("last_id", &ActivityList::last_id, "Follow from here: the next question's 'after'"));
}

class ActivityRoutes {
 public:
  // The zone in which "today" and a time without an offset are meant.
  using ZoneOf = std::function<std::string(const Workspace&)>;
  ActivityRoutes(ActivityLog& log, SessionKernel& kernel, Projects& projects,
                 Workspaces& workspaces, Clock& clock, ZoneOf zone_of)
      : log_(log),
        kernel_(kernel),
        projects_(projects),
        workspaces_(workspaces),
        clock_(clock),
        zone_of_(std::move(zone_of)) {}
  void add_to(RouteTable& table);

 private:
  Result<ActivityFilter> filter_of(const Call& call);
  Result<WallTime> time_of(const std::string& said, const std::string& zone);
  Task<Result<ActivityList>> list(Call& call);
  Result<Response> download(Call& call);
  ActivityView shown(const Activity& row);
  std::string alias_of(const WorkspaceId& workspace, const std::string& project);

  ActivityLog& log_;
  SessionKernel& kernel_;
  Projects& projects_;
  Workspaces& workspaces_;
  Clock& clock_;
  ZoneOf zone_of_;
};

}  // namespace rouse
