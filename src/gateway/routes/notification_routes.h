// Notifications: what there is to read, what was read, a try whether they arrive, and the browsers
// that want to be told by Web Push (docs/notifications.md).
#pragma once

#include "channel/notify/web_push.h"
#include "gateway/route.h"
#include "session/notification/notification.h"
#include "session/workspaces.h"

namespace rouse {

struct NotificationView {
  std::int64_t number = 0;
  std::string kind, subject, text;
  std::optional<std::string> conversation_id, turn_id, run_id;
  bool untrusted = false;
  std::string created_at;
  std::optional<std::string> read_at;
};
inline auto shape(const NotificationView*) {
  using V = NotificationView;
  return fields(
      field("number", &V::number, "Newer is higher"),
      field("kind", &V::kind, "What it is about: heartbeat, automation, approval, agent or system"),
      field("subject", &V::subject, "A few words, or none"),
      field("text", &V::text, "What it says"),
      field("conversation_id", &V::conversation_id, "Where it comes from").or_null(),
      field("turn_id", &V::turn_id, "The turn that said it").or_null(),
      field("run_id", &V::run_id, "The run it tells about").or_null(),
      field("untrusted", &V::untrusted, "Foreign words may be in it"),
      field("created_at", &V::created_at, "When it was said"),
      field("read_at", &V::read_at, "When it was read").or_null());
}

struct NotificationPage {
  std::vector<NotificationView> items;
  std::optional<std::string> next_cursor;
  std::int64_t unread = 0;
};
inline auto shape(const NotificationPage*) {
  using P = NotificationPage;
  return fields(field("items", &P::items, "One page, newest first"),
                field("next_cursor", &P::next_cursor, "Null on the last page").or_null(),
                field("unread", &P::unread, "How many are unread in all"));
}

struct NotificationsRead {
  std::int64_t through = 0;
};
inline auto shape(const NotificationsRead*) {
  return fields(field("through", &NotificationsRead::through, "The newest number that was seen")
                    .range(0, std::numeric_limits<std::int64_t>::max()));
}
struct NotificationCount {
  std::int64_t read = 0, unread = 0;
};
inline auto shape(const NotificationCount*) {
  return fields(field("read", &NotificationCount::read, "How many became read"),
                field("unread", &NotificationCount::unread, "How many are still unread"));
}

struct NotificationTry {
  std::string target;
};
inline auto shape(const NotificationTry*) {
  return fields(
      field("target", &NotificationTry::target, "A name of notifications.targets, or push")
          .length(1, 64));
}
struct NotificationTried {
  std::vector<std::string> deliveries;
};
inline auto shape(const NotificationTried*) {
  return fields(field("deliveries", &NotificationTried::deliveries,
                      "What is on its way; /api/deliveries tells what became of it"));
}

struct TargetView {
  std::string name, type, privacy;
  std::optional<std::vector<std::string>> kinds;
  std::optional<std::string> quiet_hours;
  std::string zone;
};
inline auto shape(const TargetView*) {
  using V = TargetView;
  return fields(field("name", &V::name, "As it stands in notifications.targets"),
                field("type", &V::type, "ntfy, webhook, desktop, push or conversation"),
                field("privacy", &V::privacy, "How much it may see: full, subject or none"),
                field("kinds", &V::kinds, "The kinds it gets; null: all").or_null(),
                field("quiet_hours", &V::quiet_hours, "When it is not disturbed").or_null(),
                field("zone", &V::zone, "The time zone of these hours"));
}
struct TargetList {
  std::vector<TargetView> items;
};
inline auto shape(const TargetList*) {
  return fields(field("items", &TargetList::items, "In the order of their names"));
}

struct PushKeyView {
  std::string key;
};
inline auto shape(const PushKeyView*) {
  return fields(field("key", &PushKeyView::key, "For PushManager.subscribe(), base64url"));
}

struct PushKeysAsk {
  std::string p256dh, auth;
};
inline auto shape(const PushKeysAsk*) {
  return fields(field("p256dh", &PushKeysAsk::p256dh, "The browser's public key").length(1, 200),
                field("auth", &PushKeysAsk::auth, "Its secret").length(1, 100));
}
struct PushAsk {
  std::string endpoint;
  PushKeysAsk keys;
  std::optional<std::string> name;
};
inline auto shape(const PushAsk*) {
  return fields(field("endpoint", &PushAsk::endpoint, "Where its push service takes messages")
                    .length(1, 2000),
                field("keys", &PushAsk::keys, "As PushSubscription.toJSON() gives them"),
                field("name", &PushAsk::name, "What a person calls this browser").length(0, 100));
}
struct PushView {
  std::string id, name, host, created_at;
  std::optional<std::string> worked_at;
};
inline auto shape(const PushView*) {
  using V = PushView;
  return fields(field("id", &V::id, "Its id"), field("name", &V::name, "What a person calls it"),
                field("host", &V::host, "Its push service"),
                field("created_at", &V::created_at, "When it subscribed"),
                field("worked_at", &V::worked_at, "When a message was taken last").or_null());
}
struct PushList {
  std::vector<PushView> items;
};
inline auto shape(const PushList*) {
  return fields(field("items", &PushList::items, "The oldest first"));
}

class NotificationRoutes {
 public:
  NotificationRoutes(Notifications& notifications, PushKeys& keys, Workspaces& workspaces)
      : notifications_(notifications), keys_(keys), workspaces_(workspaces) {}
  void add_to(RouteTable& table);

 private:
  void add_push(RouteTable& table);
  Task<Result<NotificationPage>> list(Call& call);
  Task<Result<NotificationCount>> read(Call& call, NotificationsRead wanted);
  Task<Result<NotificationTried>> test(Call& call, NotificationTry wanted);
  Result<TargetList> targets(Call& call);
  Result<PushKeyView> key();
  Task<Result<PushView>> subscribe(Call& call, PushAsk wanted);
  Result<PushList> subscriptions(Call& call);
  Task<Result<OkBody>> unsubscribe(Call& call);

  Notifications& notifications_;
  PushKeys& keys_;
  Workspaces& workspaces_;
};

}  // namespace rouse
