// The rules of a session's life: the workflow files, the engine that plugs into the agent loop, and
// the doors to both. Part of the wiring: concrete classes are named here, nothing is decided here.
#pragma once

#include <string>
#include <vector>

#include "app/agent_side.h"
#include "app/kept_workflows.h"
#include "gateway/health.h"
#include "gateway/routes/workflow_routes.h"
#include "lifecycle/engine/engine.h"
#include "lifecycle/git/program_git_view.h"

namespace rouse {

class LifecycleSide {
 public:
  struct Parts {
    Loop& loop;
    Clock& clock;
    Database& database;
    SessionKernel& kernel;
    Workspaces& workspaces;
    Summariser& summariser;
    BlockingPool& pool;
    HealthBoard& board;
    const Log& log;
    std::string data_dir;
  };
  LifecycleSide(Parts parts, AgentSide& agent);

  // Before the first turn: what the files say.
  void load() { read_files(); }
  // workflows/ itself, and every file in it if it is there.
  [[nodiscard]] std::vector<std::string> files() const;
  void files_changed() { read_files(); }
  // Which small model titles are asked of; null: plain rules make them.
  void use_model(OneShot* model) { engine_.use_model(model); }
  void add_routes(RouteTable& table) { routes_.add_to(table); }

 private:
  void read_files();
  [[nodiscard]] LifecycleHands hands(AgentSide& agent);

  Parts parts_;
  ProgramGitView git_;
  WorkflowBook book_;
  KeptWorkflows kept_;
  LifecycleEngine engine_;
  WorkflowRoutes routes_;
};

// The workflow files of a data folder; what can't be read is a problem.
struct WorkflowFolder {
  std::vector<WorkflowFile> files;
  std::vector<WorkflowProblem> problems;
};
WorkflowFolder read_workflow_folder(const std::string& data_dir);

}  // namespace rouse
