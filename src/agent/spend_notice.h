// The one notice when a day's cap stands in the way (UX-6): whoever was refused, a conversation, an
// automation or a heartbeat, the person hears once a day that paid answers wait until tomorrow.
#pragma once

#include <map>
#include <string>

#include "agent/spend.h"
#include "base/log.h"
#include "base/loop.h"
#include "session/notification/notification.h"

namespace rouse {

class SpendNotice {
 public:
  struct Parts {
    Loop& loop;
    Clock& clock;
    Database& database;
    SpendBook& spend;
    Notifications& notifications;
    const Log& log;
  };
  explicit SpendNotice(Parts parts);

 private:
  void tell(const WorkspaceId& workspace, const std::string& zone, const std::string& words);
  Task<void> send(WorkspaceId workspace, std::string zone, std::string words);

  Parts parts_;
  std::map<WorkspaceId, std::string> told_;  // the day; the store knows it over a restart
};

}  // namespace rouse
