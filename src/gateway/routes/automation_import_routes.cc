#include "gateway/routes/automation_import_routes.h"

#include "gateway/routes/asked_workspace.h"

namespace rouse {

void AutomationImportRoutes::add_to(RouteTable& table) {
  table.add(upload<AutomationImportView>(
      {.method = "POST",
       .pattern = "/api/automations/import",
       .access = Access::kAdmin,
       .summary = "Take over another system's jobs; the body is its jobs file",
       .tag = "automations",
       .query = {workspace_parameter()},
       .max_body = kImportedFileBytes},
      [this](Call& call) { return take_over(call); }));
}

Task<Result<AutomationImportView>> AutomationImportRoutes::take_over(Call& call) {
  CO_TRY(auto workspace, asked_workspace(call, workspaces_));
  CO_TRY(JobImport done, co_await import_foreign_jobs(book_, std::move(workspace),
                                                      std::move(call.body), clock_.wall_now()));
  co_return AutomationImportView{done.added, done.existed, done.skipped, std::move(done.notes)};
}

}  // namespace rouse
