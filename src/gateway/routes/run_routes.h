// The records of what automations did, over the API: which runs there were, what each was told, how
// it ended and what it cost. Lists leave the prompts out.
#pragma once

#include "gateway/route.h"
#include "gateway/routes/automation_views.h"
#include "session/workspaces.h"

namespace rouse {

class RunRoutes {
 public:
  RunRoutes(JobBook& book, OccurrenceLedger& ledger, Workspaces& workspaces)
      : book_(book), ledger_(ledger), workspaces_(workspaces) {}
  void add_to(RouteTable& table);

 private:
  Task<Result<RunPage>> list(Call& call, std::optional<std::string> automation);
  Result<RunView> get(Call& call);

  JobBook& book_;
  OccurrenceLedger& ledger_;
  Workspaces& workspaces_;
};

}  // namespace rouse
