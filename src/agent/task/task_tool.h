// `tasks`: the task list of the workspace, for its agents. One tool for all of it, because every
// tool costs room in every prompt. Errors say what the model can do about them.
#pragma once

#include "agent/task/task_book.h"
#include "tool/tool.h"

namespace rouse {

class TaskTool final : public Tool {
 public:
  explicit TaskTool(TaskBook& book) : book_(book) {}
  [[nodiscard]] const ToolInfo& info() const override;
  [[nodiscard]] bool changes(const ToolCall& call) const override;
  [[nodiscard]] ApprovalAsk ask_for(const ToolCall& call) const override;
  Task<ToolResult> run(ToolCall call, std::stop_token stop) override;

 private:
  Task<Result<ToolResult>> act(ToolCall call);

  TaskBook& book_;
};

// What a task is claimed as by the agent that has no name of its own.
inline constexpr std::string_view kNamelessAgent = "rouse";

}  // namespace rouse
