// `notify`: a word to the person outside of the conversation, on every open page and at the places
// they named for notifications. What a conversation on a channel should hear is said in its answer.
#pragma once

#include "session/notification/notification.h"
#include "tool/tool.h"

namespace rouse {

class NotifyTool final : public Tool {
 public:
  explicit NotifyTool(Notifications& notifications) : notifications_(notifications) {}
  [[nodiscard]] const ToolInfo& info() const override;
  Task<ToolResult> run(ToolCall call, std::stop_token stop) override;

 private:
  Notifications& notifications_;
};

}  // namespace rouse
