#include "gateway/routes/skill_routes.h"

#include <algorithm>

#include "base/text.h"
#include "gateway/routes/asked_workspace.h"

namespace rouse {
namespace {

SkillView view_of(const Skill& skill) {
  return {.name = skill.name,
          .description = skill.description,
          .file = skill.file,
          .always_apply = skill.always_apply};
}

}  // namespace

void SkillRoutes::add_to(RouteTable& table) {
  table.add(answer<SkillList>({.pattern = "/api/skills",
                               .summary = "The skills that are in force, and what is wrong with "
                                          "others",
                               .tag = "skills",
                               .query = {workspace_parameter()}},
                              [this](Call& call) { return list(call); }));
  table.add(answer<SkillView>({.pattern = "/api/skills/{name}",
                               .summary = "One skill with its text",
                               .tag = "skills",
                               .query = {workspace_parameter()}},
                              [this](Call& call) { return get(call); }));
}

Result<SkillList> SkillRoutes::list(Call& call) {
  TRY(const auto workspace, asked_workspace(call, workspaces_));
  const PersonTexts& texts = files_.of(workspace);
  SkillList out{.items = {}, .problems = texts.problems};
  for (const Skill& skill : texts.skills) out.items.push_back(view_of(skill));
  return out;
}

Result<SkillView> SkillRoutes::get(Call& call) {
  TRY(const auto workspace, asked_workspace(call, workspaces_));
  const std::vector<Skill>& skills = files_.of(workspace).skills;
  const auto found = std::ranges::find(skills, call.parameters.at(0), &Skill::name);
  if (found == skills.end()) {
    return fail(Errc::kNotFound,
                fmt::format("there is no skill '{}'", utf8_prefix(call.parameters.at(0), 80)));
  }
  SkillView out = view_of(*found);
  out.text = found->body;
  return out;
}

}  // namespace rouse
