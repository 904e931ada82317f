#include "app/config_notifications.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "app/config_models.h"
#include "app/config_rules.h"
#include "base/day_hours.h"
#include "base/text.h"
#include "session/notification/notification.h"
#include "session/session_key.h"

namespace rouse {
namespace json = boost::json;
namespace {

constexpr std::size_t kTextBytes = 4096;

std::string_view text_of(const json::value& value) { return value.get_string(); }

bool is_line(const json::value& value) {
  return value.is_string() && !trim(text_of(value)).empty() &&
         text_of(value).size() <= kTextBytes &&
         std::ranges::none_of(text_of(value),
                              [](unsigned char c) { return c < 0x20 || c == 0x7F; });
}

// Each answers with what is wrong, to follow the name of the key, or with nothing.
std::string check_privacy(std::string_view text) {
  return text == "full" || text == "subject" || text == "none" ? ""
                                                               : "must be full, subject or none";
}
std::string check_hours(std::string_view text) {
  const auto hours = parse_day_hours(text);
  return hours ? "" : "must be like \"22:00-07:00\": " + hours.error().message;
}
std::string check_key(std::string_view text) {
  return SessionKey::parse(text) ? "" : "must be a session key, like whatsapp:+15551234567";
}
std::string check_topic(std::string_view text) {
  return text.size() <= 64 && is_id_tail(text)
             ? ""
             : "must be 1 to 64 letters, digits, '-' and '_', as ntfy wants it";
}
std::string check_any(std::string_view) { return ""; }

// What a type takes beside kinds, quiet_hours, zone and privacy, and what it can't do without.
struct TargetType {
  std::string_view name;
  std::array<std::string_view, 4> takes;
  std::string_view example;
  std::array<std::string_view, 2> needs;
};
constexpr TargetType kTypes[] = {
    {"ntfy",
     {"url", "topic", "token_env", "token_file"},
     "{type: ntfy, url: https://ntfy.sh, topic: my-secret-topic}",
     {"url", "topic"}},
    {"webhook",
     {"url", "secret_env", "secret_file"},
     "{type: webhook, url: https://example.com/hook, secret_env: HOOK_SECRET}",
     {"url"}},
    {"desktop", {}, "{type: desktop}", {}},
    {"push", {}, "{type: push, kinds: [approval]}", {}},
    {"conversation",
     {"conversation"},
     "{type: conversation, conversation: \"whatsapp:+15551234567\"}",
     {"conversation"}},
};

struct TargetKey {
  std::string_view name;
  std::string (*check)(std::string_view);
};
constexpr TargetKey kTexts[] = {{"url", rules::base_url},        {"topic", check_topic},
                                {"token_env", rules::env_name},  {"token_file", check_any},
                                {"secret_env", rules::env_name}, {"secret_file", check_any},
                                {"conversation", check_key},     {"quiet_hours", check_hours},
                                {"zone", rules::time_zone},      {"privacy", check_privacy}};
constexpr std::array<std::string_view, 5> kForAll{"type", "kinds", "quiet_hours", "zone",
                                                  "privacy"};

SettingFault fault(std::vector<std::string> path, std::string_view problem) {
  std::string message = fmt::format("notifications.targets.{} {}", fmt::join(path, "."), problem);
  return {std::move(path), std::move(message)};
}

std::string check_kinds(const json::value& value) {
  const bool fine =
      value.is_array() && std::ranges::all_of(value.get_array(), [](const auto& one) {
        return one.is_string() &&
               std::ranges::find(kNotificationKinds, text_of(one)) != std::end(kNotificationKinds);
      });
  return fine ? "" : fmt::format("must be a list of: {}", fmt::join(kNotificationKinds, ", "));
}

bool takes(const TargetType& type, std::string_view key) {
  return std::ranges::find(kForAll, key) != kForAll.end() ||
         std::ranges::find(type.takes, key) != type.takes.end();
}

std::string problem_of(const TargetType& type, std::string_view key, const json::value& value) {
  if (key == "token" || key == "secret" || key == "password") {
    return "does not stand in the settings, where others may read it: name the environment "
           "variable that holds it with …_env, or a file (mode 0600) with …_file";
  }
  if (!takes(type, key)) {
    return fmt::format("is not known for the type {}, which looks like {}", type.name,
                       type.example);
  }
  if (key == "type") return "";
  if (key == "kinds") return check_kinds(value);
  if (!is_line(value)) return "must be text";
  const auto* known = std::ranges::find(kTexts, key, &TargetKey::name);
  return known == std::end(kTexts) ? "" : known->check(text_of(value));
}

std::optional<SettingFault> check_together(const std::string& name, const TargetType& type,
                                           const json::object& target) {
  for (const std::string_view key : type.needs) {
    if (key.empty() || target.contains(key)) continue;
    return fault({name}, fmt::format("needs '{}', like {}", key, type.example));
  }
  for (const std::string_view what : {"token", "secret"}) {
    const std::string env = fmt::format("{}_env", what), file = fmt::format("{}_file", what);
    const bool has_env = target.contains(env), has_file = target.contains(file);
    if (has_env && has_file) {
      return fault({name, file}, fmt::format("stands beside {}; keep one of them", env));
    }
    if (type.name == "webhook" && what == "secret" && !has_env && !has_file) {
      return fault({name}, fmt::format("needs a secret to sign with, like {}", type.example));
    }
  }
  return std::nullopt;
}

std::optional<SettingFault> inspect_target(const std::string& name, const json::value& value) {
  if (!is_model_name(name)) {
    return fault({name}, "must have a name of 1 to 40 of a-z, 0-9, '_' and '-'");
  }
  const json::value* type_value =
      value.is_object() ? value.get_object().if_contains("type") : nullptr;
  const auto* type = std::end(kTypes);
  if (type_value != nullptr && type_value->is_string()) {
    type = std::ranges::find(kTypes, text_of(*type_value), &TargetType::name);
  }
  if (type == std::end(kTypes)) {
    return fault({name}, "needs a type: ntfy, webhook, desktop, push or conversation");
  }
  for (const auto& [key, part] : value.get_object()) {
    if (const std::string problem = problem_of(*type, key, part); !problem.empty()) {
      return fault({name, std::string(utf8_prefix(std::string_view(key), 40))}, problem);
    }
  }
  return check_together(name, *type, value.get_object());
}

}  // namespace

std::optional<SettingFault> inspect_targets(const json::value& section) {
  if (!section.is_object()) return std::nullopt;  // the type is checked before
  int browsers = 0;
  for (const auto& [name, value] : section.get_object()) {
    if (auto found = inspect_target(std::string(name), value)) return found;
    browsers += text_of(value.get_object().at("type")) == "push" ? 1 : 0;
    if (browsers > 1) {
      return fault({std::string(name)},
                   "is a second target of the type push; it stands for all "
                   "browsers, so there can be one");
    }
  }
  return std::nullopt;
}

json::value to_value(const std::map<std::string, Config::NotifyTarget>& targets) {
  json::object out;
  for (const auto& [name, target] : targets) {
    auto value = parse_json(encode_json(target));
    if (value) out[name] = std::move(*value);
  }
  return out;
}

}  // namespace rouse
