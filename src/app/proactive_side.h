// What looks around on its own and what is left of it: the heartbeat, its watch, who greets whoever
// opens the app, the activity log and the chronicle that fills it. Part of the wiring: concrete
// classes are named here, nothing is decided here.
#pragma once

#include <string>
#include <vector>

#include "activity/activity_log.h"
#include "activity/chronicle.h"
#include "app/agent_side.h"
#include "app/config.h"
#include "app/schedule_side.h"
#include "gateway/health.h"
#include "gateway/routes/activity_routes.h"
#include "gateway/routes/heartbeat_routes.h"
#include "gateway/routes/session_open_routes.h"
#include "proactive/heartbeat.h"
#include "proactive/heartbeat_watch.h"
#include "proactive/session_open.h"

namespace rouse {

class ProactiveSide {
 public:
  struct Parts {
    Loop& loop;
    Clock& clock;
    Random& random;
    Database& database;
    SessionKernel& kernel;
    Workspaces& workspaces;
    Projects& projects;
    Summariser& summariser;
    HealthBoard& board;
    const Log& log;
    std::string data_dir;
  };
  ProactiveSide(Parts parts, AgentSide& agent, ScheduleSide& schedule);

  // Before anything is admitted.
  Result<void> load() { return chronicle_.start(); }
  // Before the scheduler begins: its jobs are what the files say.
  Task<void> start();
  // Behind readiness: whoever was greeted last time. Nobody is greeted before it is through.
  Task<void> look_back() { return opens_.start(); }
  Task<void> stop();

  void apply(const Config& config);
  void add_routes(RouteTable& table);
  // Something was said.
  void messages_were_added() { chronicle_.messages_were_added(); }

  // heartbeat.json of every workspace that may have one.
  [[nodiscard]] std::vector<std::string> files() const;
  void files_changed();

 private:
  Task<void> read_files();
  Task<Result<void>> forget(WorkspaceId workspace);

  Parts parts_;
  ActivityLog activity_;
  Chronicle chronicle_;
  Heartbeat heartbeat_;
  HeartbeatWatch watch_;
  SessionOpen opens_;
  ActivityRoutes activity_routes_;
  HeartbeatRoutes heartbeat_routes_;
  SessionOpenRoutes session_open_routes_;
  bool started_ = false;
  bool reading_ = false, read_again_ = false;
};

}  // namespace rouse
