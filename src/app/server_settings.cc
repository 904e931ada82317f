#include "app/server_settings.h"

namespace rouse {

GatewayOptions gateway_options(const Config& config, const BridgeSecrets& secrets) {
  GatewayOptions options;
  options.guard.allowed_hosts = config.allowed_hosts;
  if (!config.public_url.empty()) options.guard.public_url = config.public_url;
  if (auto proxies = AddressSet::parse(config.trusted_proxies)) {
    options.guard.trusted_proxies = std::move(*proxies);  // validated by the schema
  }
  for (const std::string& text : config.listen) {
    const auto address = parse_listen(text);
    if (!address) continue;
    if (address->host == "0.0.0.0" || address->host == "::") options.guard.any_address = true;
    options.guard.listen_hosts.push_back(address->host);
  }
  options.requests_per_minute = config.limits.requests_per_minute;
  options.sign_in_tries_per_minute = config.limits.sign_in_tries_per_minute;
  options.body_bytes = static_cast<std::uint64_t>(config.limits.body_bytes);
  if (secrets.whatsapp) options.bridge_secrets["whatsapp"] = *secrets.whatsapp;
  return options;
}

ServerLimits server_limits(const Config& config) {
  ServerLimits limits;
  limits.connections = static_cast<std::size_t>(config.limits.connections);
  if (auto proxies = AddressSet::parse(config.trusted_proxies)) limits.exempt = std::move(*proxies);
  return limits;
}

// Both were checked when the config was read.
std::vector<Project> projects_of(const Config& config) {
  std::vector<Project> out;
  for (const Config::Project& one : config.projects) {
    if (auto fine = check_project({one.key, one.alias.value_or(""), one.path})) {
      out.push_back(std::move(*fine));
    }
  }
  return out;
}

std::map<std::string, WorkspaceId> people_of(const Config& config) {
  std::map<std::string, WorkspaceId> out;
  for (const auto& [peer, workspace] : config.people) {
    if (auto id = WorkspaceId::parse(workspace)) out.emplace(peer, std::move(*id));
  }
  return out;
}

ClientOptions client_options(const std::map<std::string, std::string>& environment) {
  const auto value = [&](const char* upper, const char* lower) -> std::optional<std::string> {
    for (const char* name : {lower, upper}) {
      const auto found = environment.find(name);
      if (found != environment.end() && !found->second.empty()) return found->second;
    }
    return std::nullopt;
  };
  ClientOptions out;
  out.idle_connections = 64;
  out.http_proxy = value("HTTP_PROXY", "http_proxy");
  out.https_proxy = value("HTTPS_PROXY", "https_proxy");
  out.no_proxy = value("NO_PROXY", "no_proxy");
  return out;
}

}  // namespace rouse
