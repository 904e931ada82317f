// `current_time`: what day and time it is, here or elsewhere. A prompt says when its turn began; an
// agent that works for a while, or thinks of other places, asks.
#pragma once

#include "base/clock.h"
#include "tool/tool.h"

namespace rouse {

class ClockTool final : public Tool {
 public:
  explicit ClockTool(const Clock& clock) : clock_(clock) {}
  [[nodiscard]] const ToolInfo& info() const override;
  Task<ToolResult> run(ToolCall call, std::stop_token stop) override;

 private:
  const Clock& clock_;
};

}  // namespace rouse
