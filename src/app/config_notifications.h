// The section `notifications.targets` of the config: how a target looks in JSON, and what is wrong
// with one. As strict as the models' section: a misspelt key would leave a place half set, and a
// token that somebody wrote right into the file must not be carried around (SC-10).
#pragma once

#include <optional>

#include <boost/json/value.hpp>

#include "app/config.h"
#include "base/json.h"

namespace rouse {

inline auto shape(const Config::NotifyTarget*) {
  using Target = Config::NotifyTarget;
  return fields(field("type", &Target::type, ""), field("url", &Target::url, ""),
                field("topic", &Target::topic, ""), field("token_env", &Target::token_env, ""),
                field("token_file", &Target::token_file, ""),
                field("secret_env", &Target::secret_env, ""),
                field("secret_file", &Target::secret_file, ""),
                field("conversation", &Target::conversation, ""),
                field("kinds", &Target::kinds, ""), field("quiet_hours", &Target::quiet_hours, ""),
                field("zone", &Target::zone, ""), field("privacy", &Target::privacy, ""));
}

// The first thing that is wrong; no value of a wrong key is ever quoted.
std::optional<SettingFault> inspect_targets(const boost::json::value& section);

// The section as it stands in the file.
boost::json::value to_value(const std::map<std::string, Config::NotifyTarget>& targets);

}  // namespace rouse
