#include "app/config_models.h"

#include <algorithm>
#include <array>
#include <set>

#include <boost/json/value_from.hpp>
#include <fmt/format.h>

#include "app/config_rules.h"
#include "base/text.h"

namespace rouse {
namespace json = boost::json;
namespace {

constexpr std::array<std::string_view, 3> kProviders{"anthropic", "openai", "offline"};
constexpr std::size_t kTextBytes = 4096;
constexpr std::size_t kFallbacks = 16;

std::string_view text_of(const json::value& value) { return value.get_string(); }

bool is_plain_text(const json::value& value) {
  return value.is_string() && !trim(text_of(value)).empty() &&
         text_of(value).size() <= kTextBytes &&
         std::ranges::none_of(text_of(value),
                              [](unsigned char c) { return c < 0x20 || c == 0x7F; });
}

// Each answers with what is wrong, to follow the name of the key, or with nothing.
std::string check_provider(const json::value& value) {
  if (value.is_string() && std::ranges::find(kProviders, text_of(value)) != kProviders.end()) {
    return "";
  }
  std::string problem = fmt::format("must be one of: {}", fmt::join(kProviders, ", "));
  if (!value.is_string()) return problem;
  problem += fmt::format(", not '{}'", utf8_prefix(text_of(value), 40));
  const std::vector<std::string_view> words(kProviders.begin(), kProviders.end());
  if (const auto near = nearest(lower_ascii(text_of(value)), words)) {
    return problem + fmt::format("; did you mean '{}'?", *near);
  }
  return problem + "; most others speak the language of openai: set base_url too";
}

std::string check_text(const json::value& value) {
  return is_plain_text(value) ? "" : "must be text";
}
std::string check_base_url(const json::value& value) {
  return is_plain_text(value) ? rules::base_url(text_of(value)) : "must be text";
}
std::string check_variable(const json::value& value) {
  return is_plain_text(value) ? rules::env_name(text_of(value)) : "must be text";
}

template <std::int64_t kLeast, std::int64_t kMost>
std::string check_whole(const json::value& value) {
  const bool fine = value.is_int64() && value.get_int64() >= kLeast && value.get_int64() <= kMost;
  return fine ? "" : fmt::format("must be a whole number from {} to {}", kLeast, kMost);
}

std::string check_price(const json::value& value) {
  constexpr std::array<std::string_view, 4> kParts{"in", "out", "cache_read", "cache_write"};
  constexpr double kDearest = 100'000;
  constexpr const char* kWords =
      "must be dollars per million tokens, like {in: 3, out: 15, cache_read: 0.3, cache_write: "
      "3.75}";
  if (!value.is_object() || !value.get_object().contains("in") ||
      !value.get_object().contains("out")) {
    return kWords;
  }
  for (const auto& [name, part] : value.get_object()) {
    if (std::ranges::find(kParts, std::string_view(name)) == kParts.end()) return kWords;
    if (!part.is_int64() && !part.is_double()) return kWords;
    const double dollars =
        part.is_double() ? part.get_double() : static_cast<double>(part.get_int64());
    if (dollars < 0 || dollars > kDearest) {
      return fmt::format("has '{}' outside of 0 to {} dollars", std::string_view(name), kDearest);
    }
  }
  return "";
}

std::string check_fallback(const json::value& value) {
  const bool fine = value.is_array() && value.get_array().size() <= kFallbacks &&
                    std::ranges::all_of(value.get_array(), is_plain_text);
  return fine ? "" : "must be a list of names of other models, like [backup]";
}

struct EntryKey {
  std::string_view name;
  std::string (*check)(const json::value&);
};
constexpr EntryKey kKeys[] = {{"provider", check_provider},
                              {"base_url", check_base_url},
                              {"model", check_text},
                              {"api_key_env", check_variable},
                              {"api_key_file", check_text},
                              {"context_window", check_whole<1'000, 100'000'000>},
                              {"max_output", check_whole<1, 10'000'000>},
                              {"price", check_price},
                              {"fallback", check_fallback},
                              {"concurrency", check_whole<1, 1'000>},
                              {"retries", check_whole<0, 10>}};

std::string unknown_key(std::string_view key) {
  if (key == "api_key" || key == "key" || key == "token") {
    return "does not stand in the settings, where others may read it: name the environment "
           "variable that holds the key with api_key_env, or a file (mode 0600) with api_key_file";
  }
  std::vector<std::string_view> names;
  for (const EntryKey& one : kKeys) names.push_back(one.name);
  const auto near = nearest(key, names);
  return near ? fmt::format("is not known; did you mean '{}'?", *near) : "is not known";
}

std::string problem_of(std::string_view key, const json::value& value) {
  const auto* known = std::ranges::find(kKeys, key, &EntryKey::name);
  return known == std::end(kKeys) ? unknown_key(key) : known->check(value);
}

SettingFault fault(std::vector<std::string> path, std::string_view problem) {
  std::string message = fmt::format("models.{} {}", fmt::join(path, "."), problem);
  return {std::move(path), std::move(message)};
}

// What one key alone can't tell.
std::optional<SettingFault> check_together(const std::string& name, const json::object& entry) {
  if (!entry.contains("provider")) {
    return fault({name}, fmt::format("needs a provider, one of: {}", fmt::join(kProviders, ", ")));
  }
  if (entry.contains("api_key_env") && entry.contains("api_key_file")) {
    return fault({name, "api_key_file"}, "stands beside api_key_env; keep one of them");
  }
  if (text_of(entry.at("provider")) == "openai" && entry.contains("base_url") &&
      !entry.contains("model")) {
    return fault({name}, "needs a model: with a base_url nobody else knows its name");
  }
  return std::nullopt;
}

std::optional<SettingFault> check_fallbacks(const std::string& name, const json::object& entry,
                                            const json::object& models) {
  const json::value* list = entry.if_contains("fallback");
  if (list == nullptr) return std::nullopt;
  std::set<std::string_view> seen;
  for (const json::value& one : list->get_array()) {
    const std::string_view other = text_of(one);
    const std::string shown(utf8_prefix(other, 40));
    if (other == name) return fault({name, "fallback"}, "names the model itself");
    if (!models.contains(other) && other != "main") {
      return fault({name, "fallback"},
                   fmt::format("names '{}', but there is no models.{}", shown, shown));
    }
    if (!seen.insert(other).second) {
      return fault({name, "fallback"}, fmt::format("names '{}' twice", shown));
    }
  }
  return std::nullopt;
}

std::optional<SettingFault> inspect_entry(const std::string& name, const json::value& value,
                                          const json::object& models) {
  if (!is_model_name(name)) {
    return fault({name}, "must have a name of 1 to 40 of a-z, 0-9, '_' and '-'");
  }
  if (!value.is_object()) return fault({name}, "must be a section, like {provider: offline}");
  const json::object& entry = value.get_object();
  for (const auto& [key, part] : entry) {
    if (const std::string problem = problem_of(key, part); !problem.empty()) {
      return fault({name, std::string(utf8_prefix(std::string_view(key), 40))}, problem);
    }
  }
  if (auto found = check_together(name, entry)) return found;
  return check_fallbacks(name, entry, models);
}

json::value to_value(const Config::ModelEntry::Price& price) {
  json::object out{{"in", price.in}, {"out", price.out}};
  if (price.cache_read) out["cache_read"] = *price.cache_read;
  if (price.cache_write) out["cache_write"] = *price.cache_write;
  return out;
}

}  // namespace

bool is_model_name(std::string_view name) {
  return !name.empty() && name.size() <= 40 && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

std::optional<SettingFault> inspect_models(const json::value& section) {
  if (!section.is_object()) return std::nullopt;  // the type is checked before
  for (const auto& [name, value] : section.get_object()) {
    if (auto found = inspect_entry(std::string(name), value, section.get_object())) return found;
  }
  return std::nullopt;
}

json::value to_value(const std::map<std::string, Config::ModelEntry>& models) {
  json::object out;
  for (const auto& [name, model] : models) {
    json::object entry{{"provider", model.provider}};
    const auto add = [&](std::string_view key, const auto& value) {
      if (value) entry[key] = json::value_from(*value);
    };
    add("base_url", model.base_url);
    add("model", model.model);
    add("api_key_env", model.api_key_env);
    add("api_key_file", model.api_key_file);
    add("context_window", model.context_window);
    add("max_output", model.max_output);
    if (model.price) entry["price"] = to_value(*model.price);
    add("fallback", model.fallback);
    add("concurrency", model.concurrency);
    add("retries", model.retries);
    out[name] = std::move(entry);
  }
  return out;
}

}  // namespace rouse
