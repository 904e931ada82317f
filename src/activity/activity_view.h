// A row of the activity log as programs see it: over the API, in exports, in the event that tells
// of a new one.
#pragma once

#include <optional>
#include <string>

#include <boost/json/value.hpp>

#include "activity/activity.h"
#include "base/json.h"

namespace rouse {

struct ActivityView {
  std::int64_t id = 0;
  std::string ts;
  std::int64_t ts_ms = 0;
  std::string type;
  std::optional<std::string> project, project_alias, session, conversation, turn, run;
  std::optional<std::string> scheduled_for;
  std::string summary;
  boost::json::value details;
};
inline auto shape(const ActivityView*) {
  return fields(
      field("id", &ActivityView::id, "Its number; what is written later has a higher one"),
      field("ts", &ActivityView::ts, "When it happened"),
      field("ts_ms", &ActivityView::ts_ms, "The same in milliseconds since 1970"),
      field("type", &ActivityView::type, "What kind of work it was")
          .one_of({"message", "heartbeat", "scheduled", "background", "system"}),
      field("project", &ActivityView::project, "The key of its project").or_null(),
      field("project_alias", &ActivityView::project_alias, "What people call the project"),
      field("session", &ActivityView::session, "The session it happened in").or_null(),
      field("conversation", &ActivityView::conversation, "The conversation").or_null(),
      field("turn", &ActivityView::turn, "The last turn of the work").or_null(),
      field("run", &ActivityView::run, "The run of an automation it tells about").or_null(),
      field("scheduled_for", &ActivityView::scheduled_for, "When a heartbeat was due"),
      field("summary", &ActivityView::summary, "What happened, in one or two sentences"),
      field("details", &ActivityView::details,
            "What else there is to say: by, turns, automation, verdict, tokens, untrusted …"));
}

ActivityView view_of(const Activity& row);

}  // namespace rouse
