// `cron`: reminders and automations of the conversation the agent is in. What it makes is bound to
// that conversation and to nothing else (S3-08 to S3-13); without one it makes nothing. An
// automation can't make more of them: a job that breeds jobs has no end (S3-C3).
//
// Who asks is read from the call alone, so parallel turns never mix (AP-5). A tainted turn needs a
// person's yes (the policy asks, because the call changes something), and what it makes is
// untrusted: the words of such a job can't be exchanged later without another yes (SC-8, SC-9).
// Scripts that gate a job and the tools a job may use are not an agent's to set.
#pragma once

#include "base/clock.h"
#include "schedule/job_book.h"
#include "session/session_kernel.h"
#include "tool/tool.h"

namespace rouse {

class CronTool final : public Tool {
 public:
  CronTool(JobBook& book, SessionKernel& kernel, Clock& clock)
      : book_(book), kernel_(kernel), clock_(clock) {}
  [[nodiscard]] const ToolInfo& info() const override;
  [[nodiscard]] bool changes(const ToolCall& call) const override;
  [[nodiscard]] RiskTier risk_of(const ToolCall& call) const override;
  [[nodiscard]] ApprovalAsk ask_for(const ToolCall& call) const override;
  Task<ToolResult> run(ToolCall call, std::stop_token stop) override;

 private:
  Task<Result<ToolResult>> act(ToolCall call);
  // Whose automations the call is about; kNoSession outside of a conversation.
  [[nodiscard]] Result<std::string> owner_of(const ToolCall& call) const;
  [[nodiscard]] Result<ToolResult> list(const ToolCall& call, const std::string& owner) const;
  // By its id, its name, or words that only one of the conversation's automations has.
  [[nodiscard]] Result<Job> find(const ToolCall& call, const std::string& owner,
                                 std::string_view said) const;
  [[nodiscard]] std::string told(const Job& job) const;

  JobBook& book_;
  SessionKernel& kernel_;
  Clock& clock_;
};

}  // namespace rouse
