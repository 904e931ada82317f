// What brings notifications out of the house: the sender with its ways, and the doors through which
// a person reads and tries them. Part of the wiring: concrete classes are named here, nothing is
// decided here.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "app/agent_side.h"
#include "app/config.h"
#include "channel/notify/notify_sender.h"
#include "gateway/routes/notification_routes.h"

namespace rouse {

class NotifySide {
 public:
  struct Parts {
    Loop& loop;
    Clock& clock;
    Random& random;
    Database& database;
    SessionKernel& kernel;
    Workspaces& workspaces;
    BlockingPool& pool;
    const Redactor& redactor;
    std::string data_dir;
    const std::map<std::string, std::string>& environment;
  };
  // After whoever knows scheduled turns has come to the house: it stands before them.
  NotifySide(const Parts& parts, AgentSide& agent, ClientOptions client);

  void apply(const Config& config, const BridgeSecrets& secrets);
  void add_routes(RouteTable& table) { routes_.add_to(table); }

 private:
  Notifications& notifications_;
  std::unique_ptr<HttpClient> http_;  // its own: a slow push service holds up no model
  PushKeys keys_;
  DesktopNotifier desktop_;
  SpokenNotifications spoken_;
  NotifySender sender_;
  NotificationRoutes routes_;
};

}  // namespace rouse
