// From the config to what the house works with: which notifications go where, and what the sender
// needs to bring them there. A target whose token or key can't be read is left out; whoever reads
// the secrets says so (config_keeper.h).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/config.h"
#include "channel/notify/notify_sender.h"
#include "session/notification/notification.h"

namespace rouse {

struct NotifySetup {
  std::vector<NotificationTarget> targets;
  NotifySettings sender;
};
NotifySetup notify_setup(const Config& config, const std::map<std::string, std::string>& secrets,
                         const std::string& default_zone);

// Does it name a token or key?
bool has_secret(const Config::NotifyTarget& target);

}  // namespace rouse
