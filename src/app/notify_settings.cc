#include "app/notify_settings.h"

#include "session/workspaces.h"

namespace rouse {
namespace {

constexpr std::string_view kContact = "mailto:push@rouse.invalid";

NotificationPrivacy privacy_of(const std::string& word) {
  if (word == "subject") return NotificationPrivacy::kSubject;
  return word == "none" ? NotificationPrivacy::kNothing : NotificationPrivacy::kFull;
}

std::string contact_of(const Config& config) {
  if (!config.notifications.contact.empty()) return config.notifications.contact;
  return config.public_url.starts_with("https://") ? config.public_url : std::string(kContact);
}

}  // namespace

bool has_secret(const Config::NotifyTarget& target) {
  return target.token_env || target.token_file || target.secret_env || target.secret_file;
}

NotifySetup notify_setup(const Config& config, const std::map<std::string, std::string>& secrets,
                         const std::string& default_zone) {
  NotifySetup out;
  out.sender.public_url = config.public_url;
  out.sender.contact = contact_of(config);
  for (const auto& [name, target] : config.notifications.targets) {
    const auto secret = secrets.find(name);
    if (has_secret(target) && secret == secrets.end()) continue;
    NotificationTarget place{.name = name,
                             .channel = "notify-" + target.type,
                             .kinds = target.kinds,
                             .zone = target.zone.value_or(default_zone),
                             .privacy = privacy_of(target.privacy.value_or("full")),
                             .workspace = Workspaces::default_id()};
    if (target.quiet_hours) {
      if (auto hours = parse_day_hours(*target.quiet_hours)) place.quiet = *hours;
    }
    out.sender.places[name] = {.channel = place.channel,
                               .url = target.url.value_or(""),
                               .topic = target.topic.value_or(""),
                               .secret = secret == secrets.end() ? "" : secret->second,
                               .session_key = target.conversation.value_or(""),
                               .quiet = place.quiet,
                               .zone = place.zone};
    out.targets.push_back(std::move(place));
  }
  return out;
}

}  // namespace rouse
