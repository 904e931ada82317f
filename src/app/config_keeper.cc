#include "app/config_keeper.h"

#include <unistd.h>
#include <utility>

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "app/config_models.h"
#include "app/config_secrets.h"
#include "base/files.h"
#include "base/json.h"
#include "base/limits.h"

namespace rouse {
namespace json = boost::json;
namespace {

Result<std::optional<std::string>> read_if_there(const std::string& path) {
  auto text = read_file(path, limits::kConfigBytes);
  if (text) return std::move(*text);
  if (text.error().is(Errc::kNotFound)) return std::nullopt;
  return fail(std::move(text).error());
}

// "main" of "models.main.api_key": a key isn't a setting, but it is set beside them.
std::optional<std::string> model_of_key(std::string_view key) {
  constexpr std::string_view kBefore = "models.", kAfter = ".api_key";
  if (!key.starts_with(kBefore) || !key.ends_with(kAfter)) return std::nullopt;
  if (key.size() <= kBefore.size() + kAfter.size()) return std::nullopt;
  key.remove_prefix(kBefore.size());
  key.remove_suffix(kAfter.size());
  return is_model_name(key) ? std::optional(std::string(key)) : std::nullopt;
}

Result<void> write_keys(const std::string& data_dir,
                        const std::map<std::string, json::value>& changes) {
  for (const auto& [key, value] : changes) {
    const auto model = model_of_key(key);
    if (!model) continue;
    const std::string name = model_secret_name(*model);
    TRY_VOID(value.is_null() ? remove_secret(data_dir, name)
                             : write_secret(data_dir, name, std::string_view(value.get_string())));
  }
  return {};
}

// Over the API nobody may point the server at its variables and files: with an address of their own
// beside it they would get them sent.
Result<void> check_models_by_api(const json::value& models) {
  if (!models.is_object()) return {};
  for (const auto& [name, entry] : models.get_object()) {
    for (const char* key : {"api_key_env", "api_key_file"}) {
      if (!entry.is_object() || !entry.get_object().contains(key)) continue;
      return fail(Errc::kForbidden,
                  fmt::format("models.{}.{} can only be set in rouse.yaml on the machine itself; "
                              "enter the key as models.{}.api_key",
                              std::string_view(name), key, std::string_view(name)));
    }
  }
  return {};
}

}  // namespace

std::string ConfigPlace::yaml_path() const {
  return config_file ? *config_file : data_dir + "/rouse.yaml";
}
std::string ConfigPlace::settings_path() const { return data_dir + "/settings.json"; }

Result<ConfigSources> read_sources(const ConfigPlace& place) {
  ConfigSources sources;
  sources.flags = place.flags;
  sources.environment = place.environment;
  sources.yaml_path = place.yaml_path();
  sources.settings_path = place.settings_path();
  TRY(sources.yaml, read_if_there(sources.yaml_path));
  if (place.config_file && !sources.yaml) {
    return fail(Errc::kNotFound, fmt::format("there is no file {}", sources.yaml_path));
  }
  TRY(sources.settings, read_if_there(sources.settings_path));
  return sources;
}

std::map<std::string, std::string> process_environment() {
  std::map<std::string, std::string> out;
  for (char** entry = ::environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    out.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return out;
}

Result<std::unique_ptr<ConfigKeeper>> ConfigKeeper::open(ConfigPlace place) {
  TRY(const ConfigSources sources, read_sources(place));
  ConfigLoad load = load_config(sources);
  if (!load.ok()) return fail(Errc::kInvalid, load.error_text());
  std::unique_ptr<ConfigKeeper> keeper(new ConfigKeeper(std::move(place)));
  keeper->had_file_ = sources.yaml.has_value();
  keeper->load_ = std::move(load);
  keeper->read_secrets();
  return keeper;
}

std::vector<std::string> ConfigKeeper::secret_values() const {
  std::vector<std::string> out;
  if (secrets_.whatsapp) out.push_back(*secrets_.whatsapp);
  for (const auto& [name, secret] : secrets_.notify) out.push_back(secret);
  for (const auto& [name, target] : config().notifications.targets) {
    if (target.topic) out.push_back(*target.topic);  // whoever knows it can read along
  }
  for (std::string& key : models_.keys()) out.push_back(std::move(key));
  out.insert(out.end(), secrets_.mcp.secrets.begin(), secrets_.mcp.secrets.end());
  const auto add_address = [&out](std::string_view url) {
    for (std::string& part : secrets_in_url(url)) out.push_back(std::move(part));
  };
  for (const EffectiveSetting& setting : load_.settings) {
    if (!setting.row->secret || !setting.value.is_string()) continue;
    out.emplace_back(setting.value.get_string());
    add_address(out.back());
  }
  for (const char* name : {"http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY"}) {
    const auto found = place_.environment.find(name);
    if (found != place_.environment.end()) add_address(found->second);
  }
  return out;
}

std::vector<std::string> ConfigKeeper::notices() const {
  std::vector<std::string> out;
  if (file_vanished_) {
    out.push_back(
        fmt::format("{} is gone; its settings are back to their defaults", place_.yaml_path()));
  }
  for (const ConfigProblem& warning : load_.warnings) out.push_back(warning.str());
  out.insert(out.end(), secret_notices_.begin(), secret_notices_.end());
  out.insert(out.end(), models_.notices.begin(), models_.notices.end());
  return out;
}

std::vector<std::string> ConfigKeeper::watched_files() const {
  std::vector<std::string> out{place_.yaml_path(), place_.settings_path()};
  const std::string& secret_file = config().bridges.whatsapp.secret_file;
  if (!secret_file.empty()) out.push_back(secret_file);
  for (const auto& [name, target] : config().notifications.targets) {
    if (target.token_file) out.push_back(*target.token_file);
    if (target.secret_file) out.push_back(*target.secret_file);
  }
  out.insert(out.end(), models_.key_files.begin(), models_.key_files.end());
  out.insert(out.end(), secrets_.mcp.files.begin(), secrets_.mcp.files.end());
  return out;
}

void ConfigKeeper::read_secrets() {
  secret_notices_.clear();
  models_ = model_setup(config(), place_.environment, place_.data_dir);
  read_notify_secrets();
  secrets_.mcp = mcp_setup(config(), place_.environment);
  secret_notices_.insert(secret_notices_.end(), secrets_.mcp.notices.begin(),
                         secrets_.mcp.notices.end());
  const Config::WhatsApp& whatsapp = config().bridges.whatsapp;
  auto secret = resolve_secret(whatsapp.secret_env, whatsapp.secret_file, place_.environment);
  if (secret) {
    secrets_.whatsapp = std::move(*secret);
    return;
  }
  // Only the bridge is off; the rest of the server doesn't care (UX-4). An old secret is not kept:
  // who takes the file away wants the door shut.
  secrets_.whatsapp.reset();
  secret_notices_.push_back(fmt::format("the WhatsApp bridge is off: {}", secret.error().message));
}

// A place without its token or key is left out; the others don't care.
void ConfigKeeper::read_notify_secrets() {
  secrets_.notify.clear();
  for (const auto& [name, target] : config().notifications.targets) {
    const auto& env = target.token_env ? target.token_env : target.secret_env;
    const auto& file = target.token_file ? target.token_file : target.secret_file;
    auto secret = resolve_secret(env.value_or(""), file.value_or(""), place_.environment);
    if (secret && *secret) {
      secrets_.notify[name] = std::move(**secret);
    } else if (!secret) {
      secret_notices_.push_back(fmt::format("nothing is brought to notifications.targets.{}: {}",
                                            name, secret.error().message));
    }
  }
}

ConfigKeeper::Reload ConfigKeeper::adopt(ConfigLoad fresh) {
  Reload report;
  for (std::size_t i = 0; i < fresh.settings.size(); ++i) {
    const EffectiveSetting& now = fresh.settings[i];
    if (now.value == load_.settings[i].value) continue;
    report.changed.emplace_back(now.row->key);
    if (!now.row->live) report.needs_restart.emplace_back(now.row->key);
  }
  load_ = std::move(fresh);
  problem_.clear();
  const BridgeSecrets before = secrets_;
  const ModelSetup models_before = models_;
  read_secrets();
  report.models_changed = !(models_before == models_);
  report.secrets_changed = !(before == secrets_) || models_before.keys() != models_.keys();
  if (!report.changed.empty() || report.secrets_changed || report.models_changed) {
    for (const Listener& listener : listeners_) listener(report);
  }
  return report;
}

ConfigKeeper::Reload ConfigKeeper::reload() {
  const auto refuse = [this](std::string why) {
    problem_ = std::move(why);
    Reload report;
    report.ok = false;
    return report;
  };
  auto sources = read_sources(place_);
  if (!sources) return refuse(sources.error().message);
  ConfigLoad fresh = load_config(*sources);
  if (!fresh.ok()) return refuse(fresh.error_text());
  file_vanished_ = had_file_ && !sources->yaml;
  had_file_ = had_file_ || sources->yaml.has_value();
  return adopt(std::move(fresh));
}

std::vector<SettingView> ConfigKeeper::list() const {
  std::vector<SettingView> out;
  for (const EffectiveSetting& setting : load_.settings) {
    SettingView view;
    view.key = setting.row->key;
    view.value = shown_value(*setting.row, setting.value);
    view.origin = setting.origin.text;
    view.pinned = setting.origin.pinned() || !setting.row->api;
    view.needs_restart = !setting.row->live;
    view.doc = setting.row->doc;
    const bool models = view.key == "models";
    out.push_back(std::move(view));
    if (!models) continue;
    out.push_back(key_view("main"));
    for (const auto& [name, one] : models_.settings) {
      if (name != "main") out.push_back(key_view(name));
    }
  }
  return out;
}

// Whether there is a key and where it is from; the key itself is shown to nobody (SC-10).
SettingView ConfigKeeper::key_view(const std::string& model) const {
  SettingView view;
  view.key = fmt::format("models.{}.api_key", model);
  const auto origin = models_.key_origins.find(model);
  const bool set = origin != models_.key_origins.end();
  if (set) view.value = "(hidden)";
  view.origin = set ? origin->second : "default";
  view.pinned = set && !origin->second.starts_with("secrets/");
  view.doc = "The key of this model; it can be entered here and is kept in secrets/.";
  return view;
}

// A key that stands elsewhere goes first: what is entered here would never be used. What counts is
// where the model will be, not where it was.
Result<void> ConfigKeeper::check_pinned_keys(const std::map<std::string, json::value>& changes,
                                             const Config& fresh) const {
  std::optional<ModelSetup> after;
  for (const auto& [key, value] : changes) {
    const auto model = model_of_key(key);
    if (!model || value.is_null()) continue;
    if (!after) after = model_setup(fresh, place_.environment, place_.data_dir);
    const auto origin = after->key_origins.find(*model);
    if (origin == after->key_origins.end() || origin->second.starts_with("secrets/")) continue;
    return fail(Errc::kConflict, fmt::format("models.{}.api_key is pinned by {}; change it there",
                                             *model, origin->second));
  }
  return {};
}

std::vector<ConfiguredModel> ConfigKeeper::configured_models() const {
  std::vector<ConfiguredModel> out;
  for (const auto& [name, one] : models_.settings) {
    const auto origin = models_.key_origins.find(name);
    out.push_back({name, one, origin == models_.key_origins.end() ? "" : origin->second});
  }
  return out;
}

Result<void> ConfigKeeper::check_change(const std::string& key, const json::value& value) const {
  if (const auto model = model_of_key(key)) {
    if (value.is_null() || (value.is_string() && !value.get_string().empty())) return {};
    return fail(Errc::kInvalid, fmt::format("models.{}.api_key must be text", *model));
  }
  const SettingRow* row = find_setting(key);
  if (row == nullptr) {
    const auto near = nearest_setting(key);
    return fail(Errc::kInvalid,
                near ? fmt::format("there is no setting '{}'; did you mean '{}'?", key, *near)
                     : fmt::format("there is no setting '{}'", key));
  }
  if (!row->api) {
    return fail(Errc::kForbidden,
                fmt::format("{} can only be set in rouse.yaml on the machine itself", key));
  }
  for (const EffectiveSetting& setting : load_.settings) {
    if (setting.row == row && setting.origin.pinned()) {
      return fail(Errc::kConflict,
                  fmt::format("{} is pinned by {}; change it there", key, setting.origin.text));
    }
  }
  if (value.is_null()) return {};
  TRY_VOID(check_setting(*row, value));
  return key == "models" ? check_models_by_api(value) : Result<void>();
}

// A key that was entered for one address is not sent to another: whoever moves a model enters its
// key again.
Result<void> ConfigKeeper::check_moved_keys(
    const std::map<std::string, boost::json::value>& changes, const Config& fresh) const {
  const auto place = [](const Config& config, const std::string& name) {
    const auto found = config.models.find(name);
    if (found == config.models.end()) return std::string();
    return found->second.provider + " " + found->second.base_url.value_or("");
  };
  for (const auto& [name, origin] : models_.key_origins) {
    if (origin != "secrets/" + model_secret_name(name)) continue;
    const std::string before = place(config(), name);
    if (before.empty() || before == place(fresh, name)) continue;
    if (changes.contains(fmt::format("models.{}.api_key", name))) continue;
    return fail(Errc::kConflict,
                fmt::format("models.{} would go to another address with the key that was entered "
                            "for this one; set models.{}.api_key too, or null to remove it",
                            name, name));
  }
  return {};
}

Result<void> ConfigKeeper::set(const std::map<std::string, json::value>& changes) {
  for (const auto& [key, value] : changes) TRY_VOID(check_change(key, value));
  TRY(ConfigSources sources, read_sources(place_));
  json::object settings;
  if (sources.settings) {
    auto parsed = parse_json(*sources.settings);
    if (!parsed || !parsed->is_object()) {
      return fail(Errc::kConflict,
                  fmt::format("{} is damaged and is not overwritten. Mend it or move it away",
                              place_.settings_path()));
    }
    settings = std::move(parsed->get_object());
  }
  for (const auto& [key, value] : changes) {
    if (model_of_key(key)) continue;
    if (value.is_null()) {
      settings.erase(key);
    } else {
      settings[key] = value;
    }
  }
  // The whole must be good before a byte is written: the same check that a start would make.
  sources.settings = json::serialize(settings);
  ConfigLoad fresh = load_config(sources);
  if (!fresh.ok()) return fail(Errc::kConflict, fresh.error_text());
  TRY_VOID(check_pinned_keys(changes, fresh.config));
  TRY_VOID(check_moved_keys(changes, fresh.config));
  TRY_VOID(write_keys(place_.data_dir, changes));
  TRY_VOID(write_file_atomic(place_.settings_path(), *sources.settings + "\n", 0600));
  adopt(std::move(fresh));
  return {};
}

}  // namespace rouse
