// What wakes the agent on its own: automations, their clockwork, their ledger, and the doors
// through which a person looks after them. Part of the wiring: concrete classes are named here,
// nothing is decided here.
#pragma once

#include <string>
#include <vector>

#include "agent/agent_house.h"
#include "app/config.h"
#include "base/blocking_pool.h"
#include "gateway/health.h"
#include "gateway/routes/automation_import_routes.h"
#include "gateway/routes/automation_routes.h"
#include "gateway/routes/run_routes.h"
#include "schedule/automation_desk.h"
#include "schedule/dream.h"
#include "schedule/evaluator.h"
#include "schedule/file/schedule_file.h"
#include "schedule/job_book.h"
#include "schedule/occurrence_ledger.h"
#include "schedule/output/output_folder.h"
#include "schedule/output/output_router.h"
#include "schedule/scheduler.h"
#include "schedule/script_gate.h"
#include "schedule/story/automation_story.h"

namespace rouse {

class ScheduleSide {
 public:
  struct Parts {
    Loop& loop;
    Clock& clock;
    Random& random;
    Database& database;
    SessionKernel& kernel;
    Workspaces& workspaces;
    Agents& agents;
    MemoryBook& memory;
    ConversationDelete& removal;
    BlockingPool& pool;
    HealthBoard& board;
    const Log& log;
    std::string data_dir;
  };
  ScheduleSide(Parts parts, AgentHouse& house);

  // The cheap model, if there is one; the channels that messages can be sent over, and who is told
  // that one waits.
  void use_model(OneShot* model) {
    evaluator_.use_model(model);
    dream_.use_model(model);
  }
  void use_channels(std::function<bool(std::string_view)> serves, std::function<void()> told) {
    output_.use_channels(std::move(serves), std::move(told));
  }

  // Who runs the jobs that are heartbeats.
  void use_heartbeat(Scheduler::SystemRun run) { heartbeat_ = std::move(run); }

  // Before turns are recovered.
  Result<void> load();
  // When waiting turns go on.
  void start();
  Task<void> stop();

  void apply(const Config& config);
  void add_routes(RouteTable& table);
  JobBook& book() { return book_; }
  OccurrenceLedger& ledger() { return ledger_; }
  AutomationDesk& desk() { return desk_; }
  GateRunner& gates() { return gates_; }
  ConversationDelete& removal() { return parts_.removal; }

  // schedule.json of every workspace that may have one; each is read again when it changes.
  [[nodiscard]] std::vector<std::string> files() const;
  void files_changed();

 private:
  Task<void> ensure_dream();
  Task<void> read_files();
  Task<void> read_file_of(WorkspaceId workspace, std::string path);

  Parts parts_;
  OccurrenceLedger ledger_;
  JobBook book_;
  AutomationDesk desk_;
  Scheduler scheduler_;
  GateRunner gates_;
  Dream dream_;
  AutomationStory story_;
  Evaluator evaluator_;
  OutputFolder output_folder_;
  OutputRouter output_;
  ScheduleFile file_;
  AutomationRoutes routes_;
  RunRoutes run_routes_;
  AutomationImportRoutes import_routes_;
  Scheduler::SystemRun heartbeat_;
  bool started_ = false;
  bool dreams_ = false;
  std::string dream_at_;
  bool reading_ = false, read_again_ = false;
};

}  // namespace rouse
