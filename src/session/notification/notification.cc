#include "session/notification/notification.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include <fmt/format.h>

#include "base/text.h"
#include "session/notification/settled.h"
#include "session/remove/delete_pages.h"
#include "store/values.h"

namespace rouse {
namespace {

#define NOTIFICATION_COLUMNS                                                                 \
  "number, workspace_id, kind, subject, text, conversation_id, turn_id, run_id, untrusted, " \
  "created_ms, read_ms"

// The number is the store's to give, so that a write that fails leaves no gap.
constexpr std::string_view kInsert =
    "INSERT INTO notifications (number, workspace_id, kind, subject, text, fingerprint, "
    "conversation_id, turn_id, run_id, untrusted, created_ms, read_ms) "
    "SELECT COALESCE(MAX(number), 0) + 1, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, NULL "
    "FROM notifications";
// The event was written without it: here, right behind both, it is known.
constexpr std::string_view kNumberTheEvent =
    "UPDATE events SET body = replace(body, '\"number\":0', '\"number\":' || "
    "CAST((SELECT MAX(number) FROM notifications) AS TEXT)) "
    "WHERE workspace_id = $1 AND seq = (SELECT MAX(seq) FROM events WHERE workspace_id = $1)";
constexpr std::string_view kPrune =
    "DELETE FROM notifications WHERE workspace_id = $1 AND number <= (SELECT number FROM "
    "notifications WHERE workspace_id = $1 ORDER BY number DESC LIMIT 1 OFFSET $2)";
constexpr std::string_view kList =
    "SELECT " NOTIFICATION_COLUMNS
    " FROM notifications WHERE workspace_id = $1 AND number < $2 ORDER BY number DESC LIMIT $3";
constexpr std::string_view kUnread =
    "SELECT COUNT(*) FROM notifications WHERE workspace_id = $1 AND read_ms IS NULL";
constexpr std::string_view kRead =
    "UPDATE notifications SET read_ms = $3 WHERE workspace_id = $1 AND number <= $2 "
    "AND read_ms IS NULL";

constexpr std::string_view kSettled =
    "UPDATE notifications SET read_ms = $5 WHERE workspace_id = $1 AND kind = $2 AND turn_id = $3 "
    "AND text = $4 AND read_ms IS NULL";
constexpr std::string_view kForget =
    "DELETE FROM notifications WHERE number IN (SELECT number FROM notifications "
    "WHERE workspace_id = $1 LIMIT $2)";
constexpr std::string_view kForgetBrowsers =
    "DELETE FROM push_subscriptions WHERE workspace_id = $1";
// '.' comes right after '-': a range finds the lanes by the index, LIKE would look at every row.
#define NOTIFY_LANES "conversation_id >= 'conv_notify-' AND conversation_id < 'conv_notify.'"
constexpr std::string_view kForgetParcels =
    "DELETE FROM outbox WHERE outbox_id IN (SELECT outbox_id FROM outbox "
    "WHERE workspace_id = $1 AND " NOTIFY_LANES " LIMIT $2)";
// Of all workspaces: what is still on its way has no end.
constexpr std::string_view kPruneParcels =
    "DELETE FROM outbox WHERE outbox_id IN (SELECT outbox_id FROM outbox "
    "WHERE " NOTIFY_LANES " AND ended_ms < $1 LIMIT $2)";
constexpr Millis kPruneEvery = hours(1);

// A row of the outbox names a turn; what was said outside of one has this name.
constexpr std::string_view kNoTurn = "turn_none", kTestTurn = "turn_test";
constexpr std::string_view kHiddenSubject = "rouse has something for you";

struct NotificationBody {   // of the event
  std::int64_t number = 0;  // what is said can't look like it: quotes are escaped there
  std::string kind, subject, text;
  std::optional<std::string> title;
  std::optional<bool> untrusted;
  std::optional<std::string> automation_id, run_id;
};
auto shape(const NotificationBody*) {
  using B = NotificationBody;
  return fields(field("number", &B::number, ""), field("kind", &B::kind, ""),
                field("text", &B::text, ""), field("subject", &B::subject, ""),
                field("title", &B::title, ""), field("untrusted", &B::untrusted, ""),
                field("automation_id", &B::automation_id, ""), field("run_id", &B::run_id, ""));
}

std::optional<bool> said_if(bool value) { return value ? std::optional(true) : std::nullopt; }

template <class T>
std::optional<std::string> text_of(const std::optional<T>& id) {
  return id ? std::optional(id->str()) : std::nullopt;
}

Statement event_of(const Notification& n) {
  NotificationBody body{.kind = n.kind,
                        .subject = n.subject,
                        .text = n.text,
                        .title = {},
                        .untrusted = said_if(n.untrusted),
                        .automation_id = n.automation,
                        .run_id = n.run};
  if (!n.subject.empty()) body.title = n.subject;
  return EventLog::append({.workspace = n.workspace,
                           .type = "notification",
                           .conversation = text_of(n.conversation).value_or(""),
                           .turn = text_of(n.turn).value_or(""),
                           .body = encode_json(body),
                           .created = n.created});
}

Statement row_of(const Notification& n) {
  return {kInsert,
          {n.workspace.str(), n.kind, n.subject, n.text,
           to_hex(sha256(n.kind + "\n" + n.subject + "\n" + n.text)),
           or_null(text_of(n.conversation)), or_null(text_of(n.turn)), or_null(n.run),
           std::int64_t{n.untrusted ? 1 : 0}, n.created.unix_ms},
          1};
}

Result<Notification> notification_from_row(const Row& row) {
  Notification out;
  out.number = row.integer(0);
  TRY(out.workspace, WorkspaceId::parse(row.text(1)));
  out.kind = row.text(2);
  out.subject = row.text(3);
  out.text = row.text(4);
  if (!row.is_null(5)) {
    TRY(out.conversation, ConversationId::parse(row.text(5)));
  }
  if (!row.is_null(6)) {
    TRY(out.turn, TurnId::parse(row.text(6)));
  }
  out.run = text_or_null(row, 7);
  out.untrusted = row.integer(8) != 0;
  out.created = {row.integer(9)};
  out.read = time_or_null(row, 10);
  return out;
}

bool wants(const NotificationTarget& target, const Notification& n) {
  return !target.kinds || std::ranges::find(*target.kinds, n.kind) != target.kinds->end();
}

std::string page_of(const Notification& n) {
  return n.conversation ? "/chat/" + n.conversation->str() : "/";
}

std::string parcel_for(const Notification& n, const NotificationTarget& target) {
  const NotificationPrivacy privacy = target.privacy;
  NotificationParcel out{.kind = n.kind,
                         .subject = n.subject,
                         .text = n.text,
                         .url = page_of(n),
                         .created_at = to_iso(n.created),
                         .untrusted = said_if(n.untrusted)};
  if (privacy != NotificationPrivacy::kFull) out.text.clear();
  if (privacy == NotificationPrivacy::kNothing) {
    out.kind.clear();
    out.url = "/";
    out.untrusted.reset();
  }
  const bool says_nothing = privacy == NotificationPrivacy::kNothing ||
                            (privacy == NotificationPrivacy::kSubject && out.subject.empty());
  if (says_nothing) out.subject = kHiddenSubject;
  if (target.channel == kNotifyConversation && n.heard_there)
    out.heard_in = text_of(n.conversation);
  return encode_json(out);
}

Notification bounded(Notification n, WallTime now) {
  n.subject = utf8_prefix(trim(n.subject), kSubjectBytes);
  n.text = utf8_prefix(n.text, kNotificationBytes);
  if (n.created.unix_ms == 0) n.created = now;
  return n;
}

}  // namespace

bool is_notification_test(const Delivery& delivery) { return delivery.turn.str() == kTestTurn; }

// --- where it goes -------------------------------------------------------------------------------

Delivery Notifications::delivery_for(const Notification& n, const NotificationTarget& target,
                                     const std::string& place) {
  const WallTime now = clock_.wall_now();
  Delivery out{.id = OutboxId::make(now, random_),
               .workspace = n.workspace,
               .conversation = {},
               .turn = {},
               .to = {target.channel, place},
               .account = target.name,
               .text = parcel_for(n, target),
               .created = now,
               .next_try = now};
  // A lane for each place: its notifications go in order, and no place waits for another.
  if (auto lane = ConversationId::parse("conv_notify-" + place)) out.conversation = *lane;
  if (auto none = TurnId::parse(kNoTurn)) out.turn = n.turn.value_or(*none);
  return out;
}

NotificationTarget Notifications::push_target(const WorkspaceId& workspace) const {
  const auto named = std::ranges::find_if(targets_, [&](const NotificationTarget& one) {
    return one.channel == kNotifyPush && one.workspace == workspace;
  });
  if (named != targets_.end()) return *named;
  return {.name = "push", .channel = std::string(kNotifyPush), .workspace = workspace};
}

// Browsers that can't be looked up are not told; the page shows it all the same.
std::vector<std::string> Notifications::places_of(const NotificationTarget& target,
                                                  const WorkspaceId& workspace) {
  if (target.channel != kNotifyPush) return {target.name};
  std::vector<std::string> out;
  const auto browsers = subscriptions_.of(workspace);
  if (!browsers) return out;
  for (const PushSubscription& one : *browsers) out.push_back(one.id.str());
  return out;
}

std::vector<Delivery> Notifications::deliveries_for(const Notification& n) {
  std::vector<NotificationTarget> targets{push_target(n.workspace)};
  std::ranges::copy_if(targets_, std::back_inserter(targets), [&](const NotificationTarget& one) {
    return one.channel != kNotifyPush && one.workspace == n.workspace;
  });
  const WallTime now = clock_.wall_now();
  std::vector<Delivery> out;
  for (const NotificationTarget& target : targets) {
    if (!wants(target, n)) continue;
    const bool quiet = target.quiet && is_within(*target.quiet, target.zone, now);
    for (const std::string& place : places_of(target, n.workspace)) {
      Delivery delivery = delivery_for(n, target, place);
      if (quiet) delivery.next_try = end_of_hours(*target.quiet, target.zone, now);
      out.push_back(std::move(delivery));
    }
  }
  return out;
}

// --- saying it -----------------------------------------------------------------------------------

std::vector<Statement> Notifications::say(const Notification& notification) {
  const Notification n = bounded(notification, clock_.wall_now());
  std::vector<Statement> out{row_of(n),
                             event_of(n),
                             {kNumberTheEvent, {n.workspace.str()}, 1},
                             {kPrune, {n.workspace.str(), kNotificationsKept}, {}}};
  for (const Delivery& delivery : deliveries_for(n)) out.push_back(Outbox::insert(delivery));
  if (auto prune = prune_parcels()) out.push_back(*std::move(prune));
  return out;
}

// Only what makes parcels has to clear them away. A page an hour is more than people are told.
std::optional<Statement> Notifications::prune_parcels() {
  const WallTime now = clock_.wall_now();
  if (now - pruned_ < kPruneEvery) return std::nullopt;
  pruned_ = now;
  return Statement{kPruneParcels, {(now - kParcelsKept).unix_ms, kDeletedRowsAtOnce}, {}};
}

void Notifications::told(const WorkspaceId& workspace) const {
  events_.committed(workspace);
  if (on_waiting_) on_waiting_();
}

Task<Result<void>> Notifications::send(Notification notification) {
  const WorkspaceId workspace = notification.workspace;
  CO_TRY_VOID(co_await database_.write({say(notification)}));
  told(workspace);
  co_return Result<void>{};
}

Task<Result<std::vector<std::string>>> Notifications::test(WorkspaceId workspace,
                                                           std::string name) {
  const auto named = std::ranges::find_if(targets_, [&](const NotificationTarget& one) {
    return one.name == name && one.workspace == workspace;
  });
  if (named == targets_.end() && name != "push") {
    co_return fail(Errc::kNotFound,
                   fmt::format("there is no target '{}' that works: either it is not in "
                               "notifications.targets, or its token or key can't be read; then "
                               "the log says why",
                               name));
  }
  const NotificationTarget target = named != targets_.end() ? *named : push_target(workspace);
  const Notification n = bounded({.workspace = workspace,
                                  .kind = "system",
                                  .subject = "A test from rouse",
                                  .text = "If you can read this, notifications arrive here."},
                                 clock_.wall_now());
  Write write;
  std::vector<std::string> out;
  for (const std::string& place : places_of(target, workspace)) {
    Delivery delivery = delivery_for(n, target, place);
    // A lane of its own: it must not wait for what is held up, or for the end of quiet hours.
    if (auto lane = ConversationId::parse("conv_notify-" + delivery.id.str())) {
      delivery.conversation = *lane;
    }
    if (auto turn = TurnId::parse(kTestTurn)) delivery.turn = *turn;
    write.statements.push_back(Outbox::insert(delivery));
    out.push_back(delivery.id.str());
  }
  if (out.empty()) {
    co_return fail(Errc::kNotFound, "no browser has subscribed to notifications yet");
  }
  CO_TRY_VOID(co_await database_.write(std::move(write)));
  if (on_waiting_) on_waiting_();
  co_return out;
}

// --- reading it ----------------------------------------------------------------------------------

Task<Result<std::vector<Notification>>> Notifications::list(WorkspaceId workspace,
                                                            std::int64_t before,
                                                            std::size_t limit) {
  if (before <= 0) before = std::numeric_limits<std::int64_t>::max();
  CO_TRY(const Rows rows,
         co_await database_.read_page(
             {kList, {workspace.str(), before, static_cast<std::int64_t>(limit)}, limit}));
  std::vector<Notification> out;
  for (const Row& row : rows) {
    CO_TRY(auto one, notification_from_row(row));
    out.push_back(std::move(one));
  }
  co_return out;
}

Result<std::int64_t> Notifications::unread(const WorkspaceId& workspace) {
  TRY(const Rows rows, database_.read({kUnread, {workspace.str()}}));
  return rows.front().integer(0);
}

Task<Result<std::int64_t>> Notifications::mark_read(WorkspaceId workspace, std::int64_t through) {
  CO_TRY(const Written read, co_await database_.write(one(
                                 kRead, {workspace.str(), through, clock_.wall_now().unix_ms})));
  co_return read.rows_changed.front();
}

Statement read_when_settled(const Notification& asked, WallTime at) {
  const Notification n = bounded(asked, at);
  return {kSettled, {n.workspace.str(), n.kind, or_null(text_of(n.turn)), n.text, at.unix_ms}, {}};
}

Task<Result<void>> Notifications::forget(WorkspaceId workspace) {
  const std::vector<Value> page{workspace.str(), kDeletedRowsAtOnce};
  CO_TRY_VOID(co_await database_.write(one(kForgetBrowsers, {workspace.str()})));
  CO_TRY_VOID(co_await delete_in_pages(database_, {kForgetParcels, page, {}}));
  CO_TRY_VOID(co_await delete_in_pages(database_, {kForget, page, {}}));
  co_return Result<void>{};
}

}  // namespace rouse
