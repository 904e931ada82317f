// `calculate`: arithmetic that is right, for models that guess.
#pragma once

#include "tool/tool.h"

namespace rouse {

class Calculator final : public Tool {
 public:
  [[nodiscard]] const ToolInfo& info() const override;
  Task<ToolResult> run(ToolCall call, std::stop_token stop) override;
};

}  // namespace rouse
