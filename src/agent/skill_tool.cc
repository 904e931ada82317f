#include "agent/skill_tool.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"

namespace rouse {
namespace {

struct SkillArguments {
  std::string name;
};
auto shape(const SkillArguments*) { return fields(field("name", &SkillArguments::name, "")); }

std::string names_of(const std::vector<Skill>& skills) {
  std::string out;
  for (const Skill& skill : skills) out += (out.empty() ? "" : ", ") + skill.name;
  return out;
}

}  // namespace

const ToolInfo& SkillTool::info() const {
  static const ToolInfo info{.name = "load_skill",
                             .description = "The text of a skill listed under Skills, by its name.",
                             .schema =
                                 R"({"type":"object","properties":{"name":{"type":"string"}},)"
                                 R"("required":["name"],"additionalProperties":false})"};
  return info;
}

Task<ToolResult> SkillTool::run(ToolCall call, std::stop_token stop) {
  const auto asked = decode_json<SkillArguments>(call.arguments);
  if (!asked) co_return ToolResult{.text = asked.error().message, .failed = true};
  const std::vector<Skill>& skills = files_.of(call.workspace).skills;
  const std::string_view wanted = trim(asked->name);
  const auto found = std::ranges::find_if(
      skills, [&](const Skill& skill) { return iequals_ascii(skill.name, wanted); });
  if (found != skills.end()) co_return ToolResult{.text = found->body};
  co_return ToolResult{
      .text = fmt::format("there is no skill '{}'; {}", utf8_prefix(wanted, 80),
                          skills.empty() ? "there are none" : "there is: " + names_of(skills)),
      .failed = true};
}

}  // namespace rouse
