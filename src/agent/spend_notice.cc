#include "agent/spend_notice.h"

namespace rouse {

SpendNotice::SpendNotice(Parts parts) : parts_(parts) {
  parts_.spend.on_paused([this](const WorkspaceId& workspace, const std::string& zone,
                                const std::string& words) { tell(workspace, zone, words); });
}

void SpendNotice::tell(const WorkspaceId& workspace, const std::string& zone,
                       const std::string& words) {
  std::string day = day_in_zone(parts_.clock.wall_now(), zone);
  std::string& told = told_[workspace];
  if (told == day) return;
  told = std::move(day);
  parts_.loop.spawn("spend notice", send(workspace, zone, words));
}

// The day is marked in the same write: neither a death nor a restart makes it two, or none.
Task<void> SpendNotice::send(WorkspaceId workspace, std::string zone, std::string words) {
  Write write{{parts_.spend.first_notice(workspace, zone)}};
  for (Statement& one : parts_.notifications.say({.workspace = workspace,
                                                  .kind = "system",
                                                  .subject = "Paid answers pause until tomorrow",
                                                  .text = std::move(words)})) {
    write.statements.push_back(std::move(one));
  }
  const auto written = co_await parts_.database.write(std::move(write));
  if (written) {
    parts_.notifications.told(workspace);
  } else if (!written.error().is(StoreErrc::kConflict)) {
    told_.erase(workspace);
    parts_.log.warn("spend.notice_lost",
                    {{"workspace", workspace.str()}, {"message", written.error().message}});
  }
}

}  // namespace rouse
