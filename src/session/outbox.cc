#include "session/outbox.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/fault.h"
#include "base/json.h"
#include "session/outbox_rows.h"
#include "store/values.h"

namespace rouse {
namespace {

#define OPEN "state IN ('pending', 'sending')"

// The first of a conversation is its head; so is the next one when the head is over.
constexpr std::string_view kInsert =
    "INSERT INTO outbox (" OUTBOX_COLUMNS
    ", head) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, CASE WHEN "
    "EXISTS (SELECT 1 FROM outbox WHERE conversation_id = $3 AND " OPEN ") THEN 0 ELSE 1 END)";
constexpr std::string_view kNextHead =
    "UPDATE outbox SET head = 1 WHERE outbox_id = (SELECT MIN(outbox_id) FROM outbox "
    "WHERE conversation_id = $1 AND " OPEN ")";

constexpr std::string_view kDue =
    "SELECT " OUTBOX_COLUMNS
    " FROM outbox WHERE state = 'pending' AND head = 1 AND next_ms <= $1 "
    "ORDER BY next_ms, outbox_id LIMIT $2";
constexpr std::string_view kNextDue =
    "SELECT next_ms FROM outbox WHERE state = 'pending' AND head = 1 ORDER BY next_ms LIMIT 1";
constexpr std::string_view kOfTurn =
    "SELECT " OUTBOX_COLUMNS " FROM outbox WHERE turn_id = $1 ORDER BY outbox_id";

// Of so many rows at most, with a receipt or without: the table may be long.
constexpr std::string_view kNewestReceipts =
    "SELECT receipt FROM (SELECT outbox_id, receipt FROM outbox ORDER BY outbox_id DESC LIMIT $1) "
    "AS newest WHERE receipt IS NOT NULL ORDER BY outbox_id DESC";
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

#define ABOUT_COLUMNS "outbox_id, workspace_id, conversation_id, turn_id, state"
constexpr std::string_view kAbout = "SELECT " ABOUT_COLUMNS " FROM outbox WHERE outbox_id = $1";
constexpr std::string_view kLeftovers =
    "SELECT " ABOUT_COLUMNS " FROM outbox WHERE " OPEN
    " AND (state = 'sending' OR created_ms <= $1) ORDER BY conversation_id, outbox_id LIMIT $2";
constexpr std::string_view kLeave =
    "UPDATE outbox SET state = $2, error = $3, ended_ms = $4 WHERE outbox_id = $1 AND " OPEN;
constexpr std::size_t kLeftoversAtOnce = 200;

struct DeliveryChanged {
  std::string delivery_id, state;
  std::optional<std::string> error;
};
auto shape(const DeliveryChanged*) {
  return fields(field("delivery_id", &DeliveryChanged::delivery_id, ""),
                field("state", &DeliveryChanged::state, ""),
                field("error", &DeliveryChanged::error, ""));
}

}  // namespace

struct Outbox::Change {
  std::string id, state;
  std::optional<std::string> error;
  Statement statement;
};

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

Result<std::vector<std::string>> Outbox::newest_receipts(std::size_t limit) {
  TRY(const Rows rows,
      database_.read({kNewestReceipts, {static_cast<std::int64_t>(limit)}, limit}));
  std::vector<std::string> out;
  for (const Row& row : rows) out.push_back(row.text(0));
  std::ranges::reverse(out);
  return out;
}

Task<Result<void>> Outbox::begin_sending(OutboxId id) {
  CO_TRY_VOID(co_await database_.write(one(kBegin, {id.str()}, 1)));
  co_return Result<void>{};
}

Task<Result<void>> Outbox::delivered(OutboxId id, std::optional<std::string> receipt) {
  return apply({id.str(),
                "delivered",
                {},
                {kDelivered, {id.str(), or_null(receipt), clock_.wall_now().unix_ms}, 1}});
}

Task<Result<void>> Outbox::try_again(OutboxId id, std::string error, WallTime next_try) {
  return apply({id.str(), "pending", error, {kTryAgain, {id.str(), error, next_try.unix_ms}, 1}});
}

// What expired was never begun; everything else was being sent.
Task<Result<void>> Outbox::give_up(OutboxId id, std::string state, std::string error) {
  const std::string before = state == "expired" ? "pending" : "sending";
  return apply({id.str(),
                state,
                error,
                {kGiveUp, {id.str(), state, error, clock_.wall_now().unix_ms, before}, 1}});
}

Task<Result<void>> Outbox::apply(Change change) {
  CO_TRY(const Rows rows, database_.read({kAbout, {change.id}}));
  if (rows.empty()) {
    co_return fail(StoreErrc::kConflict, fmt::format("there is no delivery {}", change.id));
  }
  Write write;
  CO_TRY(const WorkspaceId workspace, add(write, std::move(change), rows.front()));
  CO_TRY_VOID(co_await database_.write(std::move(write)));
  if (events_ != nullptr) events_->committed(workspace);
  co_return Result<void>{};
}

// What a row is about never changes, so it may be read before the write.
Result<WorkspaceId> Outbox::add(Write& write, Change change, const Row& row) const {
  TRY(WorkspaceId workspace, WorkspaceId::parse(row.text(1)));
  write.statements.push_back(std::move(change.statement));
  if (change.state != "pending") write.statements.push_back({kNextHead, {row.text(2)}, {}});
  if (events_ == nullptr) return workspace;
  write.statements.push_back(EventLog::append(
      {.workspace = workspace,
       .type = "delivery_changed",
       .conversation = row.text(2),
       .turn = row.text(3),
       .body = encode_json(
           DeliveryChanged{std::move(change.id), std::move(change.state), std::move(change.error)}),
       .created = clock_.wall_now()}));
  return workspace;
}

Outbox::Change Outbox::leftover(const Row& row, WallTime now) {
  const bool was_sending = row.text(4) == "sending";
  if (was_sending) {
    SOMETIMES("outbox.left_sending");
  }
  const std::string state = was_sending ? "unknown" : "expired";
  const std::string error =
      was_sending ? "rouse stopped while this was being sent" : "it was too old to be of use";
  return {row.text(0), state, error, {kLeave, {row.text(0), state, error, now.unix_ms}, {}}};
}

// Page by page: each row changes together with its event, and a start that is cut short leaves the
// rest to the next one.
Task<Result<void>> Outbox::recover() {
  const WallTime now = clock_.wall_now();
  const std::int64_t old_ms = (now - kDeliveryLife).unix_ms;
  std::size_t found = kLeftoversAtOnce;
  while (found == kLeftoversAtOnce) {
    CO_TRY(
        const Rows rows,
        co_await database_.read_page(
            {kLeftovers, {old_ms, static_cast<std::int64_t>(kLeftoversAtOnce)}, kLeftoversAtOnce}));
    found = rows.size();
    if (rows.empty()) break;
    Write write;
    std::set<WorkspaceId> workspaces;
    for (const Row& row : rows) {
      CO_TRY(WorkspaceId workspace, add(write, leftover(row, now), row));
      workspaces.insert(std::move(workspace));
    }
    CO_TRY_VOID(co_await database_.write(std::move(write)));
    if (events_ == nullptr) continue;
    for (const WorkspaceId& workspace : workspaces) events_->committed(workspace);
  }
  co_return Result<void>{};
}

}  // namespace rouse
