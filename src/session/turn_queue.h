// What is to be done: one row a turn, queued in the same write that accepted its message, so that a
// crash loses neither. At most one turn of a conversation runs at a time (the store itself refuses
// a second). Lanes say who goes first: people, then approvals, deferred automations, wakes; within
// a lane the order of arrival (U9).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "session/session.h"
#include "store/database.h"

namespace rouse {

enum class TurnKind : std::uint8_t {
  kUser,
  kApproval,
  kAutomation,
  kHeartbeatWake,
  kSessionOpen,
  kIsolated,
};
std::string_view turn_kind_name(TurnKind kind);
std::optional<TurnKind> parse_turn_kind(std::string_view name);
std::int64_t lane_of(TurnKind kind);  // 0 goes first

struct Turn {
  std::int64_t number = 0;
  TurnId id;
  WorkspaceId workspace;
  ConversationId conversation;
  SessionId session;
  TurnKind kind = TurnKind::kUser;
  std::string state = "queued";  // queued, running, done, parked
  std::int64_t attempts = 0;
  std::optional<std::int64_t> inbound = {};    // the row it answers
  std::optional<std::string> message_id = {};  // what its teller called the message it answers
  std::optional<std::int64_t> first_seq = {};  // of its messages in the transcript
  std::optional<std::string> action_type = {};
  std::optional<std::string> verdict = {};
  WallTime queued;
  std::optional<WallTime> started = {}, ended = {};
  std::optional<std::string> reason = {}, error = {};  // why it ended so; for a person
  std::optional<std::string> model = {};
  std::int64_t tokens_in = 0, tokens_out = 0, cache_read = 0, cache_write = 0;
  std::optional<std::int64_t> cost_micros = {};   // none: the price is unknown
  std::optional<std::int64_t> history_from = {};  // the first message its prompt held
  std::optional<std::int64_t> last_seq = {};      // of its messages in the transcript
  [[nodiscard]] bool over() const { return state == "done" || state == "parked"; }
};

// A turn that took the process down this often is parked, so that a start always succeeds (SE-7).
inline constexpr std::int64_t kTurnAttempts = 2;

// More may not wait in one conversation: whoever sends faster than it can be answered is told so.
inline constexpr std::int64_t kWaitingTurns = 1'000;

inline constexpr std::int64_t kTurnsOfMessages = 500;

class TurnQueue {
 public:
  TurnQueue(Database& database, Clock& clock) : database_(database), clock_(clock) {}

  static Statement insert(const Turn& turn);  // queued, or done when somebody else ran it
  static Statement finish(const TurnId& id, std::string_view verdict, WallTime now);
  static Statement begin(const TurnId& id, WallTime now);
  // Over, with everything that is known of it, as in `after`; fails if it is in another state than
  // the one it was found in.
  static Statement close(const Turn& after, std::string_view found);

  Result<std::optional<Turn>> get(const TurnId& id);

  // The newest turn that answered a message of this id.
  Result<std::optional<Turn>> answering(const ConversationId& conversation,
                                        const std::string& message_id);
  Result<std::optional<Turn>> running(const ConversationId& conversation);
  // The one that goes next, if none is running.
  Result<std::optional<Turn>> next(const ConversationId& conversation);
  // Durable before it answers; fails with kConflict when another one is running.
  Task<Result<void>> start(TurnId id);

  // At a start, before anything is admitted: what was running when the process ended is queued
  // again, or parked when it was tried too often. Doing it twice changes nothing more.
  Task<Result<void>> recover();
  // What was running when the process ended, in the order of their numbers, after the given one.
  Result<std::vector<Turn>> left_running(std::int64_t after, std::size_t limit);
  // How many of a conversation wait.
  Result<std::int64_t> waiting_in(const ConversationId& conversation);
  // Those of a conversation that wait, in the order they go.
  Result<std::vector<Turn>> queued(const ConversationId& conversation, std::size_t limit);
  // Newest first, before the given number.
  Task<Result<std::vector<Turn>>> of_workspace(WorkspaceId workspace, std::int64_t before,
                                               std::size_t limit);
  Task<Result<std::vector<Turn>>> of_conversation(ConversationId conversation, std::int64_t before,
                                                  std::size_t limit);
  // Those that the messages of these numbers belong to, kTurnsOfMessages at most.
  Result<std::vector<Turn>> of_messages(const ConversationId& conversation, std::int64_t first_seq,
                                        std::int64_t last_seq);
  // Conversations that have something to do, after the given one.
  Task<Result<std::vector<ConversationId>>> waiting(std::string after, std::size_t limit);

 private:
  Result<std::optional<Turn>> first(const Query& query);
  Task<Result<std::vector<Turn>>> page(Query query);
  Database& database_;
  Clock& clock_;
};

}  // namespace rouse
