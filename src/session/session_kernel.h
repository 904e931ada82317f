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
#include "session/event_log.h"
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
  std::string transport = {};       // how it came, if not by the key's own channel: "api"
  // For a conversation that begins with it: who answers there, and what else it is called.
  std::optional<std::string> agent = {}, alias = {};
  // Somebody's rows that are there exactly if the message is: they are part of the same write.
  std::vector<Statement> also = {};
  std::optional<std::string> peer = {};  // who wrote it, if not the key's peer (unified sessions)
  std::optional<std::string> meta = {};  // of its messages (messages.h)
  std::optional<TurnId> turn = {};       // what its turn is called, for rows in `also` that name it
  bool keeps_key = false;                // belongs to its key in unified mode, too (S3-46)

  [[nodiscard]] const std::string& channel() const {
    return transport.empty() ? key.channel : transport;
  }
};

struct Resolved {
  Session session;           // as it is after this message
  std::string decision;      // "new", "continue"
  std::string reason;        // S1-17
  bool reset_only = false;   // the message said nothing but a reset phrase (S1-37)
  bool redelivered = false;  // it had been taken before; nothing was changed
  std::int64_t inbound = 0;
  std::optional<TurnId> turn = {};    // accept() only
  std::optional<Turn> accepted = {};  // the turn as it was queued or begun just now
};

// Told of a turn that begins at once, just before its message goes to the disk: whoever works on it
// from then on lets nobody see anything of it before accept() has answered
// (agent/turn_beginning.h). Only of turns in a conversation that is known without a read and goes
// on in its session. Until then what is known of the conversation is already what will be true, and
// the pass is for the turn alone: it may write behind its message, everybody else waits at the
// gate.
using BegunAhead =
    std::move_only_function<void(const TakenTurn&, std::shared_ptr<ConversationGate::Pass>)>;

// What becomes of the turn of an accepted message: it waits, or it runs at once if nothing else of
// its conversation runs or waits. Whoever says kBeginIfFree runs it.
enum class Accept : std::uint8_t { kQueue, kBeginIfFree };

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
  // Called after each commit that appended to a transcript, with what that was if it is at hand.
  using MessagesTold = std::function<void(const WorkspaceId&, const Transcript&)>;
  void on_messages(MessagesTold told) { on_messages_ = std::move(told); }
  // Told when a session was closed, by whomever.
  void on_session_closed(std::function<void(const Session&)> told) { on_closed_ = std::move(told); }
  void session_was_closed(Session session, std::string_view reason) const;

  // Events are written for whoever watches; null: for nobody.
  void record_events(EventLog* events) { events_ = events; }

  // Before anything else: goes on after the highest number.
  Result<void> load() { return numbers_.load(database_); }
  // The same, and puts interrupted turns back; for a house whose turns others run. (The agent's
  // ledger looks at each of them first: turn_ledger.h.)
  Task<Result<void>> start();

  Task<Result<Resolved>> resolve(InboundMessage message);
  Task<Result<Resolved>> accept(InboundMessage message, Accept how = Accept::kQueue,
                                BegunAhead ahead = {});
  Task<Result<Session>> record_turn(TurnRecord record);
  Task<Result<Session>> close(SessionId id, std::string reason);

  Result<Session> get(const SessionId& id);  // kNotFound, also while it is being deleted
  SessionTable& sessions() { return sessions_; }
  ConversationTable& conversations() { return conversations_; }
  ConversationGate& gate() { return gate_; }

  // What is known of a conversation without a read, or null; good until the next wait.
  LiveConversation* live(const ConversationId& id) { return gate_.live().find(id); }
  // All of it, read now. For whoever holds the conversation's pass.
  Result<LiveConversation> look_at(const WorkspaceId& workspace, const ConversationId& id);
  // The key of the conversation that the message enters.
  [[nodiscard]] SessionKey key_of(const InboundMessage& message) const {
    return options_.unified && !message.keeps_key ? SessionKey::unified() : message.key;
  }
  // By whatever a client calls it, as ConversationTable::find_by_name().
  Result<Conversation> find_conversation(const WorkspaceId& workspace, const std::string& name);
  InboundLedger& inbound() { return inbound_; }
  Messages& messages() { return messages_; }
  TurnQueue& turns() { return turns_; }
  Numbers& numbers() { return numbers_; }
  void messages_were_added(const WorkspaceId& workspace, const Transcript& said) const {
    if (on_messages_) on_messages_(workspace, said);
  }
  // The plain summary of a turn that is safe already is replaced by the model's, if there is a
  // model and no other turn came between.
  Task<Result<Session>> improve_summary(Session session, SummaryInput input);

 private:
  enum class Then : std::uint8_t { kNothing, kQueueTurn, kBeginTurn };
  struct Judgement {
    Ruling ruling;
    std::string_view policy;
  };
  Task<Result<Resolved>> take(InboundMessage message, Then then, BegunAhead ahead);
  Result<std::optional<Resolved>> find_redelivered(const InboundMessage& message,
                                                   const std::string& text);
  Result<Situation> look(const InboundMessage& message, const SessionKey& key,
                         const std::string& text, const LiveConversation* live);
  Task<Judgement> judge(Situation& situation, const std::string& text);
  Session open_session(const InboundMessage& message, const SessionKey& key,
                       const Situation& situation, const Ruling& ruling, std::int64_t inbound,
                       Write& write);
  Result<bool> was_told(const Session& session, const TurnRecord& record);
  Result<std::optional<InboundRow>> find_answered(const Session& session, const TurnRecord& record);
  Write turn_write(const Session& session, const TurnRecord& record,
                   const std::optional<InboundRow>& answered, std::int64_t last_seq);
  Result<Turn> new_turn(const InboundMessage& message, const Session& session, std::int64_t inbound,
                        Then then, const LiveConversation* live);
  static bool remember(LiveConversation& live, const Resolved& resolved, InboundRow message);
  Task<Result<void>> write_ahead(Write write, const Resolved& out, InboundRow row,
                                 std::shared_ptr<ConversationGate::Pass> pass, BegunAhead& ahead);

  Database& database_;
  Clock& clock_;
  Random& random_;
  Workspaces& workspaces_;
  Summariser& summariser_;
  DriftGate& drift_;
  KernelOptions options_;
  MessagesTold on_messages_;
  std::function<void(const Session&)> on_closed_;
  EventLog* events_ = nullptr;
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
