// What rouse.yaml and the environment say about doors, people and ways out, in the words of those
// who ask.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/config.h"
#include "app/config_keeper.h"
#include "gateway/gateway.h"
#include "net/http_client.h"
#include "net/http_server.h"
#include "session/projects.h"

namespace rouse {

GatewayOptions gateway_options(const Config& config, const BridgeSecrets& secrets);
ServerLimits server_limits(const Config& config);

std::vector<Project> projects_of(const Config& config);
std::map<std::string, WorkspaceId> people_of(const Config& config);  // by peer

// Proxies as everybody else on this machine uses them.
ClientOptions client_options(const std::map<std::string, std::string>& environment);

}  // namespace rouse
