// Where approvals are asked for, answered and carried on. The loop asks here before each call; a
// person answers through any door (web, API, command line, a reply on a channel); what was decided
// enters the conversation as a turn of kind `approval`, which runs the stored call once and tells
// the person.
//
// - The row of a pending approval is part of the write that keeps the call's result ("needs
//   approval apr_…"), so a person is never asked about a call nobody remembers, and the other way
//   round.
// - An answer is one write: the approval's state (expected to be pending, so the first answer
//   wins), a permission if it was given for longer, the event, and the turn that carries it on.
// - No answer in time is the answer `expired`, given by the same way.
// - What a tainted turn asked for stays tainted when it is carried on: a person's yes is to the
//   call, not to the words from outside that led to it.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "agent/turn_hooks.h"
#include "agent/turn_runner.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/loop.h"
#include "base/random.h"
#include "session/event_log.h"
#include "session/notification/notification.h"
#include "session/session_kernel.h"
#include "tool/approval/approval.h"
#include "tool/approval/approval_book.h"
#include "tool/approval/tool_policy.h"

namespace rouse {

enum class ApprovalErrc : std::uint8_t {
  kNotFound,  // "approval_not_found"
  kDecided,   // "approval_decided": somebody was faster, or it expired; the message says what and
              // when
  kNoPermission,  // "permission_not_found"
};
ErrorInfo error_info(ApprovalErrc code);

// More may not wait for an answer in one conversation.
inline constexpr std::size_t kPendingApprovals = 50;

// What a yes to this call covers, its folder included.
ApprovalAsk what_runs(const Tool& tool, const ToolCall& call);

// What the loop does with a call.
struct CallRuling {
  PolicyRuling ruling;
  std::optional<Approval> approval = {};   // kAsk: the row that is to be kept
  std::vector<Statement> statements = {};  // for the write that keeps the result
};

struct ApprovalAnswer {
  bool approved = false;
  std::string scope = "once";  // "once", "conversation", "always"
  std::string by;              // Approval::decided_by
  std::string note = {};
};

struct ApprovalSettings {
  PolicySettings policy;
  Millis expires_after = minutes(60 * 24);
};

class ApprovalDesk {
 public:
  struct Parts {
    Loop& loop;
    Clock& clock;
    Random& random;
    Database& database;
    SessionKernel& kernel;
    EventLog& events;
    const Log& log;
  };
  explicit ApprovalDesk(Parts parts) : parts_(parts), book_(parts.database) {}
  ~ApprovalDesk() { stop(); }
  ApprovalDesk(const ApprovalDesk&) = delete;
  ApprovalDesk& operator=(const ApprovalDesk&) = delete;

  void configure(const ApprovalSettings& settings) { settings_ = settings; }
  // Whoever runs the turns of kind approval; set once, before start().
  void use_runner(TurnRunner& runner) { runner_ = &runner; }

  // Whoever tells the person that something waits for a yes; null: nobody.
  void use_notifications(Notifications* notifications) { notifications_ = notifications; }

  // --- for the loop
  Result<CallRuling> rule_on(const Tool& tool, const ToolCall& call, const TurnContext& turn);
  // The statements of a ruling are durable.
  void committed(const Approval& approval);

  // --- for the runner
  // The approval a turn of kind `approval` carries out or tells of.
  Result<std::optional<Approval>> carried_by(const Turn& turn);
  // The other way: the message by which an answer entered the conversation.
  Result<std::optional<InboundRow>> carrier_of(const Approval& approval);
  // What waits for an answer of those a turn asked for.
  Result<std::vector<PendingApproval>> pending_of(const TurnId& turn);
  // /clear and a reset phrase: nothing that waited in this conversation is asked any more (S1-C9).
  Task<Result<void>> withdraw(WorkspaceId workspace, ConversationId conversation);

  // --- for the doors
  // kNotFound for another workspace's; kDecided if it doesn't wait any more, but the very same
  // answer again gets the approval as it is.
  Task<Result<Approval>> decide(WorkspaceId workspace, ApprovalId id, ApprovalAnswer answer);
  Result<Approval> get(const WorkspaceId& workspace, const ApprovalId& id);
  // The newest that waits in a conversation, for a bare "yes".
  Result<std::optional<Approval>> newest_pending(const ConversationId& conversation);
  // The same, if asking for it was the last thing said there: what a "yes" can only mean.
  Result<std::optional<Approval>> asked_last(const ConversationId& conversation);

  Task<Result<void>> forget(WorkspaceId workspace, PermissionId id);  // kNoPermission

  // Expires what is due, sleeps until the next; ends with stop(), after which the loop needs one
  // more round before the desk may go.
  Task<Result<void>> start();
  void stop();

  ApprovalBook& book() { return book_; }

 private:
  Result<CallRuling> ask(const ApprovalAsk& wanted, const ToolCall& call, const Tool& tool,
                         PolicyRuling ruling);
  ApprovalId next_id();
  Task<Result<Approval>> settle(Approval after);
  Result<InboundMessage> message_for(const Approval& after);
  Result<std::optional<InboundRow>> question_of(const Approval& approval);
  std::vector<Statement> statements_for(const Approval& after);
  Task<Result<void>> put_away(Approval approval);
  Task<Result<void>> expire(Approval approval);
  Task<MonoTime> expire_due();
  Task<Result<void>> expire_all_due();
  Task<void> run();

  Parts parts_;
  ApprovalBook book_;
  ApprovalSettings settings_;
  TurnRunner* runner_ = nullptr;
  Notifications* notifications_ = nullptr;
  WallTime last_id_;
  bool nudged_ = false;
  std::stop_source wake_;  // of the present sleep
  std::stop_source stopping_;
};

}  // namespace rouse
