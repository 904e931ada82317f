// `load_skill`: the text of a skill that the prompt lists by name. It is a file of the person the
// workspace belongs to, so it is trusted as SOUL.md is; what lies in another workspace's folder is
// not there.
#pragma once

#include "agent/prompt/person_files.h"
#include "tool/tool.h"

namespace rouse {

class SkillTool final : public Tool {
 public:
  explicit SkillTool(PersonFiles& files) : files_(files) {}
  [[nodiscard]] const ToolInfo& info() const override;
  Task<ToolResult> run(ToolCall call, std::stop_token stop) override;

 private:
  PersonFiles& files_;
};

}  // namespace rouse
