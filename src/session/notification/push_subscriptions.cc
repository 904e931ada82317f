#include "session/notification/push_subscriptions.h"

#include <fmt/format.h>

#include "store/values.h"

namespace rouse {
namespace {

#define PUSH_COLUMNS \
  "subscription_id, workspace_id, token_id, endpoint, p256dh, auth, name, created_ms, worked_ms"
constexpr std::string_view kForget = "DELETE FROM push_subscriptions WHERE endpoint = $1";
constexpr std::string_view kInsert = "INSERT INTO push_subscriptions (" PUSH_COLUMNS
                                     ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, NULL)";
constexpr std::string_view kOfWorkspace =
    "SELECT " PUSH_COLUMNS
    " FROM push_subscriptions WHERE workspace_id = $1 ORDER BY subscription_id LIMIT $2";
constexpr std::string_view kGet =
    "SELECT " PUSH_COLUMNS " FROM push_subscriptions WHERE subscription_id = $1";
constexpr std::string_view kRemove =
    "DELETE FROM push_subscriptions WHERE workspace_id = $1 AND subscription_id = $2";
constexpr std::string_view kWorked =
    "UPDATE push_subscriptions SET worked_ms = $2 WHERE subscription_id = $1";

Result<PushSubscription> subscription_from_row(const Row& row) {
  PushSubscription out;
  TRY(out.id, PushSubscriptionId::parse(row.text(0)));
  TRY(out.workspace, WorkspaceId::parse(row.text(1)));
  out.token = row.text(2);
  out.endpoint = row.text(3);
  out.p256dh = row.text(4);
  out.auth = row.text(5);
  out.name = row.text(6);
  out.created = {row.integer(7)};
  out.worked = time_or_null(row, 8);
  return out;
}

}  // namespace

Task<Result<PushSubscription>> PushSubscriptions::add(PushSubscription one) {
  CO_TRY(const auto known, of(one.workspace));
  std::size_t others = 0;
  for (const PushSubscription& other : known) others += other.endpoint != one.endpoint ? 1 : 0;
  if (others >= kPushSubscriptions) {
    co_return fail(Errc::kInvalid,
                   fmt::format("{} browsers are subscribed already; remove one of them first",
                               kPushSubscriptions));
  }
  one.created = clock_.wall_now();
  one.id = PushSubscriptionId::make(one.created, random_);
  Write write;
  write.statements.push_back({kForget, {one.endpoint}, {}});
  write.statements.push_back({kInsert,
                              {one.id.str(), one.workspace.str(), one.token, one.endpoint,
                               one.p256dh, one.auth, one.name, one.created.unix_ms},
                              1});
  CO_TRY_VOID(co_await database_.write(std::move(write)));
  co_return one;
}

Result<std::vector<PushSubscription>> PushSubscriptions::of(const WorkspaceId& workspace) {
  TRY(const Rows rows,
      database_.read({kOfWorkspace,
                      {workspace.str(), static_cast<std::int64_t>(kPushSubscriptions)},
                      kPushSubscriptions}));
  std::vector<PushSubscription> out;
  for (const Row& row : rows) {
    TRY(auto one, subscription_from_row(row));
    out.push_back(std::move(one));
  }
  return out;
}

Result<std::optional<PushSubscription>> PushSubscriptions::get(const std::string& id) {
  TRY(const Rows rows, database_.read({kGet, {id}}));
  if (rows.empty()) return std::optional<PushSubscription>();
  TRY(auto found, subscription_from_row(rows.front()));
  return std::optional(std::move(found));
}

Task<Result<bool>> PushSubscriptions::remove(WorkspaceId workspace, PushSubscriptionId id) {
  CO_TRY(const Written gone, co_await database_.write(one(kRemove, {workspace.str(), id.str()})));
  co_return gone.rows_changed.front() > 0;
}

Task<Result<void>> PushSubscriptions::worked(PushSubscriptionId id) {
  CO_TRY_VOID(co_await database_.write(one(kWorked, {id.str(), clock_.wall_now().unix_ms})));
  co_return Result<void>{};
}

}  // namespace rouse
