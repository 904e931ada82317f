// `notify`: a word to the person outside of the conversation. It is a durable event of the
// workspace, so every page that is open shows it and one that was away gets it when it is back. It
// is not sent to a bridged channel: what a conversation there should hear is said in its answer.
#pragma once

#include "base/clock.h"
#include "session/event_log.h"
#include "tool/tool.h"

namespace rouse {

class NotifyTool final : public Tool {
 public:
  NotifyTool(Database& database, const Clock& clock, EventLog& events)
      : database_(database), clock_(clock), events_(events) {}
  [[nodiscard]] const ToolInfo& info() const override;
  Task<ToolResult> run(ToolCall call, std::stop_token stop) override;

 private:
  Database& database_;
  const Clock& clock_;
  EventLog& events_;
};

}  // namespace rouse
