#include "app/notify_side.h"

#include "app/notify_settings.h"
#include "app/run_program.h"
#include "app/system_zone.h"
#include "tool/fetch/public_address.h"

namespace rouse {

NotifySide::NotifySide(const Parts& parts, AgentSide& agent, ClientOptions client)
    : notifications_(agent.house().notifications()),
      http_(make_http_client(parts.loop, std::move(client))),
      keys_(parts.data_dir + "/secrets/web-push"),
      desktop_(
          [&loop = parts.loop, &clock = parts.clock, &pool = parts.pool](
              std::vector<std::string> command, std::vector<std::string> environment,
              std::stop_token stop) {
            return run_program(loop, clock, pool, std::move(command), std::move(environment),
                               std::move(stop));
          },
          parts.environment),
      spoken_(parts.database, parts.kernel, agent.house().runner(),
              agent.house().prompts().occasions_for(TurnKind::kAutomation)),
      sender_({*http_, parts.clock, parts.random, notifications_.subscriptions(), keys_, desktop_,
               spoken_, is_public_address, &parts.redactor}),
      routes_(notifications_, keys_, parts.workspaces) {
  agent.house().use_occasions(&spoken_);
  agent.add_channel(sender_);
  notifications_.on_waiting([&agent] { agent.nudge_outbox(); });
  parts.workspaces.also_clear(
      [this](WorkspaceId workspace) { return notifications_.forget(std::move(workspace)); });
}

void NotifySide::apply(const Config& config, const BridgeSecrets& secrets) {
  NotifySetup setup = notify_setup(config, secrets.notify,
                                   config.timezone.empty() ? system_zone() : config.timezone);
  notifications_.configure(std::move(setup.targets));
  sender_.configure(std::move(setup.sender));
}

}  // namespace rouse
