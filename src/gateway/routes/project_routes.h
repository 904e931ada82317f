// Projects over the API: list, read, save, delete. Those of rouse.yaml are shown too, with where
// they come from, and can't be changed here.
#pragma once

#include "gateway/route.h"
#include "session/projects.h"
#include "session/workspaces.h"

namespace rouse {

struct ProjectView {
  std::string key, alias, path, source;
  std::optional<std::string> note;
};
inline auto shape(const ProjectView*) {
  return fields(field("key", &ProjectView::key, "Its short name"),
                field("alias", &ProjectView::alias, "What people call it"),
                field("path", &ProjectView::path, "Where it is on the server's machine"),
                field("source", &ProjectView::source, "Who says so: rouse.yaml or the API")
                    .one_of({"config", "api"}),
                field("note", &ProjectView::note, "What one should know about it, in a sentence"));
}
struct ProjectList {
  std::vector<ProjectView> items;
  std::optional<std::string> next_cursor;
};
inline auto shape(const ProjectList*) {
  return fields(field("items", &ProjectList::items, "One page, in order of their keys"),
                field("next_cursor", &ProjectList::next_cursor, "Null on the last page").or_null());
}
struct ProjectEdit {
  std::optional<std::string> alias;
  std::string path;
};
inline auto shape(const ProjectEdit*) {
  return fields(
      field("alias", &ProjectEdit::alias, "What people call it; default the key").length(0, 200),
      field("path", &ProjectEdit::path, "Absolute, on the server's machine").length(1, 4096));
}

class ProjectRoutes {
 public:
  ProjectRoutes(Projects& projects, Workspaces& workspaces)
      : projects_(projects), workspaces_(workspaces) {}
  void add_to(RouteTable& table);

 private:
  Result<ProjectView> get(Call& call);
  Task<Result<ProjectView>> put(Call& call, ProjectEdit wanted);
  Task<Result<OkBody>> remove(Call& call);
  Task<Result<ProjectList>> list(Call& call);

  Projects& projects_;
  Workspaces& workspaces_;
};

}  // namespace rouse
