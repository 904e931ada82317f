// Runs turns: at most one at a time in a conversation, thousands of conversations side by side. It
// takes what the ledger has begun, builds the prompt, lets the agent loop work, and closes the turn
// with one write. Whoever submitted a message may wait for the end of its turn, or go away: the
// turn goes on either way.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "agent/turn_stage.h"
#include "session/session_kernel.h"
#include "session/turn_ledger.h"

namespace rouse {

struct PendingApproval {
  std::string approval_id, tool, summary;
};

// A turn that is over, as its submitter is told.
struct TurnOutcome {
  TurnId turn;
  SessionId session;
  ConversationId conversation;
  std::string response;
  Verdict verdict;
  std::vector<PendingApproval> pending_approvals;
};

struct Submitted {
  Resolved resolved;  // resolved.turn is the turn; redelivered: it was submitted before
};

struct Cleared {
  std::optional<ConversationId> conversation;  // none: there was none to clear
  std::optional<SessionId> closed;             // the next message opens a new one
  bool cancelled = false;                      // a running turn was
};

class TurnRunner {
 public:
  virtual ~TurnRunner() = default;

  // Accepts the message durably; its turn begins at once or when those before it are over.
  virtual Task<Result<Submitted>> submit(InboundMessage message) = 0;
  // Until the turn is over. The stop only ends the waiting: kCancelled.
  virtual Task<Result<TurnOutcome>> wait(TurnId turn, std::stop_token stop) = 0;

  // A running turn ends soon, with what it has said so far; a waiting one is dropped. Already over:
  // its turn as it is.
  virtual Task<Result<Turn>> cancel(TurnId turn) = 0;

  // One that still waits ends as interrupted, and nothing of it enters the transcript. One that
  // runs or is over is left as it is.
  virtual Task<Result<Turn>> drop_waiting(TurnId turn, std::string reason) = 0;

  // /clear (S4-22): the summary is made from the transcript, the running turn cancelled, those that
  // wait dropped, the session closed as cleared, a new one opened. By any name of the conversation;
  // one that doesn't exist is acknowledged as well.
  virtual Task<Result<Cleared>> clear(WorkspaceId workspace, std::string conversation) = 0;

  // Is a turn running or waiting in it?
  [[nodiscard]] virtual bool busy(const ConversationId& conversation) const = 0;
  [[nodiscard]] virtual std::size_t running() const = 0;
};

}  // namespace rouse
