// A word to a person outside of any conversation: a heartbeat that found something, a run that
// failed, a yes that is waited for, what an agent wanted to be seen. It is kept, shown on every
// open page (the event "notification"), and brought to the places the person named: each such way
// is a row in the outbox, with its own state and its own retries, in the same write (UX-8).
//
// What goes where is decided here, when it is said: by kind, by quiet hours (then it waits for
// their end), and how much of it a place may see. Who brings it there lives in channel/notify. A
// browser that subscribed to Web Push is a place of its own, without a line in the config.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/day_hours.h"
#include "base/ids.h"
#include "base/json.h"
#include "base/random.h"
#include "session/event_log.h"
#include "session/notification/push_subscriptions.h"
#include "session/outbox.h"
#include "store/database.h"

namespace rouse {

inline constexpr std::size_t kSubjectBytes = 200;
inline constexpr std::size_t kNotificationBytes = 2'000;
inline constexpr std::int64_t kNotificationsKept = 1'000;  // of a workspace
inline constexpr Millis kParcelsKept = hours(24 * 30);     // in the outbox, after their end

struct Notification {
  std::int64_t number = 0;  // given by the store
  WorkspaceId workspace;
  std::string kind;  // "heartbeat", "automation", "approval", "agent", "system"
  std::string subject = {};
  std::string text;
  std::optional<ConversationId> conversation = {};
  bool heard_there = false;  // it is about an answer that the conversation has itself
  std::optional<TurnId> turn = {};
  std::optional<std::string> automation = {};  // the job's id
  std::optional<std::string> run = {};
  bool untrusted = false;  // made of foreign words: a page shows it as such
  WallTime created = {};   // 0: now
  std::optional<WallTime> read = {};
};

inline constexpr std::string_view kNotificationKinds[] = {"heartbeat", "automation", "approval",
                                                          "agent", "system"};

// How much of it leaves the house.
enum class NotificationPrivacy : std::uint8_t { kFull, kSubject, kNothing };

// The channels of the outbox that lead to places; SessionKey::peer is the target's name, or for
// Web Push the subscription's id.
inline constexpr std::string_view kNotifyNtfy = "notify-ntfy";
inline constexpr std::string_view kNotifyWebhook = "notify-webhook";
inline constexpr std::string_view kNotifyDesktop = "notify-desktop";
inline constexpr std::string_view kNotifyPush = "notify-push";
inline constexpr std::string_view kNotifyConversation = "notify-conversation";

// A place that notifications are brought to: rouse.yaml, notifications.targets. A conversation is
// one, too: then it is said there. One of the channel kNotifyPush says how all browsers of the
// workspace are treated.
struct NotificationTarget {
  std::string name;                                    // "phone"
  std::string channel;                                 // one of the above
  std::optional<std::vector<std::string>> kinds = {};  // absent: every kind
  std::optional<DayHours> quiet = {};
  std::string zone = "UTC";  // of the quiet hours
  NotificationPrivacy privacy = NotificationPrivacy::kFull;
  WorkspaceId workspace;  // whose notifications go there
};

// What stands in the outbox for a place, already without what the place may not see.
struct NotificationParcel {
  std::string kind, subject, text;
  std::string url;  // the page to open, a path of the web app
  std::string created_at;
  std::optional<bool> untrusted;
  std::optional<std::string> heard_in = {};  // for a conversation: the one that has it already
};
inline auto shape(const NotificationParcel*) {
  using P = NotificationParcel;
  return fields(field("kind", &P::kind, ""), field("subject", &P::subject, ""),
                field("text", &P::text, ""), field("url", &P::url, ""),
                field("created_at", &P::created_at, ""), field("untrusted", &P::untrusted, ""),
                field("heard_in", &P::heard_in, ""));
}

// Somebody wants to see now whether it arrives, whatever the hours.
bool is_notification_test(const Delivery& delivery);

class Notifications {
 public:
  Notifications(Database& database, Clock& clock, Random& random, EventLog& events)
      : database_(database),
        clock_(clock),
        random_(random),
        events_(events),
        subscriptions_(database, clock, random) {}

  void configure(std::vector<NotificationTarget> targets) { targets_ = std::move(targets); }
  [[nodiscard]] const std::vector<NotificationTarget>& targets() const { return targets_; }
  // Told after each commit with something for the outbox.
  void on_waiting(std::function<void()> told) { on_waiting_ = std::move(told); }

  // For the write of what it tells about; told() when that is durable.
  std::vector<Statement> say(const Notification& notification);
  void told(const WorkspaceId& workspace) const;
  // By itself.
  Task<Result<void>> send(Notification notification);

  // To one place now, whatever its hours and kinds; "push" are all browsers. Answers the ids of the
  // deliveries. It is not kept as a notification.
  Task<Result<std::vector<std::string>>> test(WorkspaceId workspace, std::string target);

  // Newest first, before the given number (0: from the newest).
  Task<Result<std::vector<Notification>>> list(WorkspaceId workspace, std::int64_t before,
                                               std::size_t limit);
  Result<std::int64_t> unread(const WorkspaceId& workspace);
  // Up to this number; answers how many were unread.
  Task<Result<std::int64_t>> mark_read(WorkspaceId workspace, std::int64_t through);

  // With the workspace: its notifications, its browsers, and what is on its way to them.
  Task<Result<void>> forget(WorkspaceId workspace);

  PushSubscriptions& subscriptions() { return subscriptions_; }

 private:
  [[nodiscard]] Delivery delivery_for(const Notification& notification,
                                      const NotificationTarget& target, const std::string& place);
  [[nodiscard]] std::vector<Delivery> deliveries_for(const Notification& notification);
  [[nodiscard]] std::vector<std::string> places_of(const NotificationTarget& target,
                                                   const WorkspaceId& workspace);
  std::optional<Statement> prune_parcels();
  [[nodiscard]] NotificationTarget push_target(const WorkspaceId& workspace) const;

  Database& database_;
  Clock& clock_;
  Random& random_;
  EventLog& events_;
  PushSubscriptions subscriptions_;
  std::vector<NotificationTarget> targets_;
  std::function<void()> on_waiting_;
  WallTime pruned_;
};

}  // namespace rouse
