// Automations over the API: make, look, change, pause, resume, remove, preview, and what became of
// their occurrences. An automation belongs to a conversation, which a client names as it knows it:
// conv_…, sess_…, a session key or an alias. There is no way to run one now: what runs, runs on its
// schedule (S3-48).
#pragma once

#include <functional>
#include <optional>

#include "gateway/route.h"
#include "gateway/routes/automation_views.h"
#include "schedule/job_book.h"
#include "schedule/story/forecast.h"
#include "session/session_kernel.h"

namespace rouse {

class AutomationRoutes {
 public:
  AutomationRoutes(JobBook& book, OccurrenceLedger& ledger, AutomationStory& story,
                   SessionKernel& kernel, Workspaces& workspaces, Clock& clock)
      : book_(book),
        ledger_(ledger),
        story_(story),
        kernel_(kernel),
        workspaces_(workspaces),
        clock_(clock) {}
  // The model whose price an estimate goes by when there is no past to go by.
  void use_model(std::function<std::optional<ModelInfo>()> model) { model_ = std::move(model); }
  void add_to(RouteTable& table);

 private:
  Task<Result<Response>> create(Call& call, AutomationBody wanted);
  Task<Result<AutomationPage>> list(Call& call);
  Result<AutomationView> get(Call& call);
  Task<Result<AutomationView>> edit(Call& call, AutomationBody wanted);
  Task<Result<OkBody>> remove(Call& call);
  Task<Result<AutomationView>> pause(Call& call);
  Task<Result<AutomationView>> resume(Call& call);
  Task<Result<OccurrencePage>> occurrences(Call& call);
  Task<Result<PreviewView>> preview(Call& call, PreviewBody wanted);
  Task<Result<ForecastFacts>> facts_for(WorkspaceId workspace, std::optional<Job> job,
                                        PreviewBody wanted);
  Result<SessionAutomations> of_session(Call& call);
  Result<WhyAutomationView> why(Call& call);

  Result<Job> asked_job(const Call& call);  // removed ones too
  Result<Job> living_job(const Call& call);
  // The key a new automation is bound to; fails if nothing could ever answer there (DL-4).
  Result<std::string> bound_key(const WorkspaceId& workspace, const std::string& name);
  // The key of the conversation somebody asks about, which need not have begun.
  Result<std::string> asked_key(const WorkspaceId& workspace, const std::string& name);
  Result<Schedule> schedule_of(const WorkspaceId& workspace, const ScheduleBody& body);
  Result<std::string> zone_of(const WorkspaceId& workspace);

  JobBook& book_;
  OccurrenceLedger& ledger_;
  AutomationStory& story_;
  SessionKernel& kernel_;
  Workspaces& workspaces_;
  Clock& clock_;
  std::function<std::optional<ModelInfo>()> model_;
};

}  // namespace rouse
