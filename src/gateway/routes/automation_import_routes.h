// Taking over the automations of another system: its file is the body of the request.
#pragma once

#include "gateway/route.h"
#include "schedule/import/legacy_import.h"
#include "session/workspaces.h"

namespace rouse {

struct AutomationImportView {
  std::int64_t added = 0, existed = 0, skipped = 0;
  std::vector<std::string> notes;
};
inline auto shape(const AutomationImportView*) {
  return fields(field("added", &AutomationImportView::added, "Automations that are new"),
                field("existed", &AutomationImportView::existed, "Taken over before already"),
                field("skipped", &AutomationImportView::skipped, "Left out"),
                field("notes", &AutomationImportView::notes, "What was left out, and why"));
}

class AutomationImportRoutes {
 public:
  AutomationImportRoutes(JobBook& book, Workspaces& workspaces, Clock& clock)
      : book_(book), workspaces_(workspaces), clock_(clock) {}
  void add_to(RouteTable& table);

 private:
  Task<Result<AutomationImportView>> take_over(Call& call);

  JobBook& book_;
  Workspaces& workspaces_;
  Clock& clock_;
};

}  // namespace rouse
