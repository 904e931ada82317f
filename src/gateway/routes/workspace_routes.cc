#include "gateway/routes/workspace_routes.h"

#include "base/time_zone.h"

namespace rouse {
namespace {

WorkspaceView view_of(const Workspace& w) {
  return {w.id.str(), w.kind, w.name, to_iso(w.created), w.timezone, w.locale};
}

}  // namespace

void WorkspaceRoutes::add_to(RouteTable& table) {
  table.add(exchange<NewWorkspace, MadeWorkspace>(  // S1-C8
      {.method = "POST",
       .pattern = "/kernel/workspaces",
       .access = Access::kAdmin,
       .summary = "Make a workspace",
       .tag = "kernel"},
      [this](Call&, NewWorkspace wanted) { return create(std::move(wanted)); }));
  table.add(answer<WorkspaceList>(
      {.pattern = "/kernel/workspaces",
       .access = Access::kAdmin,
       .summary = "List the workspaces",
       .tag = "kernel",
       .query = {{"limit", "How many, 1 to 200"}, {"cursor", "next_cursor of the page before"}}},
      [this](Call& call) { return list(call); }));
  table.add(answer<WorkspaceView>(
      {.pattern = "/api/workspace", .summary = "The workspace of this token", .tag = "workspace"},
      [this](Call& call) -> Result<WorkspaceView> {
        TRY(const Workspace found, workspaces_.get(call.principal.workspace));
        return view_of(found);
      }));
  table.add(exchange<WorkspaceEdit, WorkspaceView>(
      {.method = "PATCH",
       .pattern = "/api/workspace",
       .summary = "Change its name, time zone or language",
       .tag = "workspace"},
      [this](Call& call, WorkspaceEdit change) { return edit(call, std::move(change)); }));
}

Task<Result<MadeWorkspace>> WorkspaceRoutes::create(NewWorkspace wanted) {
  std::string kind = wanted.type.value_or("personal");
  std::string name = wanted.name.value_or(kind);
  CO_TRY(const Workspace made, co_await workspaces_.create(std::move(kind), std::move(name)));
  co_return MadeWorkspace{true, made.id.str()};
}

Task<Result<WorkspaceList>> WorkspaceRoutes::list(Call& call) {
  CO_TRY(const std::size_t limit, call.limit());
  CO_TRY(const auto found, co_await workspaces_.list(call.query("cursor").value_or(""), limit + 1));
  WorkspaceList out;
  for (std::size_t i = 0; i < found.size() && i < limit; ++i)
    out.items.push_back(view_of(found[i]));
  if (found.size() > limit) out.next_cursor = out.items.back().workspace_id;
  co_return out;
}

Task<Result<WorkspaceView>> WorkspaceRoutes::edit(Call& call, WorkspaceEdit change) {
  if (change.timezone && !is_time_zone(*change.timezone)) {
    co_return fail(Errc::kInvalid,
                   fmt::format("'timezone': there is no zone '{}'; use an IANA name "
                               "like Europe/Berlin",
                               *change.timezone));
  }
  CO_TRY(const Workspace now,
         co_await workspaces_.update(
             call.principal.workspace,
             {std::move(change.name), std::move(change.timezone), std::move(change.locale)}));
  co_return view_of(now);
}

}  // namespace rouse
