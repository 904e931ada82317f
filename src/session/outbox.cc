#include "session/outbox.h"

#include "session/outbox_rows.h"
#include "store/values.h"

namespace rouse {
namespace {

constexpr std::string_view kInsert =
    "INSERT INTO outbox (" OUTBOX_COLUMNS
    ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)";

// Within a conversation only the oldest that is not over may go: what a person reads must come in
// the order it was said. Ids grow with time, so their order is the order of the conversation.
#define HEADS                                                                              \
  "FROM outbox o WHERE o.state = 'pending' AND NOT EXISTS (SELECT 1 FROM outbox e "        \
  "WHERE e.conversation_id = o.conversation_id AND e.state IN ('pending', 'sending') AND " \
  "e.outbox_id < o.outbox_id)"
constexpr std::string_view kDue = "SELECT " OUTBOX_COLUMNS " " HEADS
                                  " AND o.next_ms <= $1 ORDER BY o.next_ms, o.outbox_id "
                                  "LIMIT $2";
constexpr std::string_view kNextDue = "SELECT o.next_ms " HEADS " ORDER BY o.next_ms LIMIT 1";
constexpr std::string_view kOfTurn =
    "SELECT " OUTBOX_COLUMNS " FROM outbox WHERE turn_id = $1 ORDER BY outbox_id";

constexpr std::string_view kBegin =
    "UPDATE outbox SET state = 'sending', attempts = attempts + 1 "
    "WHERE outbox_id = $1 AND state = 'pending'";
constexpr std::string_view kDelivered =
    "UPDATE outbox SET state = 'delivered', receipt = $2, error = NULL, ended_ms = $3 "
    "WHERE outbox_id = $1 AND state = 'sending'";
constexpr std::string_view kTryAgain =
    "UPDATE outbox SET state = 'pending', error = $2, next_ms = $3 "
    "WHERE outbox_id = $1 AND state = 'sending'";
constexpr std::string_view kGiveUp =
    "UPDATE outbox SET state = $2, error = $3, ended_ms = $4 WHERE outbox_id = $1 AND state = $5";

constexpr std::string_view kForgetSending =
    "UPDATE outbox SET state = 'unknown', ended_ms = $1, "
    "error = 'rouse stopped while this was being sent' WHERE state = 'sending'";
constexpr std::string_view kExpire =
    "UPDATE outbox SET state = 'expired', ended_ms = $1, error = 'it was too old to be of use' "
    "WHERE state = 'pending' AND created_ms <= $2";

Task<Result<void>> change(Database& database, Statement statement) {
  Write write;
  write.statements.push_back(std::move(statement));
  CO_TRY_VOID(co_await database.write(std::move(write)));
  co_return Result<void>{};
}

}  // namespace

Statement Outbox::insert(const Delivery& d) {
  return {kInsert,
          {d.id.str(), d.workspace.str(), d.conversation.str(), d.turn.str(), d.to.channel,
           d.to.peer, d.account, d.text, d.state, d.attempts, or_null(d.receipt), or_null(d.error),
           d.created.unix_ms, d.next_try.unix_ms, or_null(d.ended)},
          1};
}

Result<std::vector<Delivery>> Outbox::due(WallTime now, std::size_t limit) {
  TRY(const Rows rows,
      database_.read({kDue, {now.unix_ms, static_cast<std::int64_t>(limit)}, limit}));
  return deliveries_from_rows(rows);
}

Result<std::optional<WallTime>> Outbox::next_due() {
  TRY(const Rows rows, database_.read({kNextDue, {}}));
  if (rows.empty()) return std::optional<WallTime>();
  return std::optional(WallTime{rows.front().integer(0)});
}

Result<std::vector<Delivery>> Outbox::of_turn(const TurnId& turn) {
  TRY(const Rows rows, database_.read({kOfTurn, {turn.str()}}));
  return deliveries_from_rows(rows);
}

Task<Result<void>> Outbox::begin_sending(OutboxId id) {
  return change(database_, {kBegin, {id.str()}, 1});
}

Task<Result<void>> Outbox::delivered(OutboxId id, std::optional<std::string> receipt) {
  return change(database_,
                {kDelivered, {id.str(), or_null(receipt), clock_.wall_now().unix_ms}, 1});
}

Task<Result<void>> Outbox::try_again(OutboxId id, std::string error, WallTime next_try) {
  return change(database_, {kTryAgain, {id.str(), std::move(error), next_try.unix_ms}, 1});
}

// What expired was never begun; everything else was being sent.
Task<Result<void>> Outbox::give_up(OutboxId id, std::string state, std::string error) {
  const std::string before = state == "expired" ? "pending" : "sending";
  return change(database_,
                {kGiveUp,
                 {id.str(), std::move(state), std::move(error), clock_.wall_now().unix_ms, before},
                 1});
}

Task<Result<void>> Outbox::recover() {
  const WallTime now = clock_.wall_now();
  Write write;
  write.statements = {{kForgetSending, {now.unix_ms}, {}},
                      {kExpire, {now.unix_ms, (now - kDeliveryLife).unix_ms}, {}}};
  CO_TRY_VOID(co_await database_.write(std::move(write)));
  co_return Result<void>{};
}

}  // namespace rouse
