// The skills of a workspace as they are in force now, and what is wrong with those that are not.
// Their files are a person's to write: nothing is changed here.
#pragma once

#include "agent/prompt/person_files.h"
#include "gateway/route.h"
#include "session/workspaces.h"

namespace rouse {

struct SkillView {
  std::string name, description, file;
  bool always_apply = false;
  std::optional<std::string> text;
};
inline auto shape(const SkillView*) {
  return fields(field("name", &SkillView::name, "What it is called"),
                field("description", &SkillView::description, "What it is for"),
                field("file", &SkillView::file, "Where it lies, in the folder of the workspace"),
                field("always_apply", &SkillView::always_apply,
                      "True: its text is in every prompt; else an agent loads it when needed"),
                field("text", &SkillView::text, "Markdown; only of one that is asked for by name"));
}
struct SkillList {
  std::vector<SkillView> items;
  std::vector<std::string> problems;
};
inline auto shape(const SkillList*) {
  return fields(
      field("items", &SkillList::items, "In the order of their folders"),
      field("problems", &SkillList::problems, "What is wrong with others, with file and line"));
}

class SkillRoutes {
 public:
  SkillRoutes(PersonFiles& files, Workspaces& workspaces)
      : files_(files), workspaces_(workspaces) {}
  void add_to(RouteTable& table);

 private:
  Result<SkillList> list(Call& call);
  Result<SkillView> get(Call& call);

  PersonFiles& files_;
  Workspaces& workspaces_;
};

}  // namespace rouse
