// The conversation kernel: finds the session a message belongs to, records what was said, closes
// sessions. Everything that touches one conversation passes its gate, from the first read to the
// commit; what is answered is durable.
//
// - resolve() is the seed's call: where does this message belong, and why? The message is kept in
//   the inbound ledger at once, so nothing is lost if nobody comes back to answer it.
// - accept() does the same and queues the turn that will answer it, in the same write.
// - record_turn() is the seed's PATCH: somebody else ran the turn and tells what was said.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/random.h"
#include "session/content.h"
#include "session/conversation.h"
#include "session/conversation_gate.h"
#include "session/inbound.h"
#include "session/messages.h"
#include "session/numbers.h"
#include "session/resolver/drift_gate.h"
#include "session/resolver/policies.h"
#include "session/session_table.h"
#include "session/summary/summariser.h"
#include "session/turn_queue.h"
#include "session/workspaces.h"

namespace rouse {

// Where the words of somebody on this channel come from.
std::string_view provenance(const SessionKey& key);

struct KernelOptions {
  Millis timeout = minutes(30);
  bool unified = false;  // all channels of a workspace are one conversation
};

struct InboundMessage {
  WorkspaceId workspace;
  SessionKey key;
  std::string account;  // of the bridge; part of what makes a message id unique
  std::optional<std::string> message_id;
  Content content;
  TurnKind kind = TurnKind::kUser;
  bool heeds_reset_phrases = true;  // bridges and the kernel's API; a web page has its own ways
};

struct Resolved {
  Session session;           // as it is after this message
  std::string decision;      // "new", "continue"
  std::string reason;        // S1-17
  bool reset_only = false;   // the message said nothing but a reset phrase (S1-37)
  bool redelivered = false;  // it had been taken before; nothing was changed
  std::int64_t inbound = 0;
  std::optional<TurnId> turn = {};  // accept() only
};

struct TurnRecord {
  SessionId session;
  WorkspaceId workspace;
  std::string user_message, assistant_response;
  std::optional<std::string> action_type;
  std::optional<std::string> message_id;  // of the inbound message it answers; makes a retry safe
};

class SessionKernel {
 public:
  SessionKernel(Database& database, Clock& clock, Random& random, Workspaces& workspaces,
                Summariser& summariser, DriftGate& drift);

  void configure(const KernelOptions& options) { options_ = options; }
  // Called after each commit that appended to a transcript.
  void on_messages(std::function<void()> told) { on_messages_ = std::move(told); }

  // Before anything else: goes on after the highest number, and puts interrupted turns back.
  Task<Result<void>> start();

  Task<Result<Resolved>> resolve(InboundMessage message);
  Task<Result<Resolved>> accept(InboundMessage message);
  Task<Result<Session>> record_turn(TurnRecord record);
  Task<Result<Session>> close(SessionId id, std::string reason);

  Result<Session> get(const SessionId& id);  // kNotFound, also while it is being deleted
  SessionTable& sessions() { return sessions_; }
  ConversationTable& conversations() { return conversations_; }
  ConversationGate& gate() { return gate_; }
  InboundLedger& inbound() { return inbound_; }
  Messages& messages() { return messages_; }
  TurnQueue& turns() { return turns_; }

 private:
  enum class Then : std::uint8_t { kNothing, kQueueTurn };
  struct Judgement {
    Ruling ruling;
    std::string_view policy;
  };
  Task<Result<Resolved>> take(InboundMessage message, Then then);
  Result<std::optional<Resolved>> find_redelivered(const InboundMessage& message,
                                                   const std::string& text);
  Result<Situation> look(const InboundMessage& message, const SessionKey& key,
                         const std::string& text);
  Task<Judgement> judge(Situation& situation, const std::string& text);
  Session open_session(const InboundMessage& message, const SessionKey& key,
                       const Situation& situation, const Ruling& ruling, std::int64_t inbound,
                       Write& write);
  Result<bool> was_told(const Session& session, const TurnRecord& record);
  Result<std::optional<InboundRow>> find_answered(const Session& session, const TurnRecord& record);
  Write turn_write(const Session& session, const TurnRecord& record,
                   const std::optional<InboundRow>& answered, std::int64_t last_seq);
  Task<Result<Session>> improve_summary(Session session, SummaryInput input);

  Database& database_;
  Clock& clock_;
  Random& random_;
  Workspaces& workspaces_;
  Summariser& summariser_;
  DriftGate& drift_;
  KernelOptions options_;
  std::function<void()> on_messages_;
  PolicyChain chain_ = policy_chain();
  Numbers numbers_;
  ConversationGate gate_;
  SessionTable sessions_;
  ConversationTable conversations_;
  InboundLedger inbound_;
  Messages messages_;
  TurnQueue turns_;
};

}  // namespace rouse
