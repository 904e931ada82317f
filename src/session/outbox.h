// Replies that must reach a channel. The row is written with the turn's close and is sent only
// after that commit (DL-1). Whether a reply was delivered is a fact of its own: a turn that ran
// well stays so when its reply could not be delivered (DL-3).
//
//   pending -> sending -> delivered     the channel took it (receipt)
//                      -> pending       it certainly did not, and may yet: tried again at next_try
//                      -> failed        it certainly did not, and won't
//                      -> unknown       nobody can say; never sent again by itself
//   pending -> expired                  too old to be of use (DL-2)
//
// `sending` is durable before the first byte leaves: after a crash it becomes `unknown`.
//
// Within a conversation only the head may go, the oldest that is not over: what a person reads must
// come in the order it was said. Which one that is stands in the row, so that those who wait behind
// it are never looked at.
//
// Each change but `sending`, which lasts a moment, has a durable event in its own write (DL-3).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "session/event_log.h"
#include "session/session_key.h"
#include "store/database.h"

namespace rouse {

struct OutboxTag {
  static constexpr std::string_view prefix = "out_";
  static constexpr std::string_view noun = "delivery";
};
using OutboxId = Id<OutboxTag>;  // is also the idempotency key the channel is given

inline constexpr Millis kDeliveryLife = hours(24);
inline constexpr std::int64_t kDeliveryAttempts = 8;

struct Delivery {
  OutboxId id;
  WorkspaceId workspace;
  ConversationId conversation;
  TurnId turn;
  SessionKey to;        // bound when the turn was accepted, never "the last channel" (DL-4)
  std::string account;  // of the bridge
  std::string text;
  std::string state = "pending";
  std::int64_t attempts = 0;
  std::optional<std::string> receipt = {}, error = {};
  WallTime created, next_try;
  std::optional<WallTime> ended = {};
};

class Outbox {
 public:
  Outbox(Database& database, Clock& clock) : database_(database), clock_(clock) {}

  void record_events(EventLog* events) { events_ = events; }  // null: none are written

  static Statement insert(const Delivery& delivery);  // for the write that closes the turn

  // What is due, oldest first.
  Result<std::vector<Delivery>> due(WallTime now, std::size_t limit);
  Result<std::optional<WallTime>> next_due();  // of the pending ones
  Result<std::vector<Delivery>> of_turn(const TurnId& turn);
  // What channels called the newest deliveries, oldest first.
  Result<std::vector<std::string>> newest_receipts(std::size_t limit);

  // Each is durable when it answers, and fails with kConflict if the row was in another state.
  Task<Result<void>> begin_sending(OutboxId id);
  Task<Result<void>> delivered(OutboxId id, std::optional<std::string> receipt);
  Task<Result<void>> try_again(OutboxId id, std::string error, WallTime next_try);
  Task<Result<void>> give_up(OutboxId id, std::string state, std::string error);  // failed, unknown

  // At a start: what was being sent is `unknown`, what is too old is `expired`. Twice is once.
  Task<Result<void>> recover();

 private:
  struct Change;  // of one row, and what its event says
  Task<Result<void>> apply(Change change);
  Result<WorkspaceId> add(Write& write, Change change, const Row& row) const;
  static Change leftover(const Row& row, WallTime now);

  Database& database_;
  Clock& clock_;
  EventLog* events_ = nullptr;
};

}  // namespace rouse
