#include "gateway/routes/notification_routes.h"

#include <charconv>

#include "base/text.h"
#include "channel/notify/notify_sender.h"
#include "gateway/routes/asked_workspace.h"
#include "net/url.h"

namespace rouse {
namespace {

std::optional<std::string> iso_of(const std::optional<WallTime>& time) {
  return time ? std::optional(to_iso(*time)) : std::nullopt;
}

NotificationView view_of(Notification n) {
  NotificationView out{.number = n.number,
                       .kind = std::move(n.kind),
                       .subject = std::move(n.subject),
                       .text = std::move(n.text),
                       .conversation_id = {},
                       .turn_id = {},
                       .run_id = std::move(n.run),
                       .untrusted = n.untrusted,
                       .created_at = to_iso(n.created),
                       .read_at = iso_of(n.read)};
  if (n.conversation) out.conversation_id = n.conversation->str();
  if (n.turn) out.turn_id = n.turn->str();
  return out;
}

// Of the endpoint only the host: whoever knows the rest can send.
PushView view_of(const PushSubscription& one) {
  const auto url = parse_url(one.endpoint);
  return {.id = one.id.str(),
          .name = one.name,
          .host = url ? url->host : "",
          .created_at = to_iso(one.created),
          .worked_at = iso_of(one.worked)};
}

std::string_view privacy_name(NotificationPrivacy privacy) {
  if (privacy == NotificationPrivacy::kSubject) return "subject";
  return privacy == NotificationPrivacy::kNothing ? "none" : "full";
}

TargetView view_of(const NotificationTarget& one) {
  TargetView out{.name = one.name,
                 .type = one.channel.substr(one.channel.find('-') + 1),
                 .privacy = std::string(privacy_name(one.privacy)),
                 .kinds = one.kinds,
                 .quiet_hours = {},
                 .zone = one.zone};
  if (one.quiet) out.quiet_hours = hours_text(*one.quiet);
  return out;
}

Result<std::int64_t> before_of(const Call& call) {
  const auto cursor = call.query("cursor");
  if (!cursor) return 0;
  std::int64_t number = 0;
  const char* const end = cursor->data() + cursor->size();
  const auto [at, ec] = std::from_chars(cursor->data(), end, number);
  if (ec == std::errc() && at == end && number > 0) return number;
  return fail(Errc::kInvalid, "'cursor' must be the next_cursor of the page before");
}

}  // namespace

void NotificationRoutes::add_to(RouteTable& table) {
  table.add(answer<NotificationPage>({.pattern = "/api/notifications",
                                      .summary = "Notifications, newest first",
                                      .tag = "notifications",
                                      .query = {workspace_parameter(),
                                                {"limit", "How many, 1 to 200"},
                                                {"cursor", "next_cursor of the page before"}}},
                                     [this](Call& call) { return list(call); }));
  table.add(exchange<NotificationsRead, NotificationCount>(
      {.method = "POST",
       .pattern = "/api/notifications/read",
       .summary = "Mark notifications as read, up to a number",
       .tag = "notifications",
       .query = {workspace_parameter()}},
      [this](Call& call, NotificationsRead wanted) { return read(call, wanted); }));
  table.add(exchange<NotificationTry, NotificationTried>(
      {.method = "POST",
       .pattern = "/api/notifications/test",
       .summary = "Send a test notification to one target",
       .tag = "notifications",
       .success = 202,
       .query = {workspace_parameter()}},
      [this](Call& call, NotificationTry wanted) { return test(call, std::move(wanted)); }));
  table.add(answer<TargetList>({.pattern = "/api/notifications/targets",
                                .summary = "The places notifications are brought to",
                                .tag = "notifications",
                                .query = {workspace_parameter()}},
                               [this](Call& call) { return targets(call); }));
  add_push(table);
}

void NotificationRoutes::add_push(RouteTable& table) {
  table.add(answer<PushKeyView>({.pattern = "/api/push/key",
                                 .summary = "The server's public key for Web Push",
                                 .tag = "notifications"},
                                [this](Call&) { return key(); }));
  table.add(exchange<PushAsk, PushView>(
      {.method = "POST",
       .pattern = "/api/push/subscriptions",
       .summary = "Have this browser told by Web Push",
       .tag = "notifications",
       .success = 201,
       .query = {workspace_parameter()}},
      [this](Call& call, PushAsk wanted) { return subscribe(call, std::move(wanted)); }));
  table.add(answer<PushList>({.pattern = "/api/push/subscriptions",
                              .summary = "The browsers that are told by Web Push",
                              .tag = "notifications",
                              .query = {workspace_parameter()}},
                             [this](Call& call) { return subscriptions(call); }));
  table.add(answer<OkBody>({.method = "DELETE",
                            .pattern = "/api/push/subscriptions/{id}",
                            .summary = "Don't tell this browser any more",
                            .tag = "notifications",
                            .query = {workspace_parameter()}},
                           [this](Call& call) { return unsubscribe(call); }));
}

Task<Result<NotificationPage>> NotificationRoutes::list(Call& call) {
  CO_TRY(const auto workspace, asked_workspace(call, workspaces_));
  CO_TRY(const std::size_t limit, call.limit());
  CO_TRY(const std::int64_t before, before_of(call));
  CO_TRY(auto found, co_await notifications_.list(workspace, before, limit + 1));
  NotificationPage out;
  const bool more = found.size() > limit;
  if (more) found.pop_back();
  for (Notification& one : found) out.items.push_back(view_of(std::move(one)));
  if (more) out.next_cursor = std::to_string(out.items.back().number);
  CO_TRY(out.unread, notifications_.unread(workspace));
  co_return out;
}

Task<Result<NotificationCount>> NotificationRoutes::read(Call& call, NotificationsRead wanted) {
  CO_TRY(const auto workspace, asked_workspace(call, workspaces_));
  NotificationCount out;
  CO_TRY(out.read, co_await notifications_.mark_read(workspace, wanted.through));
  CO_TRY(out.unread, notifications_.unread(workspace));
  co_return out;
}

Task<Result<NotificationTried>> NotificationRoutes::test(Call& call, NotificationTry wanted) {
  CO_TRY(const auto workspace, asked_workspace(call, workspaces_));
  NotificationTried out;
  CO_TRY(out.deliveries, co_await notifications_.test(workspace, std::move(wanted.target)));
  co_return out;
}

Result<TargetList> NotificationRoutes::targets(Call& call) {
  TRY(const auto workspace, asked_workspace(call, workspaces_));
  TargetList out;
  for (const NotificationTarget& one : notifications_.targets()) {
    if (one.workspace == workspace) out.items.push_back(view_of(one));
  }
  return out;
}

Result<PushKeyView> NotificationRoutes::key() {
  TRY(const PushKeyPair keys, keys_.get());
  return PushKeyView{to_base64url(keys.public_key)};
}

Task<Result<PushView>> NotificationRoutes::subscribe(Call& call, PushAsk wanted) {
  CO_TRY(const auto workspace, asked_workspace(call, workspaces_));
  CO_TRY_VOID(check_push_endpoint(wanted.endpoint, workspace));
  if (is_on_this_machine(wanted.endpoint) && !call.principal.is_admin()) {
    co_return fail(Errc::kForbidden, "only an admin may have messages sent to this machine itself");
  }
  CO_TRY_VOID(check_push_reader({wanted.keys.p256dh, wanted.keys.auth}));
  CO_TRY(const auto made,
         co_await notifications_.subscriptions().add({.id = {},
                                                      .workspace = workspace,
                                                      .token = call.principal.token.str(),
                                                      .endpoint = std::move(wanted.endpoint),
                                                      .p256dh = std::move(wanted.keys.p256dh),
                                                      .auth = std::move(wanted.keys.auth),
                                                      .name = wanted.name.value_or("Browser"),
                                                      .created = {}}));
  co_return view_of(made);
}

Result<PushList> NotificationRoutes::subscriptions(Call& call) {
  TRY(const auto workspace, asked_workspace(call, workspaces_));
  TRY(const auto found, notifications_.subscriptions().of(workspace));
  PushList out;
  for (const PushSubscription& one : found) out.items.push_back(view_of(one));
  return out;
}

Task<Result<OkBody>> NotificationRoutes::unsubscribe(Call& call) {
  CO_TRY(const auto workspace, asked_workspace(call, workspaces_));
  CO_TRY(auto id, PushSubscriptionId::parse(call.parameters.at(0)));
  CO_TRY(const bool gone, co_await notifications_.subscriptions().remove(workspace, std::move(id)));
  if (!gone) co_return fail(Errc::kNotFound, "there is no such subscription");
  co_return OkBody{};
}

}  // namespace rouse
