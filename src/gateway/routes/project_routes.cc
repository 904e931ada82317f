#include "gateway/routes/project_routes.h"

#include "gateway/routes/asked_workspace.h"

namespace rouse {
namespace {

ProjectView view_of(const Projects::Listed& one) {
  ProjectView view{
      one.project.key, one.project.alias, one.project.path, one.from_config ? "config" : "api", {}};
  if (one.hidden_path) {
    view.note = fmt::format(
        "rouse.yaml wins: the one saved here before, with path {}, is not used while rouse.yaml "
        "names this key",
        *one.hidden_path);
  }
  return view;
}

}  // namespace

void ProjectRoutes::add_to(RouteTable& table) {
  table.add(answer<ProjectList>({.pattern = "/api/projects",
                                 .summary = "The projects of a workspace",
                                 .tag = "projects",
                                 .query = {workspace_parameter(),
                                           {"limit", "How many, 1 to 200"},
                                           {"cursor", "next_cursor of the page before"}}},
                                [this](Call& call) { return list(call); }));
  table.add(answer<ProjectView>({.pattern = "/api/projects/{key}",
                                 .summary = "One project",
                                 .tag = "projects",
                                 .query = {workspace_parameter()}},
                                [this](Call& call) { return get(call); }));
  table.add(exchange<ProjectEdit, ProjectView>(
      {.method = "PUT",
       .pattern = "/api/projects/{key}",
       .access = Access::kAdmin,  // a path on this machine is not for everybody to choose
       .summary = "Make a project or replace it",
       .tag = "projects",
       .query = {workspace_parameter()}},
      [this](Call& call, ProjectEdit wanted) { return put(call, std::move(wanted)); }));
  table.add(answer<OkBody>({.method = "DELETE",
                            .pattern = "/api/projects/{key}",
                            .access = Access::kAdmin,
                            .summary = "Delete a project; the files stay as they are",
                            .tag = "projects",
                            .query = {workspace_parameter()}},
                           [this](Call& call) { return remove(call); }));
}

Result<ProjectView> ProjectRoutes::get(Call& call) {
  TRY(const auto workspace, asked_workspace(call, workspaces_));
  TRY(const auto found, projects_.get(workspace, call.parameters.at(0)));
  return view_of(found);
}

Task<Result<ProjectView>> ProjectRoutes::put(Call& call, ProjectEdit wanted) {
  CO_TRY(const auto workspace, asked_workspace(call, workspaces_));
  Project project{call.parameters.at(0), wanted.alias.value_or(""), std::move(wanted.path)};
  CO_TRY(project, co_await projects_.put(workspace, std::move(project)));
  co_return view_of({std::move(project), false, {}});
}

Task<Result<OkBody>> ProjectRoutes::remove(Call& call) {
  CO_TRY(const auto workspace, asked_workspace(call, workspaces_));
  CO_TRY_VOID(co_await projects_.remove(workspace, call.parameters.at(0)));
  co_return OkBody{};
}

Task<Result<ProjectList>> ProjectRoutes::list(Call& call) {
  CO_TRY(const auto workspace, asked_workspace(call, workspaces_));
  CO_TRY(const std::size_t limit, call.limit());
  CO_TRY(auto found,
         co_await projects_.list(workspace, call.query("cursor").value_or(""), limit + 1));
  ProjectList out;
  const bool more = found.size() > limit;
  if (more) found.pop_back();
  for (const auto& one : found) out.items.push_back(view_of(one));
  if (more) out.next_cursor = out.items.back().key;
  co_return out;
}

}  // namespace rouse
