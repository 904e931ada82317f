// Shows a notification on the desktop of the machine rouse runs on, with notify-send: a program
// with arguments of its own, no shell, and nothing of our environment but the way to the desktop's
// bus. A server without a desktop says so, and the notification stays in the app.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "channel/channel_sender.h"
#include "session/notification/notification.h"

namespace rouse {

// Runs a program within a deadline; answers what it said if that was not a success, else "".
using RunProgram = std::function<Task<Result<std::string>>(
    std::vector<std::string> command, std::vector<std::string> environment, std::stop_token stop)>;

class DesktopNotifier {
 public:
  DesktopNotifier(RunProgram run, const std::map<std::string, std::string>& environment,
                  std::string program = "/usr/bin/notify-send");

  Task<SendOutcome> show(NotificationParcel parcel, std::stop_token stop);

 private:
  RunProgram run_;
  std::vector<std::string> environment_;
  std::string program_;
};

}  // namespace rouse
