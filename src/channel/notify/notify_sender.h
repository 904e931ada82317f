// Brings notifications to the places a person named: ntfy, a signed webhook, the desktop, browsers
// by Web Push, a conversation. What may be seen there and when was decided when it was said
// (session/notification); here is only the way.
//
// What is answered decides: 2xx it arrived; 408, 425, 429 and 5xx not now; another status never. A
// connection that broke before anything left is tried again. When nobody knows how far it came, a
// webhook and a browser get it again, because they can tell by the key or the topic that it is the
// same; ntfy can't, so there it is unknown. Redirects are not followed.
//
// A try that falls into the place's quiet hours waits for their end, whatever held it up until
// then.
#pragma once

#include <map>
#include <string>

#include "base/clock.h"
#include "base/redact.h"
#include "channel/channel_sender.h"
#include "channel/notify/desktop_notifier.h"
#include "channel/notify/spoken_notifications.h"
#include "channel/notify/web_push.h"
#include "net/http_client.h"
#include "session/notification/notification.h"

namespace rouse {

// Where a target of the config is; what doesn't belong to its channel is empty.
struct NotifyPlace {
  std::string channel = {};      // kNotifyNtfy …
  std::string url = {};          // of ntfy (without the topic) and of a webhook
  std::string topic = {};        // of ntfy
  std::string secret = {};       // ntfy's token, the webhook's key
  std::string session_key = {};  // of a conversation
  std::optional<DayHours> quiet = {};
  std::string zone = "UTC";  // of the quiet hours
};

struct NotifySettings {
  std::map<std::string, NotifyPlace> places;  // by the target's name
  std::string public_url;                     // for links that lead back; empty: none
  std::string contact;  // whom a push service can write to: "mailto:…" or "https://…"
  Millis deadline = seconds(20);
};

// May a browser's push messages go there? https, or for the owner also this machine itself.
Result<void> check_push_endpoint(std::string_view endpoint, const WorkspaceId& workspace);
bool is_on_this_machine(std::string_view endpoint);

class NotifySender final : public ChannelSender {
 public:
  struct Parts {
    HttpClient& client;
    Clock& clock;
    Random& random;
    PushSubscriptions& subscriptions;
    PushKeys& keys;
    DesktopNotifier& desktop;
    SpokenNotifications& speaker;
    // Is this address on the public internet (SC-7)?
    bool (*is_public)(std::string_view address) = nullptr;
    const Redactor* redactor = nullptr;
  };
  explicit NotifySender(Parts parts) : parts_(parts) {}
  void configure(NotifySettings settings) { settings_ = std::move(settings); }

  [[nodiscard]] bool serves(std::string_view channel) const override;
  Task<SendOutcome> send(Delivery delivery, std::stop_token stop) override;

 private:
  [[nodiscard]] ClientRequest to_ntfy(const NotifyPlace& place,
                                      const NotificationParcel& parcel) const;
  [[nodiscard]] ClientRequest to_webhook(const NotifyPlace& place, const Delivery& delivery) const;
  Result<ClientRequest> to_browser(const PushSubscription& browser, const Delivery& delivery,
                                   NotificationParcel parcel);
  Task<SendOutcome> push(Delivery delivery, NotificationParcel parcel, std::stop_token stop);
  // If the place can tell a second one from the first, it may get it again.
  enum class Again : std::uint8_t { kHarmless, kTwice };
  Task<SendOutcome> post(ClientRequest request, Again again, int& status, std::stop_token stop);
  Task<SendOutcome> send_now(Delivery delivery, std::stop_token stop);
  [[nodiscard]] std::optional<Millis> quiet_for(const Delivery& delivery, WallTime at) const;
  [[nodiscard]] std::string link_to(const NotificationParcel& parcel) const;

  Parts parts_;
  NotifySettings settings_;
};

}  // namespace rouse
